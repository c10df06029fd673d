package blackbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/api/catalogapi"
)

// scenarioDir holds the scripts of the branching scenarios, which the fold's own tests run too.
const scenarioDir = "../../fold/catalog/testdata/scenarios"

// TestScenarios tells each scenario to the binary over HTTP, in a space of its own, and gets the answers of
// the pure fold.
func TestScenarios(t *testing.T) {
	files, err := os.ReadDir(scenarioDir)
	require.NoError(t, err)
	require.Len(t, files, 22)
	dir := t.TempDir()
	p := serve(t, dir, "--builder-lease", "3s")
	restart := func() { // the process ends with the whole test
		p.kill()
		p = serve(t, dir, "--builder-lease", "3s")
	}
	for _, f := range files {
		t.Run("Scenario"+f.Name(), func(t *testing.T) {
			s := newScenario(t, p, f.Name())
			defer s.close()
			for _, name := range []string{"A", "B", "C", "D"} {
				s.run("dataset " + name)
			}
			want, got := &renamer{}, &renamer{}
			datadriven.RunTest(t, filepath.Join(scenarioDir, f.Name()), func(t *testing.T, d *datadriven.TestData) string { //nolint:thelper // the body of a test
				var out strings.Builder
				for line := range strings.Lines(d.Input) {
					if line = strings.TrimSpace(line); line == "restart" {
						restart()
						s.moveTo(p.URL)
					} else if line != "" {
						out.WriteString(s.run(line))
					}
				}
				require.Equal(t, want.apply(d.Expected), got.apply(s.short(out.String())), d.Pos)
				return d.Expected
			})
		})
	}
}

// renamer numbers the transactions that builds opened by where they are first named, and cuts the sentences
// behind codes, so that only what matters is compared.
type renamer struct{ seen []string }

var (
	ownTransaction = regexp.MustCompile(`\bx\d+\b`)
	afterCode      = regexp.MustCompile(`(?m)(refused [A-Za-z]+):.*$`)
)

func (r *renamer) apply(s string) string {
	s = afterCode.ReplaceAllString(s, "$1")
	return strings.TrimRight(ownTransaction.ReplaceAllStringFunc(s, func(name string) string {
		if !slices.Contains(r.seen, name) {
			r.seen = append(r.seen, name)
		}
		return fmt.Sprintf("T%d", slices.Index(r.seen, name))
	}), "\n")
}

// scenario runs the commands of a script in a space.
type scenario struct {
	t      *testing.T
	base   string
	space  string
	names  map[string]string // short names by id
	plans  map[string]string // digests by name
	mu     sync.Mutex
	tokens map[string]catalogapi.Claim // by build/spec/attempt
	dead   map[string]bool
	stop   context.CancelFunc
	beats  sync.WaitGroup
}

func newScenario(t *testing.T, p *process, space string) *scenario {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &scenario{t: t, base: p.URL, space: space, names: map[string]string{}, plans: map[string]string{}, tokens: map[string]catalogapi.Claim{}, dead: map[string]bool{}, stop: cancel}
	s.beats.Go(func() { s.heartbeat(ctx) })
	return s
}

func (s *scenario) moveTo(base string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base = base
}

func (s *scenario) close() {
	s.stop()
	s.beats.Wait()
}

// heartbeat keeps every attempt alive that is not to die.
func (s *scenario) heartbeat(ctx context.Context) {
	for ctx.Err() == nil {
		s.mu.Lock()
		base, live := s.base, map[string]catalogapi.Claim{}
		for key, c := range s.tokens {
			if !s.dead[key] {
				live[key] = c
			}
		}
		s.mu.Unlock()
		for _, c := range live {
			text, _ := json.Marshal(catalogapi.AttemptReport{Build: c.Build, Job: c.Job, Token: c.Token}) //nolint:errchkjson // texts and numbers
			_, _, _ = call(http.MethodPost, base+"/api/v1/spaces/"+s.space+"/runner/heartbeat", "application/json", bytes.NewReader(text))
		}
		select {
		case <-ctx.Done():
		case <-time.After(300 * time.Millisecond):
		}
	}
}

type object = map[string]any

func catalogRef(name string) object { return object{"namespace": "lake", "name": name} }

// id gives a transaction of the script its id.
func (s *scenario) id(name string) string {
	id := uuid.NewSHA1(uuid.NameSpaceURL, []byte(s.space+"/"+name)).String()
	s.names[id] = name
	return id
}

// short writes short names for ids; those that builds made are numbered.
func (s *scenario) short(text string) string {
	for id, name := range s.names {
		text = strings.ReplaceAll(text, id, name)
	}
	return strings.ReplaceAll(text, "lake|", "")
}

func (s *scenario) name(id string) string {
	if id == "" {
		return "∅"
	}
	if s.names[id] == "" {
		s.names[id] = fmt.Sprintf("x%d", len(s.names))
	}
	var x catalogapi.Transaction
	s.get("/transactions/"+id, nil, &x)
	return fmt.Sprintf("%s(%s)", s.names[id], x.State[:1])
}

func (s *scenario) get(path string, params url.Values, into any) {
	get(s.t, s.base, "/api/v1/spaces/"+s.space+path, params, into)
}

// post sends a request and writes the refusal, if it was one, behind the command.
func (s *scenario) post(line, path string, body any, into any) string {
	text, err := json.Marshal(body)
	require.NoError(s.t, err)
	status, answer, err := call(http.MethodPost, s.base+"/api/v1/spaces/"+s.space+path+"?wait=applied", "application/json", bytes.NewReader(text))
	require.NoError(s.t, err)
	if status == http.StatusConflict {
		var e catalogapi.Error
		require.NoError(s.t, json.Unmarshal(answer, &e))
		return line + ": refused " + e.Code + ":\n"
	}
	if into == nil {
		into = &catalogapi.Written{}
	}
	require.Equal(s.t, http.StatusOK, status, "%s: %s", line, answer)
	require.NoError(s.t, json.Unmarshal(answer, into))
	return ""
}

// run runs one command of a script; the fold's tests describe them.
func (s *scenario) run(line string) string {
	words, options := []string{}, map[string]string{}
	for word := range strings.FieldsSeq(line) {
		if k, v, ok := strings.Cut(word, "="); ok {
			options[k] = v
		} else {
			words = append(words, word)
		}
	}
	verb, words := words[0], words[1:]
	switch verb {
	case "dataset":
		return s.post(line, "/datasets", object{"dataset": catalogRef(words[0])}, nil)
	case "root", "branch":
		body := object{"dataset": catalogRef(words[0]), "branch": words[1]}
		if p := options["parent"]; p != "" {
			body["parent"] = object{"branch": p}
		}
		if x := options["tx"]; x != "" {
			body["from_transaction"] = s.id(x)
		}
		return s.post(line, "/branches", body, nil)
	case "delete":
		body := object{"dataset": catalogRef(words[0]), "branch": words[1]}
		if options["incarnation"] != "" {
			body["incarnation"] = 1
		}
		return s.post(line, "/branches/delete", body, nil)
	case "start":
		typ := "APPEND"
		if len(words) > 3 {
			typ = words[3]
		}
		return s.post(line, "/transactions", object{"dataset": catalogRef(words[0]), "branch": words[1], "transaction": s.id(words[2]), "type": typ}, nil)
	case "commit":
		var put []object
		for _, path := range words[1:] {
			put = append(put, object{"path": path})
		}
		return s.post(line, "/transactions/"+s.id(words[0])+"/commit", object{"put": put}, nil)
	case "abort":
		return s.post(line, "/transactions/"+s.id(words[0])+"/abort", object{}, nil)
	case "heads":
		var out strings.Builder
		for _, name := range words {
			out.WriteString(s.heads(name))
		}
		return out.String()
	case "view":
		return s.view(words[0], words[1])
	}
	return s.runBuild(line, verb, words, options)
}

func (s *scenario) heads(name string) string {
	var list catalogapi.BranchList
	s.get("/branches", url.Values{"namespace": {"lake"}, "name": {name}}, &list)
	var lines []string
	for _, b := range list.Branches {
		line := fmt.Sprintf("%s@%s→%s", name, b.Name, s.name(b.Head))
		if b.Parent != "" {
			line += fmt.Sprintf(" %s⟵%s", b.Name, b.Parent)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		lines = []string{name + ": no branch"}
	}
	return strings.Join(lines, "\n") + "\n"
}

func (s *scenario) view(name, branch string) string {
	var v catalogapi.View
	s.get("/view", url.Values{"namespace": {"lake"}, "name": {name}, "branch": {branch}}, &v)
	var paths []string
	for _, f := range v.List {
		paths = append(paths, f.Path)
	}
	return fmt.Sprintf("%s@%s: %s\n", name, branch, strings.Join(paths, " "))
}

func refs(list string) []object {
	var out []object
	for name := range strings.SplitSeq(list, ",") {
		out = append(out, catalogRef(name))
	}
	return out
}

func (s *scenario) runBuild(line, verb string, words []string, options map[string]string) string {
	switch verb {
	case "spec":
		spec := object{"id": words[1], "engine": words[1], "logic": object{"text": "v1"}}
		if options["logic"] != "" {
			spec["logic"] = object{"text": options["logic"]}
		}
		var inputs, outputs []object
		for _, d := range refs(options["in"]) {
			inputs = append(inputs, object{"dataset": d})
		}
		for _, d := range refs(words[2]) {
			outputs = append(outputs, object{"dataset": d, "type": orElse(options["type"], "SNAPSHOT")})
		}
		spec["inputs"], spec["outputs"] = inputs, outputs
		return s.post(line, "/job-specs", object{"branch": words[0], "specs": []object{spec}}, nil)
	case "build", "plan":
		chain := strings.Split(words[1], "→")
		body := object{"branch": chain[0], "fallbacks": chain[1:], "targets": refs(words[2]), "force": options["force"] != "", "abort_on_failure": options["abort_on_failure"] != "", "mode": orElse(options["mode"], "only")}
		if options["retries"] != "" {
			body["retries"] = 1
		}
		if options["digest"] != "" {
			body["plan_digest"] = s.plans[options["digest"]]
		}
		if verb == "plan" {
			return s.plan(line, body)
		}
		body["build"] = words[0]
		return s.post(line, "/builds", body, nil)
	case "abort-build":
		return s.post(line, "/builds/"+words[0]+"/abort", object{}, nil)
	case "build?":
		return s.build(words[0])
	case "claim":
		return s.claim(line, words)
	}
	return s.report(line, verb, words, options)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (s *scenario) plan(line string, body object) string {
	var p catalogapi.Plan
	require.Empty(s.t, s.post(line, "/plan", body, &p))
	var out strings.Builder
	name := fmt.Sprintf("p%d", len(s.plans))
	s.plans[name] = p.Digest
	fmt.Fprintf(&out, "digest %s\n", name)
	for _, j := range p.Jobs {
		fmt.Fprintf(&out, "  %s %s: %s\n", strings.ToLower(j.State), j.Spec, j.Reason)
		for _, in := range j.Inputs {
			fmt.Fprintf(&out, "    reads %s: %s\n", in.Dataset.Name, in.Reason)
		}
		for _, n := range p.Creates {
			if j.State == "RUN" && n.Dataset == j.Outputs[0].Dataset {
				from := "as a root"
				if n.From != "" {
					from = "from " + n.From
				}
				fmt.Fprintf(&out, "    creates %s@%s %s at %s\n", n.Dataset.Name, p.Branch, from, s.name(n.Transaction))
			}
		}
	}
	return out.String()
}

func (s *scenario) build(id string) string {
	var b catalogapi.Build
	s.get("/builds/"+id, nil, &b)
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s", id, b.State)
	for _, k := range b.Blockers {
		fmt.Fprintf(&out, " waits for %s@%s of %s", k.Dataset.Name, k.Branch, orElse(k.Build, "a person"))
	}
	out.WriteString("\n")
	for _, j := range b.Jobs {
		fmt.Fprintf(&out, "  %s %s (%s's spec)", j.Spec, j.State, j.SpecBranch)
		for _, in := range j.Inputs {
			fmt.Fprintf(&out, " reads %s@%s/%s", in.Dataset.Name, orElse(in.Branch, "?"), s.name(in.Transaction))
		}
		for _, o := range j.Outputs {
			if j.State != "SKIPPED" {
				fmt.Fprintf(&out, " writes %s@%s/%s", o.Dataset.Name, o.Branch, s.name(o.Transaction))
			}
		}
		out.WriteString("\n")
	}
	return out.String()
}

// claim claims the job of a spec, which is an engine of its own here. A job that is not ready cannot be had.
func (s *scenario) claim(line string, words []string) string {
	var b catalogapi.Build
	s.get("/builds/"+words[0], nil, &b)
	ready := slices.ContainsFunc(b.Jobs, func(j catalogapi.Job) bool { return j.Spec == words[1] && j.State == "RUN_PENDING" })
	body, err := json.Marshal(object{"runner": "r1", "engines": []string{words[1]}, "wait_seconds": 0})
	require.NoError(s.t, err)
	var c catalogapi.Claim
	poll(s.t, startTime, func() error {
		status, answer, err := call(http.MethodPost, s.base+"/api/v1/spaces/"+s.space+"/runner/claim", "application/json", bytes.NewReader(body))
		switch {
		case err != nil:
			return err
		case status == http.StatusNoContent && !ready:
			return nil
		case status != http.StatusOK:
			return fmt.Errorf("the claim was answered with %d %s", status, answer) // not driven yet, or waiting to be tried again
		}
		return json.Unmarshal(answer, &c)
	})
	if c.Build == "" {
		return line + ": refused JobNotReady:\n"
	}
	require.Equal(s.t, words[0], c.Build)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens[fmt.Sprintf("%s/%s/%d", words[0], words[1], c.Attempt)] = c
	return ""
}

// report tells of the latest attempt, or the one named, what became of it.
func (s *scenario) report(line, verb string, words []string, options map[string]string) string {
	s.mu.Lock()
	n := 0
	for s.tokens[fmt.Sprintf("%s/%s/%d", words[0], words[1], n+1)].Build != "" {
		n++
	}
	key := fmt.Sprintf("%s/%s/%d", words[0], words[1], n)
	if a := options["attempt"]; a != "" {
		key = fmt.Sprintf("%s/%s/%s", words[0], words[1], a)
	}
	c := s.tokens[key]
	s.dead[key] = verb != "finish" || s.dead[key]
	s.mu.Unlock()
	body := object{"build": c.Build, "job": c.Job, "token": c.Token}
	switch verb {
	case "finish":
		var outputs []object
		for _, w := range words[2:] {
			name, path, ok := strings.Cut(w, ":")
			if !ok {
				name, path = c.Outputs[0].Dataset.Name, w
			}
			outputs = append(outputs, object{"dataset": catalogRef(name), "put": []object{{"path": path}}})
		}
		body["outputs"] = outputs
		return s.post(line, "/runner/finish", body, nil)
	case "fail":
		body["permanent"] = options["permanent"] != ""
		return s.post(line, "/runner/fail", body, nil)
	case "stopped":
		return s.post(line, "/runner/stopped", body, nil)
	case "expire":
		poll(s.t, startTime, func() error {
			var b catalogapi.Build
			s.get("/builds/"+words[0], nil, &b)
			if state := b.Jobs[c.Job].Attempts[c.Attempt-1].State; state != "EXPIRED" {
				return fmt.Errorf("the attempt is %s", state)
			}
			return nil
		})
		return ""
	}
	s.t.Fatalf("no command %s", verb)
	return ""
}
