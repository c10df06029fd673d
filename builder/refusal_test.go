package builder_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// picture is all that can be asked of the space, but for the list of builds, which names refused ones.
func (r *rig) picture() string {
	var all strings.Builder
	ask := func(path string) {
		var answer any
		r.get(path, &answer)
		if fields, ok := answer.(map[string]any); ok {
			delete(fields, "position")
		}
		text, err := json.Marshal(answer)
		require.NoError(r.t, err)
		fmt.Fprintln(&all, path, string(text))
	}
	ask("/datasets")
	for _, branch := range []string{"master", "f"} {
		ask("/job-specs?branch=" + branch)
	}
	for _, name := range []string{"A", "B"} {
		ask("/branches?namespace=lake&name=" + name)
		ask("/transactions?namespace=lake&name=" + name + "&branch=master")
		ask("/view?namespace=lake&name=" + name + "&branch=master")
	}
	ask("/builds/b1")
	return all.String()
}

// TestBadInputIsRefusedAndChangesNothing sends what must not be taken, each over HTTP, and finds everything
// as it was.
func TestBadInputIsRefusedAndChangesNothing(t *testing.T) {
	r := start(t)
	for _, name := range []string{"A", "B", "never"} {
		r.dataset(name)
	}
	r.commit("A", "master", "a")
	r.commit("B", "master", "b")
	open := r.ok("/transactions", object{"dataset": ref("A"), "branch": "master", "type": "APPEND"}).Transaction
	r.publish("master", "held", "B", "H")
	r.ok("/builds", object{"build": "b1", "branch": "master", "targets": []object{ref("H")}})
	c := r.claim()
	spec := func(branch, id, in, out string) { r.publish(branch, id, in, out) }
	spec("f", "x", "Y", "X")
	spec("f", "y", "X", "Y")
	spec("f", "p1", "A", "P")
	spec("f", "p2", "A", "P")
	spec("f", "m", "never", "M")
	spec("f", "n", "nowhere", "N")
	spec("f", "ok", "B", "OK")
	var plan struct{ Digest string }
	build := func(target string, more object) object {
		b := object{"branch": "f", "fallbacks": []string{"master"}, "targets": []object{ref(target)}, "mode": "upstream"}
		maps.Copy(b, more)
		return b
	}
	status, text := r.post("/plan", build("OK", nil))
	require.Equal(t, http.StatusOK, status)
	require.NoError(t, json.Unmarshal(text, &plan))
	spec("f", "ok", "A", "OK") // what was planned is no more
	word := func(token string, outputs ...object) object {
		return object{"build": c.Build, "job": c.Job, "token": token, "outputs": outputs}
	}
	put := func(paths ...string) object {
		var files []object
		for _, p := range paths {
			files = append(files, object{"path": p})
		}
		return object{"put": files}
	}
	before := r.picture()
	for _, bad := range []struct {
		what, code, path string
		body             object
	}{
		{"unknown branch, to write on", "BranchNotFound", "/transactions", object{"dataset": ref("B"), "branch": "nope", "type": "APPEND"}},
		{"unknown branch, to delete", "BranchNotFound", "/branches/delete", object{"dataset": ref("B"), "branch": "nope"}},
		{"unknown branch, as parent", "ParentNotFound", "/branches", object{"dataset": ref("B"), "branch": "g", "parent": object{"branch": "nope"}}},
		{"wrong name", "InvalidBranchName", "/branches", object{"dataset": ref("B"), "branch": "a\tb"}},
		{"name like a transaction", "InvalidBranchName", "/branches", object{"dataset": ref("B"), "branch": open}},
		{"cycle of job specs", "JobSpecCycle", "/builds", build("X", nil)},
		{"two producers", "TwoProducers", "/builds", build("P", nil)},
		{"input without data", "MissingInput", "/builds", build("M", nil)},
		{"input that is no dataset", "MissingInput", "/builds", build("N", nil)},
		{"stale plan", "PlanStale", "/builds", build("OK", object{"plan_digest": plan.Digest})},
		{"foreign token", "StaleAttempt", "/runner/finish", word("foreign")},
		{"foreign token, failing", "StaleAttempt", "/runner/fail", word("foreign")},
		{"foreign token, adding files", "StaleAttempt", "/transactions/" + c.Outputs[0].Transaction + "/files", object{"token": "foreign", "put": []object{{"path": "x"}}}},
		{"lie about the output", "UnknownOutput", "/runner/finish", word(c.Token, object{"dataset": ref("A")})},
		{"lie about the job", "JobNotFound", "/runner/finish", object{"build": c.Build, "job": 7, "token": c.Token}},
		{"lie about stopping", "JobNotReady", "/runner/stopped", word(c.Token)},
		{"runner's bad path", "InvalidManifest", "/runner/finish", word(c.Token, object{"dataset": ref("H"), "put": []object{{"path": "/etc/passwd"}}})},
		{"duplicate path", "InvalidManifest", "/transactions/" + open + "/commit", put("c", "c")},
		{"absolute path", "InvalidManifest", "/transactions/" + open + "/commit", put("/c")},
		{"path out of the dataset", "InvalidManifest", "/transactions/" + open + "/commit", put("c/../../d")},
		{"path that is there", "FileAlreadyInView", "/transactions/" + open + "/commit", put("a")},
	} {
		t.Run(bad.what, func(*testing.T) {
			r.refused(bad.code, bad.path, bad.body)
			require.Equal(r.t, before, r.picture(), bad.what)
		})
	}
	status, _ = r.post("/runner/heartbeat", word("foreign"))
	require.Equal(t, http.StatusConflict, status)
	r.ok("/runner/finish", word(c.Token, object{"dataset": ref("H"), "put": []object{{"path": "h"}}}))
	require.Equal(t, "SUCCEEDED", r.build("b1").State)
}
