package builder_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/api/catalogapi"
)

// claimLater claims a job of a space on which no attempt is live, as soon as the builder drives it and the
// wait before a retry is over.
func (r *rig) claimLater() (c catalogapi.Claim) {
	require.Eventually(r.t, func() bool {
		status, data := r.post("/runner/claim", object{"runner": "r1"})
		if status != http.StatusOK {
			r.clock.move(time.Second)
			return false
		}
		return json.Unmarshal(data, &c) == nil
	}, 20*time.Second, 2*time.Millisecond)
	return c
}

// life are the steps of builds that fail, lose a lease, are queued, aborted and succeed. Each makes an event,
// by a person, a runner or the builder's own decision.
func life() []func(r *rig) {
	var c catalogapi.Claim
	word := func(more object) object {
		body := object{"build": c.Build, "job": c.Job, "token": c.Token}
		maps.Copy(body, more)
		return body
	}
	claim := func(r *rig) { c = r.claimLater() }
	finish := func(r *rig) {
		r.ok("/runner/finish", word(object{"outputs": []object{{"dataset": ref(c.Outputs[0].Dataset.Name), "put": []object{{"path": fmt.Sprint("part-", c.Attempt)}}}}}))
	}
	request := func(id string, more object) func(r *rig) {
		return func(r *rig) {
			body := object{"build": id, "branch": "f", "fallbacks": []string{"master"}, "targets": []object{ref("C")}, "mode": "upstream", "retries": 2}
			maps.Copy(body, more)
			r.ok("/builds", body)
		}
	}
	return []func(r *rig){
		request("b1", nil), request("b2", object{"force": true}), request("b3", nil),
		claim, func(r *rig) { r.ok("/runner/fail", word(object{"message": "broken"})) },
		claim, func(r *rig) { // the runner is never heard of again
			require.Eventually(r.t, func() bool {
				r.clock.move(40 * time.Second)
				return r.build("b1").Jobs[0].Attempts[1].State == "EXPIRED"
			}, 20*time.Second, 10*time.Millisecond)
		},
		claim, finish, claim, finish,
		claim, func(r *rig) { r.ok("/builds/b2/abort", object{"reason": "not wanted"}) },
		func(r *rig) { r.ok("/runner/stopped", word(nil)) },
	}
}

// outcome is what came of the builds, without ids and times.
func (r *rig) outcome() string {
	text := ""
	for _, id := range []string{"b1", "b2", "b3"} {
		b := r.build(id)
		text += fmt.Sprintln(id, b.State, b.Digest != "")
		for _, j := range b.Jobs {
			text += fmt.Sprintln(" ", j.Spec, j.State, j.Code, len(j.Outputs))
			for _, a := range j.Attempts {
				text += fmt.Sprintln("   ", a.State, a.Message)
			}
		}
	}
	for _, name := range []string{"A", "B", "C"} {
		var branches catalogapi.BranchList
		r.get("/branches?namespace=lake&name="+name, &branches)
		for _, b := range branches.Branches {
			var v catalogapi.View
			r.get("/view?namespace=lake&name="+name+"&branch="+b.Name, &v)
			text += fmt.Sprintln(name, b.Name, b.Parent, b.HeadState)
			for _, f := range v.List {
				text += fmt.Sprintln("   ", f.Path)
			}
		}
	}
	return text
}

// TestBuilderCrashesAtEveryBoundary restarts the builder before each event of a life of builds, and after the
// last: what comes of it is what comes of a life without a restart.
func TestBuilderCrashesAtEveryBoundary(t *testing.T) {
	live := func(crash int) string {
		r := start(t)
		defer r.stop()
		r.dataset("A")
		r.commit("A", "master", "a")
		r.publish("master", "b", "A", "B")
		r.publish("master", "c", "B", "C")
		steps := life()
		for i, step := range steps {
			if i == crash {
				r.restart()
			}
			step(r)
		}
		if crash == len(steps) {
			r.restart()
		}
		return r.outcome()
	}
	want := live(-1)
	require.Contains(t, want, "b1 SUCCEEDED")
	require.Contains(t, want, "b2 CANCELED")
	require.Contains(t, want, "EXPIRED")
	for crash := range len(life()) + 1 {
		require.Equal(t, want, live(crash), "restarted before step %d", crash)
	}
}
