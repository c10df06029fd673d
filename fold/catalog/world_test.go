package catalog

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/event"
)

// world is a state under test with short names for what the tests speak of.
type world struct {
	t      require.TestingT
	state  *State
	offset int64
	log    []*Event
	names  map[ID]string // transactions by their short names
	ids    map[string]ID
	tokens map[string]string // build/job/attempt → token
}

const testSpace = "shop"

func newWorld(t require.TestingT) *world {
	return &world{t: t, state: New(), names: map[ID]string{}, ids: map[string]ID{}, tokens: map[string]string{}}
}

func (w *world) space() *Space {
	s := w.state.Space(testSpace)
	if s == nil {
		return newSpace(testSpace)
	}
	return s
}

func dataset(name string) event.CatalogDataset {
	return event.CatalogDataset{Namespace: "lake", Name: name}
}

func head() event.CatalogHead { return event.CatalogHead{Space: testSpace, Rules: 1, Actor: "ann"} }

// do applies an event with an id of its own.
func (w *world) do(typ string, d event.CatalogEvent) Outcome {
	e := &Event{
		Offset: w.offset, Source: "test", ID: fmt.Sprintf("e%d", w.offset), Type: typ, Data: d,
		Time: time.UnixMilli(1_700_000_000_000 + w.offset),
	}
	return w.apply(e)
}

func (w *world) apply(e *Event) Outcome {
	out := w.state.Apply(e)
	w.log = append(w.log, e)
	w.offset++
	for _, t := range w.state.Changes().Transactions {
		if _, ok := w.names[t.ID]; !ok {
			w.name(t.ID, fmt.Sprintf("x%d", t.number))
		}
	}
	return out
}

func (w *world) name(id ID, name string) {
	w.names[id], w.ids[name] = name, id
}

// txID makes the id of a transaction from a short name.
func (w *world) txID(name string) string {
	if id, ok := w.ids[name]; ok {
		return id.String()
	}
	if _, ok := ParseID(name); ok {
		return name
	}
	id := outputID("test", name, 0, 0, 0)
	w.name(id, name)
	return id.String()
}

func files(paths ...string) []event.File {
	var list []event.File
	for _, p := range paths {
		list = append(list, event.File{Path: p, Location: "s3://lake/" + p, Rows: 10, Bytes: 100})
	}
	return list
}

func token(build string, job, attempt int) string {
	return fmt.Sprintf("%s/%d/%d/0123456789abcdef0123456789abcdef", build, job, attempt)
}

// heads writes a dataset as the design writes it: branch→transaction(state), child⟵parent.
func (w *world) heads(name string) string {
	ds := w.space().Dataset(dataset(name))
	if ds == nil {
		return name + ": none\n"
	}
	var lines []string
	for _, b := range ds.Branches {
		line := fmt.Sprintf("%s@%s→%s", name, b.Name, w.tx(b.Head))
		if b.Parent != nil {
			line += fmt.Sprintf(" %s⟵%s", b.Name, b.Parent.Name)
		}
		lines = append(lines, line)
	}
	sort.Strings(lines)
	if len(lines) == 0 {
		lines = []string{name + ": no branch"}
	}
	return strings.Join(lines, "\n") + "\n"
}

func (w *world) tx(t *Transaction) string {
	if t == nil {
		return "∅"
	}
	return fmt.Sprintf("%s(%s)", w.names[t.ID], map[TransactionState]string{Open: "O", Committed: "C", Aborted: "A"}[t.State])
}

func paths(v *View) string {
	var list []string
	v.Walk("", func(f *event.File) bool { list = append(list, f.Path); return true })
	return strings.Join(list, " ")
}

// commands are the operations of the scripts in testdata.
func (w *world) command(t *testing.T, line string) string {
	t.Helper()
	args := strings.Fields(line)
	options := map[string]string{}
	var words []string
	for _, a := range args[1:] {
		if k, v, ok := strings.Cut(a, "="); ok {
			options[k] = v
			continue
		}
		words = append(words, a)
	}
	switch args[0] {
	case "heads":
		var b strings.Builder
		for _, name := range words {
			b.WriteString(w.heads(name))
		}
		return b.String()
	case "view":
		b, r := w.space().Branch(dataset(words[0]), event.BranchHandle{Branch: words[1]})
		require.Nil(t, r)
		return fmt.Sprintf("%s@%s: %s\n", words[0], words[1], paths(ViewOf(b.Committed())))
	case "build?":
		return w.showBuild(words[0])
	case "plan":
		req := w.request(words, options)
		return w.showPlan(w.space().Plan(req))
	case "restart":
		restored, err := Restore(w.state.Snapshot())
		require.NoError(t, err)
		w.state = restored
		return ""
	}
	typ, data := w.event(t, args[0], words, options)
	out := w.do(typ, data)
	if out.Refused != nil {
		return fmt.Sprintf("%s: refused %s: %s\n", line, out.Refused.Code, w.short(out.Refused.Message))
	}
	if out.Failure != nil {
		return fmt.Sprintf("%s: failed %s\n", line, out.Failure.Code)
	}
	return ""
}

// short writes the short names of transactions into a message.
func (w *world) short(s string) string {
	for id, name := range w.names {
		s = strings.ReplaceAll(s, id.String(), name)
	}
	return strings.ReplaceAll(s, "lake|", "")
}

func (w *world) event(t *testing.T, verb string, words []string, options map[string]string) (string, event.CatalogEvent) {
	t.Helper()
	switch verb {
	case "dataset":
		return event.TypeDatasetCreated, &event.DatasetCreated{CatalogHead: head(), Dataset: dataset(words[0])}
	case "root", "branch":
		d := &event.BranchCreated{CatalogHead: head(), Dataset: dataset(words[0]), Branch: words[1]}
		if p := options["parent"]; p != "" {
			d.Parent = &event.BranchHandle{Branch: p}
		}
		if tx := options["tx"]; tx != "" {
			d.FromTransaction = w.txID(tx)
		}
		return event.TypeBranchCreated, d
	case "delete":
		d := &event.BranchDeleted{CatalogHead: head(), Dataset: dataset(words[0]), BranchHandle: event.BranchHandle{Branch: words[1]}}
		fmt.Sscan(options["incarnation"], &d.Incarnation)
		return event.TypeBranchDeleted, d
	case "restore":
		return event.TypeBranchRestored, &event.BranchRestored{CatalogHead: head(), Dataset: dataset(words[0]), BranchHandle: event.BranchHandle{Branch: words[1]}}
	case "start":
		d := &event.TransactionOpened{CatalogHead: head(), Dataset: dataset(words[0]), BranchHandle: event.BranchHandle{Branch: words[1]}, Transaction: w.txID(words[2]), Type: "APPEND"}
		if len(words) > 3 {
			d.Type = words[3]
		}
		return event.TypeTransactionOpened, d
	case "commit":
		d := &event.TransactionCommitted{CatalogHead: head(), Transaction: w.txID(words[0])}
		for _, p := range words[1:] {
			if gone, ok := strings.CutPrefix(p, "-"); ok {
				d.Delete = append(d.Delete, gone)
				continue
			}
			d.Put = append(d.Put, files(p)...)
		}
		return event.TypeTransactionCommitted, d
	case "abort":
		return event.TypeTransactionAborted, &event.TransactionAborted{CatalogHead: head(), Transaction: w.txID(words[0])}
	case "spec":
		return event.TypeJobSpecPublished, w.spec(words, options)
	case "build":
		return event.TypeBuildRequested, w.request(words, options)
	case "abort-build":
		return event.TypeBuildAborted, &event.BuildAborted{CatalogHead: head(), Build: words[0]}
	}
	return w.attemptEvent(t, verb, words, options)
}

// spec reads: spec BRANCH ID OUT[,OUT] [in=IN,IN] [logic=TEXT] [type=TYPE] [withdrawn=yes]
func (w *world) spec(words []string, options map[string]string) *event.JobSpecPublished {
	spec := event.JobSpec{ID: words[1], Withdrawn: options["withdrawn"] != ""}
	for out := range strings.SplitSeq(words[2], ",") {
		spec.Outputs = append(spec.Outputs, event.SpecOutput{Dataset: dataset(out), Type: options["type"]})
	}
	if in := options["in"]; in != "" {
		for name := range strings.SplitSeq(in, ",") {
			spec.Inputs = append(spec.Inputs, event.SpecInput{Dataset: dataset(name)})
		}
	}
	spec.Logic.Text = "v1"
	if l := options["logic"]; l != "" {
		spec.Logic.Text = l
	}
	return &event.JobSpecPublished{CatalogHead: head(), Branch: words[0], Specs: []event.JobSpec{spec}}
}

// request reads: build ID BRANCH[→FALLBACK…] TARGET[,TARGET] [mode=M] [force=yes] [retries=N] [all=yes]
func (w *world) request(words []string, options map[string]string) *event.BuildRequested {
	chain := strings.Split(words[1], "→")
	req := &event.BuildRequested{
		CatalogHead: head(), Build: words[0], Branch: chain[0], Fallbacks: chain[1:], Mode: options["mode"],
		Force: options["force"] != "", AbortOnFailure: options["abort_on_failure"] != "",
	}
	for name := range strings.SplitSeq(words[2], ",") {
		req.Targets = append(req.Targets, dataset(name))
	}
	if from := options["from"]; from != "" {
		for name := range strings.SplitSeq(from, ",") {
			req.From = append(req.From, dataset(name))
		}
	}
	fmt.Sscan(options["retries"], &req.Retries)
	if options["digest"] != "" {
		req.PlanDigest = w.tokens["digest "+options["digest"]]
	}
	return req
}

// attemptEvent reads: claim|finish|fail|expire|stopped BUILD SPEC [file…] [attempt=N]
func (w *world) attemptEvent(t *testing.T, verb string, words []string, options map[string]string) (string, event.CatalogEvent) {
	t.Helper()
	build := w.space().Build(words[0])
	require.NotNil(t, build, "build %s", words[0])
	var job *Job
	for _, j := range build.Jobs {
		if j.Spec.ID == words[1] {
			job = j
		}
	}
	require.NotNil(t, job, "job %s", words[1])
	attempt := len(job.Attempts)
	if verb == "claim" {
		attempt++
	}
	fmt.Sscan(options["attempt"], &attempt)
	h := event.AttemptHandle{Build: words[0], Job: job.Index, Token: token(words[0], job.Index, attempt)}
	switch verb {
	case "claim":
		return event.TypeAttemptStarted, &event.AttemptStarted{CatalogHead: head(), AttemptHandle: h, Attempt: attempt, Runner: "r1"}
	case "finish":
		d := &event.AttemptFinished{CatalogHead: head(), AttemptHandle: h}
		for _, p := range words[2:] {
			name, path, _ := strings.Cut(p, ":")
			d.Outputs = append(d.Outputs, event.AttemptOutput{Dataset: dataset(name), Manifest: event.Manifest{Put: files(path)}})
		}
		return event.TypeAttemptFinished, d
	case "fail":
		return event.TypeAttemptFailed, &event.AttemptFailed{CatalogHead: head(), AttemptHandle: h, Message: "no space left", Permanent: options["permanent"] != ""}
	case "expire":
		return event.TypeAttemptExpired, &event.AttemptExpired{CatalogHead: head(), AttemptHandle: h}
	case "stopped":
		return event.TypeAttemptAborted, &event.AttemptAborted{CatalogHead: head(), AttemptHandle: h}
	}
	t.Fatalf("no command %s", verb)
	return "", nil
}

func (w *world) showBuild(id string) string {
	b := w.space().Build(id)
	if b == nil {
		return "build " + id + ": none\n"
	}
	var s strings.Builder
	fmt.Fprintf(&s, "%s %s", id, b.State)
	for _, k := range b.Blockers {
		who := "a person"
		if k.Build != nil {
			who = k.Build.ID
		}
		fmt.Fprintf(&s, " waits for %s@%s of %s", k.Dataset.Name, k.Branch, who)
	}
	s.WriteString("\n")
	for _, j := range b.Jobs {
		fmt.Fprintf(&s, "  %s %s (%s's spec)", j.Spec.ID, j.State, j.Spec.Branch)
		for _, in := range j.Inputs {
			from := "?"
			if in.Branch != nil {
				from = in.Branch.Name
			}
			fmt.Fprintf(&s, " reads %s@%s/%s", in.Dataset.Name, from, w.tx(in.Transaction))
		}
		for _, out := range j.Outputs {
			if j.State != JobSkipped {
				fmt.Fprintf(&s, " writes %s@%s/%s", out.Dataset.Ref.Name, out.Branch.Name, w.tx(out.Transaction))
			}
		}
		s.WriteString("\n")
	}
	return s.String()
}

func (w *world) showPlan(p *Plan) string {
	var s strings.Builder
	name := fmt.Sprintf("p%d", len(w.tokens))
	w.tokens["digest "+name] = p.Digest
	fmt.Fprintf(&s, "digest %s\n", name)
	for _, r := range p.Refusals {
		fmt.Fprintf(&s, "  %s: %s\n", r.Code, w.short(r.Message))
	}
	for _, j := range p.Jobs {
		if len(p.Refusals) > 0 {
			continue
		}
		verb := "skip"
		if j.Run {
			verb = "run"
		}
		fmt.Fprintf(&s, "  %s %s: %s\n", verb, j.Spec.ID, w.short(j.Reason))
		for _, in := range j.Inputs {
			fmt.Fprintf(&s, "    reads %s: %s\n", in.Dataset.Name, in.Reason)
		}
		for _, out := range j.Outputs {
			if j.Run && out.Branch == nil {
				from := "as a root"
				if out.From != nil {
					from = "from " + out.From.Name
				}
				fmt.Fprintf(&s, "    creates %s@%s %s at %s\n", out.Dataset.Ref.Name, p.Branch, from, w.tx(out.Base))
			}
		}
	}
	return s.String()
}
