package blackbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/api/catalogapi"
)

// catalogLoad is people and runners who work on a space until its server is gone, and what was acknowledged.
type catalogLoad struct {
	mu       sync.Mutex
	sent     int
	accepted map[int64]string // by offset: the event's id
	claims   []catalogapi.Claim
	// engine is that of the job specs; with one, real runners do most of the jobs.
	engine string
}

// try sends a request that waits to be judged; ok is false once the server is gone.
func (l *catalogLoad) try(base, path string, body any, into any) (status int, ok bool) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, false
	}
	status, answer, err := call(http.MethodPost, base+"/api/v1/spaces/"+killSpace+path+"?wait=applied", "application/json", bytes.NewReader(text))
	if err != nil {
		return 0, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent++
	var w catalogapi.Written
	if status == http.StatusOK && json.Unmarshal(answer, &w) == nil && w.Id != "" {
		l.accepted[w.Offset] = w.Id
	}
	if into != nil && status == http.StatusOK {
		_ = json.Unmarshal(answer, into)
	}
	return status, true
}

// step does something that people or runners do.
func (l *catalogLoad) step(base string, r *rand.Rand) bool {
	ds := catalogRef(fmt.Sprint("D", r.IntN(3)))
	branch := []string{"master", "f", "g"}[r.IntN(3)]
	switch r.IntN(9) {
	case 0:
		_, ok := l.try(base, "/branches", object{"dataset": ds, "branch": branch, "parent": object{"branch": "master"}}, nil)
		return ok
	case 1:
		_, ok := l.try(base, "/branches/delete", object{"dataset": ds, "branch": []string{"f", "g"}[r.IntN(2)]}, nil)
		return ok
	case 2, 3:
		var w catalogapi.Written
		status, ok := l.try(base, "/transactions", object{"dataset": catalogRef("D0"), "branch": branch, "type": "APPEND"}, &w)
		if ok && status == http.StatusOK {
			_, ok = l.try(base, "/transactions/"+w.Transaction+"/commit", object{"put": []object{{"path": fmt.Sprint("p", r.Uint64())}}}, nil)
		}
		return ok
	case 4, 5:
		if crowded(base) {
			return true
		}
		_, ok := l.try(base, "/builds", object{"branch": branch, "fallbacks": []string{"master"}[:map[bool]int{true: 0, false: 1}[branch == "master"]],
			"targets": []object{catalogRef("D2")}, "mode": "upstream", "retries": 2, "force": r.IntN(2) == 0}, nil)
		return ok
	}
	if l.engine != "" && r.IntN(3) > 0 {
		_, ok := l.try(base, "/plan", object{"branch": branch, "targets": []object{catalogRef("D2")}, "mode": "upstream"}, nil)
		return ok
	}
	return l.runner(base, r)
}

// crowded says that so many builds wait that asking for more would only make the end of the test late.
func crowded(base string) bool {
	const many = 150
	status, answer, err := call(http.MethodGet, base+"/api/v1/spaces", "", nil)
	var list catalogapi.SpaceList
	if err != nil || status != http.StatusOK || json.Unmarshal(answer, &list) != nil {
		return false // the server is gone, which the next request tells
	}
	return slices.ContainsFunc(list.Spaces, func(s catalogapi.SpaceSummary) bool { return s.Queued >= many })
}

// runner claims a job and mostly ends it; what it leaves may be sent late, after its lease.
func (l *catalogLoad) runner(base string, r *rand.Rand) bool {
	var c catalogapi.Claim
	status, ok := l.try(base, "/runner/claim", object{"runner": "r", "wait_seconds": 0}, &c)
	if !ok || status != http.StatusOK {
		return ok
	}
	switch r.IntN(4) {
	case 0: // this runner dies
		l.mu.Lock()
		l.claims = append(l.claims, c)
		l.mu.Unlock()
		return true
	case 1:
		_, ok = l.try(base, "/runner/fail", object{"build": c.Build, "job": c.Job, "token": c.Token, "message": "broken"}, nil)
		return ok
	}
	_, ok = l.try(base, "/runner/finish", object{"build": c.Build, "job": c.Job, "token": c.Token,
		"outputs": []object{{"dataset": c.Outputs[0].Dataset, "put": []object{{"path": fmt.Sprint("p", r.Uint64())}}}}}, nil)
	return ok
}

// setUpEvents is how many events setUp makes: three datasets, their branches, and two job specs as one.
const setUpEvents = 7

// setUp makes datasets and job specs; what is there already is refused, which is fine.
func (l *catalogLoad) setUp(base string) {
	for i := range 3 {
		l.try(base, "/datasets", object{"dataset": catalogRef(fmt.Sprint("D", i))}, nil)
		l.try(base, "/branches", object{"dataset": catalogRef(fmt.Sprint("D", i)), "branch": "master"}, nil)
	}
	var specs []object
	for i := 1; i < 3; i++ {
		specs = append(specs, object{"id": fmt.Sprint("j", i), "inputs": []object{{"dataset": catalogRef(fmt.Sprint("D", i-1))}},
			"outputs": []object{{"dataset": catalogRef(fmt.Sprint("D", i)), "type": "APPEND"}},
			"logic":   object{"text": "v"}, "engine": l.engine, "properties": object{"program": "work"}})
	}
	l.try(base, "/job-specs", object{"branch": "master", "specs": specs}, nil)
}

func (l *catalogLoad) run(base string, seed uint64) {
	l.setUp(base)
	var clients sync.WaitGroup
	for n := range 6 {
		clients.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			for l.step(base, r) {
			}
		})
	}
	clients.Wait()
}

// TestCatalogKilledAtRandomMoments kills server, builder and runners at random moments: nothing acknowledged
// is lost, the state is that of a fold of the log, and no attempt's late result counts.
func TestCatalogKilledAtRandomMoments(t *testing.T) {
	s := seed(t)
	r := rand.New(rand.NewPCG(s, 0))
	dir := t.TempDir()
	l := &catalogLoad{accepted: map[int64]string{}}
	n := rounds(t, 3, 50)
	for range n {
		p := serve(t, dir, "--builder-lease", "1s")
		dies := time.AfterFunc(time.Duration(100+r.IntN(900))*time.Millisecond, func() { _ = p.cmd.Process.Kill() })
		l.run(p.URL, r.Uint64())
		<-p.done
		dies.Stop()
	}
	p := serve(t, dir, "--builder-lease", "1s")
	client := connect(t, p.Brokers)
	settleCatalog(t, client)
	l.sendLate(t, p.URL)
	h := readCatalog(t, client)
	h.require(t, p.URL, p.Store, l.accepted)
	l.logf(t, h)
	require.Zero(t, p.interrupt())
}

// sendLate sends the results of the runners that died.
func (l *catalogLoad) sendLate(t *testing.T, base string) {
	t.Helper()
	for _, c := range l.claims {
		status, ok := l.try(base, "/runner/finish", object{"build": c.Build, "job": c.Job, "token": c.Token, "outputs": []object{{"dataset": c.Outputs[0].Dataset, "put": []object{{"path": "late/" + c.Outputs[0].Transaction}}}}}, nil)
		require.True(t, ok)
		require.Equal(t, http.StatusConflict, status, "a late result is refused")
	}
}

func (l *catalogLoad) logf(t *testing.T, h catalogHistory) {
	t.Helper()
	states := map[string]int{}
	for _, b := range h.space.Builds {
		for _, j := range b.Jobs {
			for _, a := range j.Attempts {
				states[a.State.String()]++
			}
		}
	}
	t.Logf("%d requests, %d acknowledged, %d builds, attempts %v, %d late results refused", l.sent, len(l.accepted), len(h.space.Builds), states, len(l.claims))
}
