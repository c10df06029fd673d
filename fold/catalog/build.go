package catalog

import (
	"slices"

	"github.com/tributary-data/tributary/schemas/event"
)

// BuildState is the state of a build; docs/state_machine.md draws the arrows.
type BuildState uint8

// The states of a build.
const (
	BuildQueued BuildState = iota
	BuildRunning
	BuildSucceeded
	BuildFailed
	BuildCanceled
	BuildRefused
)

// String returns the state as it is written.
func (s BuildState) String() string {
	return [...]string{"QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "CANCELED", "REFUSED"}[s]
}

// Finished says whether the state is a last one.
func (s BuildState) Finished() bool { return s != BuildQueued && s != BuildRunning }

// JobState is the state of a job.
type JobState uint8

// The states of a job.
const (
	JobWaiting JobState = iota
	JobRunPending
	JobRunning
	JobCompleted
	JobFailed
	JobAbortPending
	JobAborted
	JobSkipped
)

// String returns the state as it is written.
func (s JobState) String() string {
	return [...]string{"WAITING", "RUN_PENDING", "RUNNING", "COMPLETED", "FAILED", "ABORT_PENDING", "ABORTED", "SKIPPED"}[s]
}

// Finished says whether the state is a last one.
func (s JobState) Finished() bool {
	return s == JobCompleted || s == JobFailed || s == JobAborted || s == JobSkipped
}

// AttemptState is the state of an attempt.
type AttemptState uint8

// The states of an attempt.
const (
	AttemptRunning AttemptState = iota
	AttemptSucceeded
	AttemptFailed
	AttemptExpired
	AttemptAborted
)

// String returns the state as it is written.
func (s AttemptState) String() string {
	return [...]string{"RUNNING", "SUCCEEDED", "FAILED", "EXPIRED", "ABORTED"}[s]
}

// Build is a build that was asked for.
type Build struct {
	ID      string
	Request *event.BuildRequested
	State   BuildState
	// Refused is why it is REFUSED: the first of Refusals.
	Refusals []PlanRefusal
	// Digest is that of the plan it was admitted or refused with; while QUEUED, of the one that Blockers are of.
	Digest string
	// Jobs are those of the plan that it was admitted with, in an order in which they can run.
	Jobs []*Job
	// Created are the branches that it made for its outputs.
	Created []*Branch
	// Blockers are what it waits for while QUEUED, as seen when it was last resolved.
	Blockers []Blocker
	// AbortRequested says that someone asked to end it.
	AbortRequested bool
	AbortReason    string
	// The offsets of the events that asked for it, admitted it and ended it; -1 while not yet.
	Requested, Admitted, Finished       int64
	RequestedAt, AdmittedAt, FinishedAt int64

	number  int
	live    int // jobs that are not in a last state
	running int // jobs that an attempt runs
	writes  []*Dataset
	reads   []*Dataset
	mark    int64
}

// Blocker is something that a queued build waits for.
type Blocker struct {
	Dataset event.CatalogDataset
	Branch  string
	// Transaction is the OPEN one that holds the dataset; nil if Build stands earlier in the queue.
	Transaction *Transaction
	// Build is the build that holds the dataset or stands earlier in the queue, nil for a person.
	Build *Build
	// Input says that it is an input of the waiting build, not an output.
	Input bool
}

// Job is a job of an admitted build.
type Job struct {
	Build *Build
	Index int
	Spec  *Spec
	// Hash is that of the logic that the job runs.
	Hash  string
	State JobState
	// Reason says why it runs or is skipped, Failure why it did not succeed.
	Reason      string
	Failure     *Refusal
	Incremental bool
	Inputs      []JobInput
	Outputs     []JobOutput
	// Upstream and Downstream are indexes of jobs of the build.
	Upstream, Downstream []int
	// Attempts are in order; the last one is live while the job is RUNNING or ABORT_PENDING.
	Attempts []*Attempt

	waits int // upstream jobs that are not COMPLETED or SKIPPED
	opens int // how often its transactions were opened
	mark  int64
}

// JobInput is an input of a job.
type JobInput struct {
	Dataset event.CatalogDataset
	Space   string
	// Job is the index of the job of the build that produces it, else -1.
	Job int
	// Branch is the branch that is read.
	Branch *Branch
	// Transaction is what is read; nil until the job that produces it has committed, and for a dataset
	// of another space.
	Transaction *Transaction
	Since       *Transaction
	Reason      string
}

// JobOutput is an output of a job.
type JobOutput struct {
	Dataset *Dataset
	// Branch is the build branch, nil for a skipped job on whose dataset it does not exist.
	Branch *Branch
	// Transaction is the one opened last for it; for a skipped job, the one that is fresh.
	Transaction *Transaction
	Type        TransactionType
}

// Attempt is one try at a job by a runner.
type Attempt struct {
	Job    *Job
	Number int
	// Token is the SHA-256 of the runner's secret.
	Token              string
	Runner             string
	State              AttemptState
	Message            string
	Started, Ended     int64
	StartedAt, EndedAt int64

	mark int64
}

// Live returns the attempt that may still end the job, or nil.
func (j *Job) Live() *Attempt {
	if j.State != JobRunning && j.State != JobAbortPending {
		return nil
	}
	return j.Attempts[len(j.Attempts)-1]
}

func (j *Job) live(token string) bool {
	a := j.Live()
	return a != nil && a.Token == token
}

// checkRequest refuses a request that makes no sense.
func checkRequest(req *event.BuildRequested) *Refusal {
	if why := badName(req.Build); why != "" && req.Build != "" {
		return refuse(CodeInvalidBuild, "%q is not the id of a build: %s", clip(req.Build), why)
	}
	seen := map[string]bool{}
	for _, branch := range append([]string{req.Branch}, req.Fallbacks...) {
		if r := checkBranchName(branch); r != nil {
			return r
		}
		if seen[branch] {
			return refuse(CodeInvalidBuild, "branch %s stands twice in the chain of the build", branch)
		}
		seen[branch] = true
	}
	switch {
	case len(req.Targets) == 0:
		return refuse(CodeInvalidBuild, "the build names no target")
	case req.Mode != "" && req.Mode != event.TargetOnly && req.Mode != event.TargetUpstream && req.Mode != event.TargetBetween:
		return refuse(CodeInvalidBuild, "%q is not a mode: use only, upstream or between", clip(req.Mode))
	case (req.Mode == event.TargetBetween) != (len(req.From) > 0):
		return refuse(CodeInvalidBuild, "the mode between goes with from, and from with the mode between")
	case req.Retries < 0 || req.Retries > 100:
		return refuse(CodeInvalidBuild, "a build may have 0 to 100 retries, not %d", req.Retries)
	case req.MaxParallel < 0 || req.MaxJobs < 0:
		return refuse(CodeInvalidBuild, "a bound of a build cannot be negative")
	}
	return nil
}

// requestBuild resolves a build and admits, queues or refuses it.
func (f *fold) requestBuild(d *event.BuildRequested) *Refusal {
	if d.Build == "" {
		return refuse(CodeInvalidBuild, "the build has no id")
	}
	if r := checkRequest(d); r != nil {
		return r
	}
	if f.builds[d.Build] != nil {
		return refuse(CodeBuildExists, "there is a build %s already", d.Build)
	}
	b := &Build{
		ID: d.Build, Request: d, Requested: f.offset(), RequestedAt: f.millis(),
		Admitted: -1, Finished: -1, number: len(f.Builds), mark: -1,
	}
	f.builds[b.ID] = b
	f.Builds = append(f.Builds, b)
	f.changes.build(b)
	f.consider(b, aheadOf(f.Queue))
	switch b.State {
	case BuildQueued:
		f.Queue = append(f.Queue, b)
	case BuildRefused:
		r := b.Refusals[0].Refusal
		return &r
	}
	return nil
}

// consider resolves a build afresh and admits it, refuses it or leaves it QUEUED behind what blocks it.
func (f *fold) consider(b *Build, before *ahead) {
	plan := f.resolve(b.Request)
	if len(plan.Refusals) == 0 && b.Request.PlanDigest != "" && b.Request.PlanDigest != plan.Digest {
		plan.Refusals = []PlanRefusal{{Refusal: *refuse(CodePlanStale, "the plan is now %s, not %s: plan again", plan.Digest, clip(b.Request.PlanDigest))}}
	}
	if len(plan.Refusals) > 0 {
		b.Digest, b.Refusals, b.Blockers = plan.Digest, plan.Refusals, nil
		f.end(b, BuildRefused)
		return
	}
	blockers := f.blockers(plan, before)
	if len(blockers) == 0 {
		f.admit(b, plan)
		return
	}
	b.writes, b.reads = plan.touches()
	if slices.Equal(b.Blockers, blockers) {
		return // each event that closes something would change the whole queue otherwise
	}
	b.Digest, b.Blockers = plan.Digest, blockers
	f.changes.build(b)
}

// touches lists the datasets that the plan's jobs write and read on the build branch, each once.
func (p *Plan) touches() (writes, reads []*Dataset) {
	seen := map[*Dataset]bool{}
	for _, job := range p.Jobs {
		for i := range job.Outputs {
			writes = append(writes, job.Outputs[i].Dataset)
		}
		for i := range job.Inputs {
			if in := &job.Inputs[i]; in.Space == "" && in.Job < 0 {
				if b := in.Branch; b.Name == p.Branch && !seen[b.Dataset] {
					seen[b.Dataset] = true
					reads = append(reads, b.Dataset)
				}
			}
		}
	}
	return writes, reads
}

// blockers lists what a plan has to wait for: outputs that are held, inputs on the build branch that a
// running build is about to change, and builds earlier in the queue that it would get in the way of.
func (s *Space) blockers(plan *Plan, before *ahead) []Blocker {
	var list []Blocker
	for _, job := range plan.Jobs {
		for i := range job.Outputs {
			if b := job.Outputs[i].Branch; b != nil && b.Open() != nil {
				list = append(list, held(b, false))
			}
		}
		for i := range job.Inputs {
			in := &job.Inputs[i]
			if in.Space != "" || in.Job >= 0 {
				continue
			}
			b := in.set.build
			if b != nil && b.Open() != nil && b.Open().Job != nil {
				list = append(list, held(b, true))
			}
		}
	}
	return append(list, before.blockers(plan)...)
}

func held(b *Branch, input bool) Blocker {
	t := b.Open()
	return Blocker{Dataset: b.Dataset.Ref, Branch: b.Name, Transaction: t, Build: buildOf(t.Job), Input: input}
}

// place is a dataset on a build branch.
type place struct {
	branch  string
	dataset *Dataset
}

// ahead knows for each place the last build of the queue so far that writes it, and the last that reads it.
// A build waits behind these: the ones before them are waited for by them.
type ahead struct {
	writer, reader map[place]*Build
}

func aheadOf(queue []*Build) *ahead {
	a := &ahead{writer: map[place]*Build{}, reader: map[place]*Build{}}
	for _, b := range queue {
		a.add(b)
	}
	return a
}

func (a *ahead) add(b *Build) {
	for _, d := range b.writes {
		a.writer[place{b.Request.Branch, d}] = b
	}
	for _, d := range b.reads {
		a.reader[place{b.Request.Branch, d}] = b
	}
}

// blockers lists the builds ahead that write what the plan writes or reads, or read what it writes: for
// each of these datasets the last one.
func (a *ahead) blockers(p *Plan) []Blocker {
	if len(a.writer)+len(a.reader) == 0 {
		return nil
	}
	var list []Blocker
	writes, reads := p.touches()
	for _, d := range writes {
		at := place{p.Branch, d}
		last := a.writer[at]
		if r := a.reader[at]; last == nil || r != nil && r.number > last.number {
			last = r
		}
		if last != nil {
			list = append(list, Blocker{Dataset: d.Ref, Branch: p.Branch, Build: last})
		}
	}
	for _, d := range reads {
		if last := a.writer[place{p.Branch, d}]; last != nil {
			list = append(list, Blocker{Dataset: d.Ref, Branch: p.Branch, Build: last, Input: true})
		}
	}
	return list
}

// release resolves the queued builds afresh, in order, after something was closed.
func (f *fold) release() {
	if len(f.Queue) == 0 {
		return
	}
	var left []*Build
	before := aheadOf(nil)
	for _, b := range f.Queue {
		f.consider(b, before)
		if b.State == BuildQueued {
			left = append(left, b)
			before.add(b)
		}
	}
	f.Queue = left
}

// admit opens the transactions of all outputs in one step.
func (f *fold) admit(b *Build, plan *Plan) {
	b.Digest, b.State, b.Blockers, b.writes, b.reads = plan.Digest, BuildRunning, nil, nil, nil
	f.changes.build(b)
	b.Admitted, b.AdmittedAt = f.offset(), f.millis()
	b.Jobs = make([]*Job, len(plan.Jobs))
	for i, planned := range plan.Jobs {
		b.Jobs[i] = f.newJob(b, planned)
	}
	for _, job := range b.Jobs {
		for _, up := range job.Upstream {
			upstream := b.Jobs[up]
			upstream.Downstream = append(upstream.Downstream, job.Index)
			if upstream.State != JobSkipped && job.State == JobWaiting {
				job.waits++
			}
		}
		if job.State == JobWaiting && job.waits == 0 {
			f.ready(job)
		}
	}
	f.Running = append(f.Running, b)
	slices.SortFunc(f.Running, byNumber)
	f.finishIfDone(b)
}

func byNumber(a, b *Build) int { return a.number - b.number }

func (f *fold) newJob(b *Build, planned *PlanJob) *Job {
	job := &Job{
		Build: b, Index: planned.Index, Spec: planned.Spec, Hash: planned.Spec.Hash, Reason: planned.Reason,
		Incremental: planned.Incremental, Upstream: planned.Upstream, State: JobSkipped, mark: -1,
	}
	f.changes.job(job)
	for _, in := range planned.Inputs {
		job.Inputs = append(job.Inputs, JobInput{
			Dataset: in.Dataset, Space: in.Space, Job: in.Job, Branch: in.Branch,
			Transaction: in.Transaction, Since: in.Since, Reason: in.Reason,
		})
	}
	for _, out := range planned.Outputs {
		o := JobOutput{Dataset: out.Dataset, Branch: out.Branch, Transaction: out.Base, Type: out.Type}
		if planned.Run && o.Branch == nil {
			o.Branch = f.newBranch(out.Dataset, b.Request.Branch, out.From, out.Base, b)
			b.Created = append(b.Created, o.Branch)
		}
		job.Outputs = append(job.Outputs, o)
	}
	if planned.Run {
		job.State = JobWaiting
		b.live++
		f.openOutputs(job)
	}
	return job
}

// openOutputs opens the transactions of a job's outputs, for its first attempt or the next.
func (f *fold) openOutputs(job *Job) {
	job.opens++
	for i := range job.Outputs {
		o := &job.Outputs[i]
		id := outputID(f.Name, job.Build.ID, job.Index, i, job.opens)
		o.Transaction = f.start(o.Branch, id, o.Type, job)
		o.Transaction.Actor = job.Build.Request.Actor
	}
}

// ready makes a job RUN_PENDING and pins the inputs that its upstream jobs have committed.
func (f *fold) ready(job *Job) {
	job.State = JobRunPending
	f.changes.job(job)
	for i := range job.Inputs {
		in := &job.Inputs[i]
		if in.Job < 0 || in.Transaction != nil {
			continue
		}
		for _, out := range job.Build.Jobs[in.Job].Outputs {
			if out.Dataset.Ref == in.Dataset {
				in.Transaction, in.Branch = out.Transaction, out.Branch
			}
		}
	}
}

// abortOutputs aborts the OPEN transactions of a job.
func (f *fold) abortOutputs(job *Job, reason string) {
	for i := range job.Outputs {
		if t := job.Outputs[i].Transaction; t != nil && t.Job == job && t.State == Open {
			f.close(t, Aborted)
			t.Reason = reason
		}
	}
}

// settleJob puts a job into a last state without success.
func (f *fold) settleJob(job *Job, state JobState, why *Refusal) {
	f.abortOutputs(job, why.Message)
	job.State, job.Failure = state, why
	job.Build.live--
	f.changes.job(job)
}

// fail ends a job for good, and everything downstream of it.
func (f *fold) fail(job *Job, why *Refusal) {
	b := job.Build
	f.settleJob(job, JobFailed, why)
	work := append([]int(nil), job.Downstream...)
	for len(work) > 0 {
		down := b.Jobs[work[0]]
		work = work[1:]
		if down.State.Finished() {
			continue
		}
		f.settleJob(down, JobAborted, refuse(CodeBuildAborted, "job %s, which it depends on, failed", job.Spec.ID))
		work = append(work, down.Downstream...)
	}
	if b.Request.AbortOnFailure {
		f.abortJobs(b, "job "+job.Spec.ID+" failed, and the build was to end then")
	}
}

// abortJobs ends what of a build is not running, and asks the runners of the rest to stop.
func (f *fold) abortJobs(b *Build, reason string) {
	for _, job := range b.Jobs {
		switch job.State {
		case JobWaiting, JobRunPending:
			f.settleJob(job, JobAborted, refuse(CodeBuildAborted, "%s", reason))
		case JobRunning:
			job.State = JobAbortPending
			job.Failure = refuse(CodeBuildAborted, "%s", reason)
			f.changes.job(job)
		}
	}
}

// abortBuild ends a build because someone asked for it.
func (f *fold) abortBuild(d *event.BuildAborted) *Refusal {
	b := f.builds[d.Build]
	switch {
	case b == nil:
		return refuse(CodeBuildNotFound, "there is no build %s", clip(d.Build))
	case b.State.Finished():
		return refuse(CodeBuildFinished, "build %s is %s already", b.ID, b.State)
	case b.AbortRequested:
		return refuse(CodeBuildAborted, "build %s was aborted already", b.ID)
	}
	b.AbortRequested, b.AbortReason = true, d.Reason
	f.changes.build(b)
	if b.State == BuildQueued {
		var left []*Build
		for _, other := range f.Queue {
			if other != b {
				left = append(left, other)
			}
		}
		f.Queue = left
		b.Blockers, b.writes, b.reads = nil, nil, nil
		f.end(b, BuildCanceled)
	} else {
		reason := "the build was aborted"
		if d.Reason != "" {
			reason += ": " + d.Reason
		}
		f.abortJobs(b, reason)
		f.finishIfDone(b)
	}
	f.release()
	return nil
}

func (f *fold) end(b *Build, state BuildState) {
	b.State = state
	b.Finished, b.FinishedAt = f.offset(), f.millis()
	f.changes.build(b)
}

// finishIfDone ends a running build that has no live job.
func (f *fold) finishIfDone(b *Build) {
	if b.live > 0 || b.State != BuildRunning {
		return
	}
	state := BuildSucceeded
	for _, job := range b.Jobs {
		if job.State != JobCompleted && job.State != JobSkipped {
			state = BuildFailed
		}
	}
	if state == BuildFailed && b.AbortRequested {
		state = BuildCanceled
	}
	f.end(b, state)
	f.Running = slices.DeleteFunc(f.Running, func(other *Build) bool { return other == b })
	for _, branch := range b.Created {
		if branch.Living() && branch.Build == b && branch.Head == branch.Start {
			f.removeBranch(branch, b)
		}
	}
}
