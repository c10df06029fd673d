package builder_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tributary-data/tributary/builder"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/log/logtest"
	"github.com/tributary-data/tributary/schemas/api/catalogapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a service behind HTTP with a log of its own.
type rig struct {
	t       testing.TB
	log     *log.Client
	service *builder.Service
	url     string
	clock   *clock
	stop    func()
}

// clock is time that the test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func start(tb testing.TB) *rig {
	tb.Helper()
	r := &rig{t: tb, log: logtest.Start(tb), clock: &clock{now: time.Now()}}
	r.serve()
	return r
}

// serve starts a service on the rig's log, as after a restart.
func (r *rig) serve() { r.serveWith(builder.Config{}) }

func (r *rig) serveWith(cfg builder.Config) {
	cfg.Log, cfg.Now, cfg.Tick = r.log, r.clock.Now, 10*time.Millisecond
	r.service = builder.New(cfg)
	require.NoError(r.t, r.service.Start(context.Background()))
	mux := http.NewServeMux()
	r.service.Register(mux)
	server := httptest.NewServer(mux)
	r.url = server.URL + "/api/v1/spaces/shop"
	var once sync.Once
	stop := func() {
		once.Do(func() {
			server.CloseClientConnections()
			server.Close()
			require.NoError(r.t, r.service.Stop())
			require.NoError(r.t, r.service.Stop(), "a second stop does nothing")
		})
	}
	r.t.Cleanup(stop)
	r.stop = stop
}

func (r *rig) restart() {
	r.stop()
	r.serve()
}

// post sends a request and returns the status and the answer.
func (r *rig) post(path string, v any) (int, []byte) {
	text, err := json.Marshal(v)
	require.NoError(r.t, err)
	resp, err := http.Post(r.url+path, "application/json", bytes.NewReader(text))
	require.NoError(r.t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(r.t, err)
	return resp.StatusCode, data
}

// ok sends a request that must be accepted.
func (r *rig) ok(path string, v any) catalogapi.Written {
	status, data := r.post(path+"?wait=applied", v)
	require.Equal(r.t, http.StatusOK, status, string(data))
	var w catalogapi.Written
	require.NoError(r.t, json.Unmarshal(data, &w))
	return w
}

// refused sends a request that must be refused with a code.
func (r *rig) refused(code, path string, v any) {
	status, data := r.post(path+"?wait=applied", v)
	require.Equal(r.t, http.StatusConflict, status, string(data))
	var e catalogapi.Error
	require.NoError(r.t, json.Unmarshal(data, &e))
	require.Equal(r.t, code, e.Code)
	require.NotEmpty(r.t, e.Message)
}

func (r *rig) get(path string, v any) {
	resp, err := http.Get(r.url + path)
	require.NoError(r.t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	require.NoError(r.t, err)
	require.Equal(r.t, http.StatusOK, resp.StatusCode, string(data))
	require.NoError(r.t, json.Unmarshal(data, v))
}

type object = map[string]any

func ref(name string) object { return object{"namespace": "lake", "name": name} }

func (r *rig) dataset(name string) {
	r.ok("/datasets", object{"dataset": ref(name)})
	r.ok("/branches", object{"dataset": ref(name), "branch": "master"})
}

func (r *rig) commit(name, branch string, paths ...string) string {
	t := r.ok("/transactions", object{"dataset": ref(name), "branch": branch, "type": "SNAPSHOT"}).Transaction
	var put []object
	for _, p := range paths {
		put = append(put, object{"path": p})
	}
	r.ok("/transactions/"+t+"/commit", object{"put": put})
	return t
}

func (r *rig) publish(branch, id, in, out string) {
	r.ok("/job-specs", object{"branch": branch, "specs": []object{{
		"id": id, "inputs": []object{{"dataset": ref(in)}}, "outputs": []object{{"dataset": ref(out)}}, "logic": object{"text": "v1"}, "engine": "test",
	}}})
}

func (r *rig) claim() catalogapi.Claim {
	var c catalogapi.Claim
	require.Eventually(r.t, func() bool {
		status, data := r.post("/runner/claim", object{"runner": "r1", "wait_seconds": 1})
		if status != http.StatusOK {
			return false
		}
		require.NoError(r.t, json.Unmarshal(data, &c))
		return true
	}, 20*time.Second, 10*time.Millisecond)
	return c
}

func (r *rig) build(id string) catalogapi.Build {
	var b catalogapi.Build
	r.get("/builds/"+id, &b)
	return b
}

func TestBranchesOverHTTP(t *testing.T) {
	r := start(t)
	r.dataset("A")
	t1 := r.commit("A", "master", "a", "b")
	r.ok("/branches", object{"dataset": ref("A"), "branch": "f", "parent": object{"branch": "master"}})
	r.refused("BranchExists", "/branches", object{"dataset": ref("A"), "branch": "f"})
	r.refused("ParentNotFound", "/branches", object{"dataset": ref("A"), "branch": "g", "parent": object{"branch": "x"}})
	r.refused("DatasetNotFound", "/branches", object{"dataset": ref("nowhere"), "branch": "g"})
	open := r.ok("/transactions", object{"dataset": ref("A"), "branch": "f", "type": "APPEND"}).Transaction
	r.refused("OpenTransactionAlreadyExists", "/transactions", object{"dataset": ref("A"), "branch": "f", "type": "APPEND"})
	r.refused("FileAlreadyInView", "/transactions/"+open+"/commit", object{"put": []object{{"path": "a"}}})
	r.refused("InvalidManifest", "/transactions/"+open+"/commit", object{"put": []object{{"path": "../a"}}})
	r.refused("InvalidManifest", "/transactions/"+open+"/commit", object{"put": []object{{"path": "c"}, {"path": "c"}}})
	last := r.ok("/transactions/"+open+"/commit", object{"put": []object{{"path": "c", "rows": 3}}})

	var branches catalogapi.BranchList
	r.get("/branches?namespace=lake&name=A", &branches)
	require.Len(t, branches.Branches, 2)
	require.Equal(t, "master", branches.Branches[0].Parent)
	require.Equal(t, t1, branches.Branches[1].Head)
	var view catalogapi.View
	r.get(fmt.Sprintf("/view?namespace=lake&name=A&branch=f&min_position=%d", last.Offset), &view)
	require.Equal(t, int64(3), view.Files)
	require.Equal(t, "c", view.List[2].Path)
	r.get(fmt.Sprintf("/view?namespace=lake&name=A&branch=f&at=%d", last.Offset-1), &view)
	require.Equal(t, int64(2), view.Files)

	r.ok("/branches/delete", object{"dataset": ref("A"), "branch": "f"})
	require.Equal(t, 1, r.ok("/branches/restore", object{"dataset": ref("A"), "branch": "f"}).Incarnation)
	r.ok("/protections", object{"branch": "f"})
	r.refused("BranchProtected", "/branches/delete", object{"dataset": ref("A"), "branch": "f"})
}

func TestSpacesThatHoldNothingAreNotListed(t *testing.T) {
	r := start(t)
	r.dataset("A")
	r.dataset("B")
	r.publish("master", "s", "A", "B")
	other := *r
	other.url = strings.TrimSuffix(r.url, "shop") + "typo"
	other.refused("DatasetNotFound", "/branches", object{"dataset": ref("A"), "branch": "f"})

	var list catalogapi.SpaceList
	root := *r
	root.url = strings.TrimSuffix(r.url, "/shop")
	root.get("", &list)
	require.Equal(t, []catalogapi.SpaceSummary{{Name: "shop", Datasets: 2, SpecBranches: []string{"master"}}}, list.Spaces)
}

func TestRepeatedRequestHasTheFirstOutcome(t *testing.T) {
	r := start(t)
	r.dataset("A")
	send := func() catalogapi.Written {
		req, err := http.NewRequest(http.MethodPost, r.url+"/transactions?wait=applied", bytes.NewReader([]byte(`{"dataset":{"namespace":"lake","name":"A"},"branch":"master","type":"APPEND"}`)))
		require.NoError(t, err)
		req.Header.Set("Idempotency-Key", "k1")
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		require.Equal(t, http.StatusOK, resp.StatusCode)
		var w catalogapi.Written
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&w))
		return w
	}
	first, second := send(), send()
	require.False(t, first.Repeat)
	require.True(t, second.Repeat)
	require.Equal(t, first.Transaction, second.Transaction)
	require.Equal(t, first.Offset, second.Offset)
}

func TestBuildOverHTTP(t *testing.T) {
	r := start(t)
	r.dataset("A")
	a1 := r.commit("A", "master", "a")
	r.publish("master", "b", "A", "B")
	r.publish("master", "c", "B", "C")
	var plan catalogapi.Plan
	status, data := r.post("/plan", object{"branch": "f", "fallbacks": []string{"master"}, "targets": []object{ref("C")}, "mode": "upstream"})
	require.Equal(t, http.StatusOK, status)
	require.NoError(t, json.Unmarshal(data, &plan))
	require.Len(t, plan.Jobs, 2)
	require.Equal(t, "RUN", plan.Jobs[0].State)
	require.Len(t, plan.Creates, 2)

	r.ok("/builds", object{"build": "b1", "branch": "f", "fallbacks": []string{"master"}, "targets": []object{ref("C")}, "mode": "upstream", "plan_digest": plan.Digest})
	r.refused("PlanStale", "/builds", object{"build": "b2", "branch": "f", "fallbacks": []string{"master"}, "targets": []object{ref("C")}, "mode": "upstream", "plan_digest": plan.Digest})
	for _, want := range []string{"b", "c"} {
		c := r.claim()
		require.Equal(t, want, c.Spec.ID)
		require.Len(t, c.Inputs, 1)
		if want == "b" {
			require.Equal(t, []string{a1}, c.Inputs[0].Transactions)
			r.lies(c)
		}
		w := r.ok("/runner/finish", object{"build": c.Build, "job": c.Job, "token": c.Token,
			"outputs": []object{{"dataset": ref(c.Outputs[0].Dataset.Name), "put": []object{{"path": "part-0"}}}}})
		require.Equal(t, "COMPLETED", w.JobState)
	}
	require.Equal(t, "SUCCEEDED", r.build("b1").State)
	var branches catalogapi.BranchList
	r.get("/branches?namespace=lake&name=A", &branches)
	require.Len(t, branches.Branches, 1, "nothing is made on what is only read")
}

// lies says what no honest runner of the attempt would.
func (r *rig) lies(c catalogapi.Claim) {
	r.refused("StaleAttempt", "/runner/finish", object{"build": c.Build, "job": c.Job, "token": "foreign"})
	r.refused("UnknownOutput", "/runner/finish", object{"build": c.Build, "job": c.Job, "token": c.Token, "outputs": []object{{"dataset": ref("A")}}})
	r.refused("JobNotFound", "/runner/finish", object{"build": c.Build, "job": 7, "token": c.Token})
	r.refused("JobNotReady", "/runner/stopped", object{"build": c.Build, "job": c.Job, "token": c.Token})
	r.refused("TransactionHeldByBuild", "/transactions/"+c.Outputs[0].Transaction+"/commit", object{})
	r.refused("BranchInUse", "/branches/delete", object{"dataset": ref("B"), "branch": "f"})
}

func TestRunnerThatDiesLosesItsLease(t *testing.T) {
	r := start(t)
	r.dataset("A")
	r.commit("A", "master", "a")
	r.publish("master", "b", "A", "B")
	r.ok("/builds", object{"build": "b1", "branch": "master", "targets": []object{ref("B")}, "retries": 1})
	first := r.claim()
	status, _ := r.post("/runner/heartbeat", object{"build": first.Build, "job": first.Job, "token": first.Token})
	require.Equal(t, http.StatusOK, status)

	r.restart()
	require.Equal(t, "RUNNING", r.build("b1").Jobs[0].State, "an attempt outlives the builder")
	second := r.afterLease("b1")
	require.Equal(t, 2, second.Attempt)
	require.NotEqual(t, first.Outputs[0].Transaction, second.Outputs[0].Transaction)
	r.refused("StaleAttempt", "/runner/finish", object{"build": "b1", "job": 0, "token": first.Token})
	r.ok("/runner/finish", object{"build": "b1", "job": 0, "token": second.Token})
	require.Equal(t, "SUCCEEDED", r.build("b1").State)
}

// afterLease moves the clock until the first attempt is void, and claims the next.
func (r *rig) afterLease(build string) catalogapi.Claim {
	require.Eventually(r.t, func() bool {
		r.clock.move(40 * time.Second)
		return r.build(build).Jobs[0].Attempts[0].State == "EXPIRED"
	}, 20*time.Second, 20*time.Millisecond)
	return r.claimRetry()
}

// claimRetry claims a job that is tried again, once its wait is over.
func (r *rig) claimRetry() catalogapi.Claim {
	status, _ := r.post("/runner/claim", object{"runner": "r2"})
	require.Equal(r.t, http.StatusNoContent, status, "the retry waits first")
	r.clock.move(time.Minute)
	return r.claim()
}

// TestManyClientsOnOneBranch opens and commits with 64 clients on one branch: no acknowledged commit is
// lost, each refusal has its code, and the order is linear.
func TestManyClientsOnOneBranch(t *testing.T) {
	r := start(t)
	r.dataset("A")
	var mu sync.Mutex
	type interval struct{ opened, closed int64 }
	committed := map[string]interval{}
	var clients sync.WaitGroup
	for client := range 64 {
		clients.Go(func() {
			for n := range 6 {
				status, data := r.post("/transactions?wait=applied", object{"dataset": ref("A"), "branch": "master", "type": "APPEND"})
				if status == http.StatusConflict {
					var e catalogapi.Error
					if json.Unmarshal(data, &e) != nil || e.Code != "OpenTransactionAlreadyExists" {
						t.Errorf("refused with %s", data)
					}
					continue
				}
				var open catalogapi.Written
				if status != http.StatusOK || json.Unmarshal(data, &open) != nil {
					t.Errorf("open answered %d %s", status, data)
					continue
				}
				path := fmt.Sprintf("c%d/n%d", client, n)
				status, data = r.post("/transactions/"+open.Transaction+"/commit?wait=applied", object{"put": []object{{"path": path}}})
				var done catalogapi.Written
				if status != http.StatusOK || json.Unmarshal(data, &done) != nil {
					t.Errorf("commit answered %d %s", status, data)
					continue
				}
				mu.Lock()
				committed[open.Transaction] = interval{open.Offset, done.Offset}
				mu.Unlock()
			}
		})
	}
	clients.Wait()
	require.NotEmpty(t, committed)
	var list catalogapi.TransactionList
	r.get("/transactions?namespace=lake&name=A&branch=master&limit=1000", &list)
	require.Len(t, list.Transactions, len(committed), "every acknowledged commit is in the history, and no other")
	slices.Reverse(list.Transactions)
	last := int64(-1)
	for _, x := range list.Transactions {
		require.Equal(t, committed[x.Id], interval{x.Opened, x.Closed}) //nolint:testifylint // what was acknowledged is expected
		require.Less(t, last, x.Opened)
		require.Less(t, x.Opened, x.Closed)
		last = x.Closed
	}
}

func TestBadRequests(t *testing.T) {
	r := start(t)
	r.dataset("A")
	for _, c := range []struct {
		path, body string
		status     int
		code       string
	}{
		{"/branches", `{`, 400, "InvalidRequest"},
		{"/branches?wait=soon", `{}`, 400, "InvalidRequest"},
		{"/branches?wait=applied", `{"dataset":{"namespace":"lake","name":"A"},"branch":" x"}`, 409, "InvalidBranchName"},
		{"/branches?wait=applied", `{"dataset":{"namespace":"lake","name":"A"},"branch":"0b5f5b0e-6a2a-4d0e-9a53-7a7c6cf1d1c5"}`, 409, "InvalidBranchName"},
		{"/transactions?wait=applied", `{"dataset":{"namespace":"lake","name":"A"},"branch":"master","type":"MERGE"}`, 409, "InvalidTransaction"},
		{"/builds?wait=applied", `{"branch":"master","targets":[]}`, 409, "InvalidBuild"},
		{"/builds?wait=applied", `{"branch":"master","targets":[{"namespace":"lake","name":"A"}]}`, 409, "JobSpecNotFound"},
		{"/job-specs?wait=applied", `{"branch":"master","specs":[{"id":"x","outputs":[]}]}`, 409, "InvalidJobSpec"},
		{"/runner/claim", `{}`, 400, "InvalidRequest"},
	} {
		resp, err := http.Post(r.url+c.path, "application/json", bytes.NewReader([]byte(c.body)))
		require.NoError(t, err)
		var e catalogapi.Error
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&e))
		require.NoError(t, resp.Body.Close())
		require.Equal(t, c.status, resp.StatusCode, c.path+" "+c.body)
		require.Equal(t, c.code, e.Code)
	}
	resp, err := http.Get(r.url + "/view?namespace=lake&name=A&branch=nope")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusNotFound, resp.StatusCode)
	w := r.ok("/branches", object{"dataset": ref("A"), "branch": "x"})
	require.Equal(t, catalogapi.WrittenStateAccepted, w.State)
}
