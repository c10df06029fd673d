package catalog

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/event"
)

// The invariants of builds. What a plan must say is worked out once more here, plainly.

// plainProducer finds the job spec of a dataset by reading all specs of the chain.
func plainProducer(s *Space, chain []string, d event.CatalogDataset) (found *Spec, producers int) {
	for i, branch := range chain {
		var list []*Spec
		for _, spec := range s.Specs(branch) {
			if writes(spec, d) && !plainHidden(s, chain[:i], spec) {
				list = append(list, spec)
			}
		}
		if len(list) > 0 {
			if list[0].Withdrawn {
				return nil, len(list)
			}
			return list[0], len(list)
		}
	}
	return nil, 0
}

func plainHidden(s *Space, earlier []string, spec *Spec) bool {
	for _, branch := range earlier {
		for _, other := range s.Specs(branch) {
			for _, out := range other.Outputs {
				if writes(spec, out.Dataset) {
					return true
				}
			}
		}
	}
	return false
}

func writes(spec *Spec, d event.CatalogDataset) bool {
	return slices.ContainsFunc(spec.Outputs, func(o event.SpecOutput) bool { return o.Dataset == d })
}

// plainRead finds what an input that the build does not produce is read from.
func plainRead(s *Space, chain []string, d event.CatalogDataset) (*Branch, *Transaction) {
	for _, name := range chain {
		if ds := s.Dataset(d); ds != nil && ds.Branches[name] != nil && ds.Branches[name].Committed() != nil {
			return ds.Branches[name], ds.Branches[name].Committed()
		}
	}
	return nil, nil
}

// plainFresh says whether a job's outputs are as it would make them, reading nothing but the record.
func plainFresh(s *Space, chain []string, p *Plan, job *PlanJob) bool {
	var run *Job
	for i, out := range job.Spec.Outputs {
		var b *Branch
		for _, name := range chain {
			if b == nil && s.Dataset(out.Dataset) != nil {
				b = s.Dataset(out.Dataset).Branches[name]
			}
		}
		if b == nil || b.Committed() == nil || b.Committed().Job == nil || i > 0 && b.Committed().Job != run {
			return false
		}
		run = b.Committed().Job
	}
	if run.Spec.ID != job.Spec.ID || run.Hash != job.Spec.Hash || len(run.Inputs) != len(job.Spec.Inputs) {
		return false
	}
	for i, in := range job.Spec.Inputs {
		_, read := plainRead(s, chain, in.Dataset)
		for _, up := range p.Jobs {
			if writes(up.Spec, in.Dataset) && up.Run {
				return false
			}
		}
		if run.Inputs[i].Dataset != in.Dataset || run.Inputs[i].Transaction != read {
			return false
		}
	}
	return true
}

func chainOf(req *event.BuildRequested) []string {
	return append([]string{req.Branch}, req.Fallbacks...)
}

// eachPlan calls fn with the plan of a random request at every position.
func eachPlan(t *testing.T, fn func(w *walk, req *event.BuildRequested, p *Plan)) {
	t.Helper()
	check(t, func(w *walk, _ *Event, _ Outcome) {
		req := w.requestBuild()
		req.PlanDigest = ""
		fn(w, req, w.space().Plan(req))
	})
}

// 17. The same request at the same log position gives the same plan, always.
func TestInvariant17(t *testing.T) {
	eachPlan(t, func(w *walk, req *event.BuildRequested, p *Plan) {
		again := w.space().Plan(req)
		require.Equal(w.t, w.showPlanText(p), w.showPlanText(again))
		if w.dice.roll(8) > 0 {
			return
		}
		restored, err := Restore(w.state.Snapshot())
		require.NoError(w.t, err)
		require.Equal(w.t, w.showPlanText(p), w.showPlanText(restored.Space(testSpace).Plan(req)))
	})
}

func (w *world) showPlanText(p *Plan) string {
	var s strings.Builder
	fmt.Fprintln(&s, p.Digest, p.Refusals)
	for _, j := range p.Jobs {
		fmt.Fprintln(&s, j.Index, j.Spec.ID, j.Spec.Branch, j.Run, j.Incremental, j.Reason, j.Upstream)
		for _, in := range j.Inputs {
			fmt.Fprintln(&s, in.Dataset, in.Job, w.tx(in.Transaction), w.tx(in.Since), in.Reason)
		}
	}
	for _, k := range p.Blockers {
		fmt.Fprintln(&s, k.Dataset, k.Branch, w.tx(k.Transaction), k.Input)
	}
	return s.String()
}

// 18. A refused build leaves no branch, transaction or lock behind.
func TestInvariant18(t *testing.T) {
	checkChange(t, func(w *walk, e *Event, out Outcome) {
		if _, ok := e.Data.(*event.BuildRequested); ok && !out.Accepted() {
			require.Equal(w.t, w.before.picture, picture(w.space()))
		}
		for _, b := range w.space().Builds {
			if b.State == BuildRefused {
				require.Empty(w.t, b.Jobs)
				require.Empty(w.t, b.Created)
				require.False(w.t, slices.Contains(w.space().Queue, b))
				requireHoldsNothing(w, b)
			}
		}
	})
}

func requireHoldsNothing(w *walk, b *Build) {
	for _, x := range w.space().Transactions() {
		require.False(w.t, x.Job != nil && x.Job.Build == b && x.State == Open)
	}
}

// 19. Every branch event that a build causes names the build branch; other branches move only with an
// OPEN transaction that they share.
func TestInvariant19(t *testing.T) {
	checkChange(t, func(w *walk, _ *Event, _ Outcome) {
		for _, c := range w.state.Changes().History {
			if c.Build == nil || c.Branch.Name == c.Build.Request.Branch || c.Cause == BranchReparented {
				continue
			}
			require.Contains(w.t, []BranchCause{BranchCommitted, BranchAborted}, c.Cause)
			shared := w.before.heads[c.Branch]
			require.NotNil(w.t, shared)
			require.Equal(w.t, c.Build.Request.Branch, shared.Branch.Name)
		}
	})
}

// 20. No branch appears on a dataset that is only read.
func TestInvariant20(t *testing.T) {
	check(t, func(w *walk, _ *Event, _ Outcome) {
		for _, c := range w.state.Changes().History {
			if c.Cause == BranchMade && c.Build != nil {
				require.True(w.t, slices.ContainsFunc(c.Build.Jobs, func(j *Job) bool {
					return j.State != JobSkipped && writes(j.Spec, c.Branch.Dataset.Ref)
				}))
			}
		}
	})
}

// 21. A created output branch's parent is the first existing fallback, or none.
func TestInvariant21(t *testing.T) {
	check(t, func(w *walk, e *Event, _ Outcome) {
		made := map[*Branch]bool{}
		for _, c := range w.state.Changes().History {
			if c.Cause != BranchMade || c.Build == nil {
				continue
			}
			made[c.Branch] = true
			var want *Branch
			for _, name := range c.Build.Request.Fallbacks {
				b := c.Branch.Dataset.Branches[name]
				if want == nil && b != nil && (b.Created < e.Offset || made[b]) {
					want = b
				}
			}
			require.Equal(w.t, want, c.Parent)
		}
	})
}

// 22. For every input, no readable branch earlier in the chain was passed over.
func TestInvariant22(t *testing.T) {
	eachPlan(t, func(w *walk, req *event.BuildRequested, p *Plan) {
		for _, j := range p.Jobs {
			for _, in := range j.Inputs {
				if in.Job >= 0 && p.Jobs[in.Job].Run || in.Reason == "" {
					continue
				}
				b, x := plainRead(w.space(), chainOf(req), in.Dataset)
				require.Equal(w.t, x, in.Transaction)
				require.Equal(w.t, b, in.Branch)
			}
		}
	})
}

// 23. At most one producer for an output in a build; and each is the one that the chain gives.
func TestInvariant23(t *testing.T) {
	eachPlan(t, func(w *walk, req *event.BuildRequested, p *Plan) {
		if len(p.Refusals) == 0 {
			seen := map[event.CatalogDataset]bool{}
			for _, j := range p.Jobs {
				for _, out := range j.Spec.Outputs {
					require.False(w.t, seen[out.Dataset])
					seen[out.Dataset] = true
				}
			}
		}
		for _, d := range req.Targets {
			spec, producers := plainProducer(w.space(), chainOf(req), d)
			refused := slices.ContainsFunc(p.Refusals, func(r PlanRefusal) bool { return r.Dataset == d })
			planned := slices.ContainsFunc(p.Jobs, func(j *PlanJob) bool { return j.Spec == spec })
			require.True(w.t, producers == 1 && spec != nil && (planned || req.Mode == event.TargetBetween || len(p.Refusals) > 0) || refused)
		}
	})
}

// 24. Admission is all or nothing; a queued build holds nothing.
func TestInvariant24(t *testing.T) {
	check(t, func(w *walk, e *Event, _ Outcome) {
		for _, b := range w.space().Builds {
			if b.State == BuildQueued {
				require.Empty(w.t, b.Jobs)
				requireHoldsNothing(w, b)
			}
			if b.Admitted != e.Offset {
				continue
			}
			for _, j := range b.Jobs {
				for _, out := range j.Outputs {
					if j.State == JobSkipped {
						continue
					}
					require.Equal(w.t, Open, out.Transaction.State)
					require.Equal(w.t, e.Offset, out.Transaction.Opened)
					require.Equal(w.t, out.Transaction, out.Branch.Head)
				}
			}
		}
	})
}

// 25. No two live jobs hold the same OPEN transaction, nor the same dataset and branch.
func TestInvariant25(t *testing.T) {
	check(t, func(w *walk, _ *Event, _ Outcome) {
		held := map[any]*Job{}
		for _, j := range w.jobs() {
			if j.State.Finished() {
				continue
			}
			for _, out := range j.Outputs {
				require.Nil(w.t, held[out.Transaction])
				require.Nil(w.t, held[out.Branch])
				held[out.Transaction], held[out.Branch] = j, j
				require.Equal(w.t, Open, out.Transaction.State, "the lock is never lost")
				require.Equal(w.t, out.Transaction, out.Branch.Head)
			}
		}
	})
}

// 26. A job starts only after all its upstream jobs are COMPLETED or fresh.
func TestInvariant26(t *testing.T) {
	check(t, func(w *walk, _ *Event, _ Outcome) {
		for _, j := range w.jobs() {
			if j.State == JobRunPending || j.State == JobRunning || j.State == JobCompleted {
				for _, up := range j.Upstream {
					require.Contains(w.t, []JobState{JobCompleted, JobSkipped}, j.Build.Jobs[up].State)
				}
				for _, in := range j.Inputs {
					require.Equal(w.t, Committed, in.Transaction.State)
					if in.Job >= 0 {
						require.Equal(w.t, j.Build.Jobs[in.Job].Outputs[j.Build.Jobs[in.Job].outputAt(in.Dataset)].Transaction, in.Transaction)
					}
				}
			}
		}
	})
}

// 27. Outputs of one job become visible together.
func TestInvariant27(t *testing.T) {
	check(t, func(w *walk, _ *Event, _ Outcome) {
		for _, j := range w.jobs() {
			if j.State == JobSkipped {
				continue
			}
			for _, out := range j.Outputs {
				require.Equal(w.t, j.State == JobCompleted, out.Transaction.State == Committed)
				require.Equal(w.t, j.Outputs[0].Transaction.Closed, out.Transaction.Closed)
			}
		}
	})
}

// 28. A FAILED or ABORTED job has no COMMITTED transaction.
func TestInvariant28(t *testing.T) {
	check(t, func(w *walk, _ *Event, _ Outcome) {
		for _, x := range w.space().Transactions() {
			if x.Job != nil && (x.Job.State == JobFailed || x.Job.State == JobAborted) {
				require.Equal(w.t, Aborted, x.State)
			}
		}
	})
}

// 29. A finished build has no OPEN transaction and no live job.
func TestInvariant29(t *testing.T) {
	check(t, func(w *walk, _ *Event, _ Outcome) {
		for _, b := range w.space().Builds {
			if !b.State.Finished() {
				continue
			}
			requireHoldsNothing(w, b)
			for _, j := range b.Jobs {
				require.True(w.t, j.State.Finished())
			}
			for _, br := range b.Created {
				require.False(w.t, br.Living() && br.Build == b && br.Created == b.Admitted && br.Head == br.Start && b.Finished == w.offset-1,
					"a created branch without a commit of its own is removed")
			}
		}
	})
}

// 30. SUCCEEDED exactly when all jobs are COMPLETED or SKIPPED.
func TestInvariant30(t *testing.T) {
	check(t, func(w *walk, _ *Event, _ Outcome) {
		for _, b := range w.space().Builds {
			if b.Admitted < 0 {
				require.NotEqual(w.t, BuildSucceeded, b.State)
				continue
			}
			all := !slices.ContainsFunc(b.Jobs, func(j *Job) bool { return j.State != JobCompleted && j.State != JobSkipped })
			require.Equal(w.t, all, b.State == BuildSucceeded)
		}
	})
}

// 31. Job states move along the arrows only.
func TestInvariant31(t *testing.T) {
	arrows := map[JobState][]JobState{
		JobWaiting:      {JobRunPending, JobAborted},
		JobRunPending:   {JobRunning, JobAborted},
		JobRunning:      {JobCompleted, JobFailed, JobRunPending, JobAbortPending},
		JobAbortPending: {JobAborted},
	}
	checkChange(t, func(w *walk, _ *Event, _ Outcome) {
		for _, j := range w.jobs() {
			was, ok := w.before.jobs[j]
			if !ok {
				require.Contains(w.t, []JobState{JobWaiting, JobRunPending, JobSkipped}, j.State)
			} else if was != j.State {
				require.Contains(w.t, arrows[was], j.State)
			}
		}
	})
}

// 32. A result with an old token changes nothing.
func TestInvariant32(t *testing.T) {
	checkChange(t, func(w *walk, e *Event, out Outcome) {
		var h *event.AttemptHandle
		switch d := e.Data.(type) {
		case *event.AttemptFinished:
			h = &d.AttemptHandle
		case *event.AttemptFailed:
			h = &d.AttemptHandle
		case *event.AttemptExpired:
			h = &d.AttemptHandle
		case *event.AttemptAborted:
			h = &d.AttemptHandle
		default:
			return
		}
		for j, live := range w.before.tokens {
			if j.Build.ID == h.Build && j.Index == h.Job && live == h.Token {
				return
			}
		}
		require.True(w.t, out.Repeat || !out.Accepted())
		require.Equal(w.t, w.before.picture, picture(w.space()))
		for j, was := range w.before.jobs {
			require.Equal(w.t, was, j.State)
		}
	})
}

// 33. Freshness compares logic and input transactions, never time.
func TestInvariant33(t *testing.T) {
	check(t, func(w *walk, _ *Event, _ Outcome) {
		req := w.requestBuild()
		req.PlanDigest, req.Force = "", false
		p := w.space().Plan(req)
		if len(p.Refusals) > 0 {
			return
		}
		for _, j := range p.Jobs {
			require.Equal(w.t, plainFresh(w.space(), chainOf(req), p, j), !j.Run, j.Reason)
		}
	})
}

func TestInvariant33TimeChangesNothing(t *testing.T) {
	checkWalk(t, nil, nil, func(w *walk) {
		other := New()
		for _, e := range w.log {
			moved := *e
			moved.Time = time.UnixMilli(int64(w.dice.roll(1 << 40)))
			other.Apply(&moved)
		}
		for range 5 {
			req := w.requestBuild()
			req.PlanDigest = ""
			require.Equal(w.t, w.showPlanText(w.space().Plan(req)), w.showPlanText(other.Space(testSpace).Plan(req)))
		}
	})
}

// drain closes what people hold and runs what is to be run until nothing is left to do.
func (w *walk) drain() {
	for range 1000 {
		e := w.nextToDrain()
		if e == nil {
			return
		}
		out := w.apply(e)
		w.follow(e, out)
		require.True(w.t, out.Accepted(), "%T %v", e.Data, out.Refused)
	}
	require.Fail(w.t, "there is always more to do")
}

func (w *walk) nextToDrain() *Event {
	for _, x := range w.space().Transactions() {
		if x.State == Open && x.Job == nil {
			return w.newEvent(event.TypeTransactionAborted, &event.TransactionAborted{CatalogHead: head(), Transaction: x.ID.String()})
		}
	}
	for _, j := range w.jobs() {
		h := event.AttemptHandle{Build: j.Build.ID, Job: j.Index, Token: token(j.Build.ID, j.Index, len(j.Attempts)+1)}
		switch j.State {
		case JobRunPending:
			if j.Build.Request.MaxParallel == 0 || j.Build.running < j.Build.Request.MaxParallel {
				return w.newEvent(event.TypeAttemptStarted, &event.AttemptStarted{CatalogHead: head(), AttemptHandle: h, Attempt: len(j.Attempts) + 1})
			}
		case JobRunning:
			h.Token = j.Live().Token
			return w.newEvent(event.TypeAttemptFinished, &event.AttemptFinished{CatalogHead: head(), AttemptHandle: h})
		case JobAbortPending:
			h.Token = j.Live().Token
			return w.newEvent(event.TypeAttemptExpired, &event.AttemptExpired{CatalogHead: head(), AttemptHandle: h})
		}
	}
	return nil
}

// 34. Build again at once: zero jobs. With force: all.
func TestInvariant34(t *testing.T) {
	checkWalk(t, nil, nil, func(w *walk) {
		w.drain()
		for range 5 {
			req := w.requestBuild()
			req.PlanDigest = ""
			e := w.newEvent(event.TypeBuildRequested, req)
			out := w.apply(e)
			w.follow(e, out)
			if !out.Accepted() {
				continue
			}
			w.drain()
			require.Equal(w.t, BuildSucceeded, w.space().Build(req.Build).State)
			again := *req
			again.Build, again.Force = "again", false
			for _, j := range w.space().Plan(&again).Jobs {
				require.False(w.t, j.Run, j.Reason)
			}
			again.Force = true
			for _, j := range w.space().Plan(&again).Jobs {
				require.True(w.t, j.Run)
			}
		}
	})
}

// 35. Every queued build is admitted or refused in the end, once every transaction that a person holds
// is closed.
func TestInvariant35(t *testing.T) {
	checkWalk(t, nil, func(w *walk, e *Event, _ Outcome) {
		requireNoOvertaking(w, e.Offset)
		for i, b := range w.space().Queue {
			require.NotEmpty(w.t, b.Blockers)
			for _, k := range b.Blockers {
				require.True(w.t, k.Transaction != nil && k.Transaction.State == Open || slices.Contains(w.space().Queue[:i], k.Build))
			}
		}
	}, func(w *walk) {
		w.drain()
		require.Empty(w.t, w.space().Queue)
		for _, b := range w.space().Builds {
			require.True(w.t, b.State.Finished())
		}
	})
}

// requireNoOvertaking finds no build that was admitted at the offset in the way of one before it in the queue.
func requireNoOvertaking(w *walk, offset int64) {
	for _, b := range w.space().Builds {
		if b.Admitted != offset {
			continue
		}
		for _, q := range w.space().Queue {
			if q.number > b.number || q.Request.Branch != b.Request.Branch {
				continue
			}
			for _, j := range b.Jobs {
				for _, out := range j.Outputs {
					require.False(w.t, slices.Contains(q.writes, out.Dataset) || slices.Contains(q.reads, out.Dataset))
				}
				for _, in := range j.Inputs {
					if in.Job < 0 && in.Branch.Name == b.Request.Branch {
						require.False(w.t, slices.Contains(q.writes, in.Branch.Dataset))
					}
				}
			}
		}
	}
}

// 36. A crash at any event boundary, then recovery from the last snapshot, gives the state of the pure
// fold, and the same rows. (The rows themselves are compared where they are made, in the projector.)
func TestInvariant36(t *testing.T) {
	const one = 4     // in so many boundaries a snapshot is saved, and as many have a crash
	var second *State // a fold that crashes
	var saved []byte
	var behind int // the events of the log that are in the snapshot
	checkWalk(t, func(w *walk) {
		if w.offset == w.start || w.dice.roll(one) == 0 {
			saved, behind = w.state.Snapshot(), len(w.log)
		}
		if w.offset != w.start && w.dice.roll(one) > 0 {
			return
		}
		recovered, err := Restore(saved)
		require.NoError(w.t, err)
		for _, e := range w.log[behind:] {
			recovered.Apply(e)
		}
		require.True(w.t, bytes.Equal(w.state.Snapshot(), recovered.Snapshot()))
		second = recovered
	}, func(w *walk, e *Event, out Outcome) {
		require.Equal(w.t, out, second.Apply(e))
		require.Equal(w.t, changesText(w.state.Changes()), changesText(second.Changes()))
	}, func(w *walk) {
		first := New()
		for _, e := range w.log {
			first.Apply(e)
		}
		require.True(w.t, bytes.Equal(first.Snapshot(), w.state.Snapshot()), "folding again from the first event")
	})
}

// changesText writes everything that an event changed.
func changesText(c *Changes) string {
	var s strings.Builder
	fmt.Fprintln(&s, c.Outcome.Offset, c.Outcome.Repeat, c.Outcome.Refused, c.Outcome.Incarnation)
	for _, h := range c.History {
		fmt.Fprintln(&s, h.Cause, h.Branch.Dataset.Ref.Name, h.Branch.Name, h.Branch.Incarnation, h.Parent != nil, h.Head != nil)
	}
	for _, b := range c.Branches {
		fmt.Fprintln(&s, branchLine(b), b.Deleted)
	}
	for _, x := range c.Transactions {
		fmt.Fprintln(&s, x.ID, closedText(x), len(x.Inputs))
	}
	for _, b := range c.Builds {
		fmt.Fprintln(&s, b.ID, b.State, b.Digest, len(b.Blockers), b.live, b.running)
	}
	for _, j := range c.Jobs {
		fmt.Fprintln(&s, j.Build.ID, j.Index, j.State, j.Reason, j.Failure)
	}
	for _, a := range c.Attempts {
		fmt.Fprintln(&s, a.Job.Build.ID, a.Job.Index, a.Number, a.State)
	}
	return s.String()
}
