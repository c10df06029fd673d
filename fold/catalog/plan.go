package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tributary-data/tributary/schemas/event"
)

// maxPlanJobs is the most jobs that a plan may have when the request does not say.
const maxPlanJobs = 20_000

// Plan is what a build would do, or why it cannot be.
type Plan struct {
	Branch    string
	Fallbacks []string
	// Jobs are in an order in which they can run.
	Jobs []*PlanJob
	// Refusals are all that stand in the way, most basic first.
	Refusals []PlanRefusal
	// Blockers are what the build would have to wait for.
	Blockers []Blocker
	// Digest stands for what the plan does; two plans that do the same have the same.
	Digest string
}

// PlanRefusal is a reason why a build cannot be.
type PlanRefusal struct {
	Refusal
	// Dataset is the one that it is about, if any.
	Dataset event.CatalogDataset
}

// PlanJob is a job of a plan.
type PlanJob struct {
	Index int
	Spec  *Spec
	// Run says that the job is to run; otherwise it is fresh and is SKIPPED.
	Run bool
	// Reason says in a sentence why.
	Reason string
	// Incremental says that its APPEND outputs take only what the inputs gained.
	Incremental bool
	Inputs      []PlanInput
	Outputs     []PlanOutput
	// Upstream are the indexes of the jobs whose outputs it reads.
	Upstream []int

	sets []*planDataset // of the outputs
}

// PlanInput is an input of a job with what was chosen for it.
type PlanInput struct {
	Dataset event.CatalogDataset
	// Space is set for a dataset of another space, which is not pinned.
	Space string
	// Job is the index of the job of the same build that produces it, else -1.
	Job int
	// Branch and Transaction are what is read; Transaction is nil if Job is going to commit it.
	Branch      *Branch
	Transaction *Transaction
	// Since is set for an incremental read.
	Since  *Transaction
	Reason string

	set *planDataset // nil for a dataset of another space
}

// PlanOutput is an output of a job with the branch that it is written on.
type PlanOutput struct {
	Dataset *Dataset
	// Branch is the build branch, nil if it is to be created.
	Branch *Branch
	// From is the fallback that the branch is created from, nil for a root.
	From *Branch
	// Base is the latest COMMITTED transaction that the output's transaction is put on, or nil.
	Base *Transaction
	Type TransactionType
}

// planDataset is what a planner knows of a dataset.
type planDataset struct {
	ref      event.CatalogDataset
	dataset  *Dataset
	branches []*Branch // those of the chain that exist, in the order of the chain
	build    *Branch   // the build branch, or nil
	spec     *Spec
	refused  *Refusal
	resolved bool
	checked  bool
	job      *PlanJob
}

// base is the branch that an output is written on or created from, or nil.
func (d *planDataset) base() *Branch {
	if len(d.branches) == 0 {
		return nil
	}
	return d.branches[0]
}

type planner struct {
	*Space
	chain []string
	specs []*branchSpecs
	sets  map[event.CatalogDataset]*planDataset
	jobs  map[*Spec]*PlanJob
	plan  *Plan
	limit int
	// absent begins the reason for reading a fallback.
	absent string
}

func newPlanner(s *Space, chain []string) *planner {
	p := &planner{
		Space: s, chain: chain, specs: make([]*branchSpecs, len(chain)),
		sets: map[event.CatalogDataset]*planDataset{}, jobs: map[*Spec]*PlanJob{}, plan: &Plan{},
		absent: "there is no branch " + chain[0] + "; ",
	}
	for i, branch := range chain {
		p.specs[i] = s.specs[branch]
	}
	return p
}

// Plan resolves a request for a build at the state's position and changes nothing.
func (s *Space) Plan(req *event.BuildRequested) *Plan {
	if r := checkRequest(req); r != nil {
		return &Plan{Branch: req.Branch, Fallbacks: req.Fallbacks, Refusals: []PlanRefusal{{Refusal: *r}}}
	}
	plan := s.resolve(req)
	if len(plan.Refusals) == 0 {
		plan.Blockers = s.blockers(plan, aheadOf(s.Queue))
	}
	return plan
}

// resolve makes the plan of a request that was checked.
func (s *Space) resolve(req *event.BuildRequested) *Plan {
	p := newPlanner(s, append([]string{req.Branch}, req.Fallbacks...))
	p.plan.Branch, p.plan.Fallbacks = req.Branch, req.Fallbacks
	p.limit = req.MaxJobs
	if p.limit == 0 {
		p.limit = maxPlanJobs
	}
	if p.selectJobs(req) && p.connect() && p.keepBetween(req) && p.sort() {
		p.checkAncestry()
		for _, job := range p.plan.Jobs {
			p.chooseInputs(job)
			p.chooseOutputs(job, req.Force)
		}
	}
	p.plan.Digest = p.plan.digest()
	return p.plan
}

func (p *planner) refuse(d event.CatalogDataset, r *Refusal) {
	p.plan.Refusals = append(p.plan.Refusals, PlanRefusal{Refusal: *r, Dataset: d})
}

func (p *planner) set(ref event.CatalogDataset) *planDataset {
	d := p.sets[ref]
	if d != nil {
		return d
	}
	d = &planDataset{ref: ref, dataset: p.datasets[ref]}
	p.sets[ref] = d
	if d.dataset == nil {
		return d
	}
	for i, name := range p.chain {
		if b := d.dataset.Branches[name]; b != nil {
			d.branches = append(d.branches, b)
			if i == 0 {
				d.build = b
			}
		}
	}
	return d
}

// producer finds the job spec that makes a dataset: that of the first branch of the chain that has one,
// where a spec of an earlier branch hides those that share an output with it.
func (p *planner) producer(ref event.CatalogDataset) (*Spec, *Refusal) {
	d := p.set(ref)
	if !d.resolved {
		d.resolved = true
		d.spec, d.refused = p.findProducer(ref)
	}
	return d.spec, d.refused
}

func (p *planner) findProducer(ref event.CatalogDataset) (*Spec, *Refusal) {
	for i, specs := range p.specs {
		if specs == nil {
			continue
		}
		var found *Spec
		for _, spec := range specs.byOutput[ref] {
			if p.hidden(spec, i) {
				continue
			}
			if found != nil {
				return nil, refuse(CodeTwoProducers, "%s is produced by two job specs of branch %s: %s and %s", Name(ref), p.chain[i], found.ID, spec.ID)
			}
			found = spec
		}
		if found != nil && found.Withdrawn {
			return nil, refuse(CodeJobSpecNotFound, "the job spec of %s was withdrawn on branch %s", Name(ref), p.chain[i])
		}
		if found != nil {
			return found, nil
		}
	}
	return nil, refuse(CodeJobSpecNotFound, "no branch of %s has a job spec for %s", strings.Join(p.chain, " → "), clip(Name(ref)))
}

// hidden says whether a branch before the i-th has a spec that shares an output with spec.
func (p *planner) hidden(spec *Spec, i int) bool {
	for _, earlier := range p.specs[:i] {
		if earlier == nil {
			continue
		}
		for _, out := range spec.Outputs {
			if len(earlier.byOutput[out.Dataset]) > 0 {
				return true
			}
		}
	}
	return false
}

// selectJobs finds the jobs that the targets ask for. It returns false if nothing can be planned.
func (p *planner) selectJobs(req *event.BuildRequested) bool {
	stop := map[event.CatalogDataset]bool{}
	for _, d := range req.From {
		stop[d] = true
	}
	for _, d := range req.Targets {
		if stop[d] {
			continue
		}
		spec, r := p.producer(d)
		if r != nil {
			p.refuse(d, r)
			continue
		}
		p.add(spec)
	}
	for i := 0; i < len(p.plan.Jobs) && req.Mode != "" && req.Mode != event.TargetOnly; i++ {
		for _, in := range p.plan.Jobs[i].Spec.Inputs {
			if in.Space != "" && in.Space != p.Name || stop[in.Dataset] {
				continue
			}
			spec, r := p.producer(in.Dataset)
			switch {
			case spec != nil:
				p.add(spec)
			case r.Code == CodeTwoProducers:
				p.refuse(in.Dataset, r)
			}
		}
		if len(p.plan.Jobs) > p.limit {
			break
		}
	}
	if len(p.plan.Jobs) > p.limit {
		p.plan.Jobs = nil
		p.refuse(event.CatalogDataset{}, refuse(CodePlanTooLarge, "the plan has more than %d jobs", p.limit))
	}
	return len(p.plan.Refusals) == 0
}

func (p *planner) add(spec *Spec) {
	if p.jobs[spec] == nil {
		job := &PlanJob{Spec: spec}
		p.jobs[spec] = job
		p.plan.Jobs = append(p.plan.Jobs, job)
	}
}

// connect finds out which job produces what, and refuses two that produce the same.
func (p *planner) connect() bool {
	slices.SortFunc(p.plan.Jobs, func(a, b *PlanJob) int {
		if c := strings.Compare(a.Spec.ID, b.Spec.ID); c != 0 {
			return c
		}
		return strings.Compare(a.Spec.Branch, b.Spec.Branch)
	})
	for i, job := range p.plan.Jobs {
		job.Index = i
		job.sets = make([]*planDataset, len(job.Spec.Outputs))
		for k, out := range job.Spec.Outputs {
			d := p.set(out.Dataset)
			job.sets[k] = d
			if d.job != nil {
				p.refuse(out.Dataset, refuse(CodeTwoProducers, "%s is produced by two jobs of the build: %s and %s", Name(out.Dataset), d.job.Spec.ID, job.Spec.ID))
				continue
			}
			d.job = job
		}
	}
	for _, job := range p.plan.Jobs {
		job.Inputs = make([]PlanInput, len(job.Spec.Inputs))
		for i, in := range job.Spec.Inputs {
			job.Inputs[i] = PlanInput{Dataset: in.Dataset, Job: -1}
			if in.Space != "" && in.Space != p.Name {
				job.Inputs[i].Space = in.Space
				continue
			}
			d := p.set(in.Dataset)
			job.Inputs[i].set = d
			if d.job != nil {
				job.Inputs[i].Job = d.job.Index
			}
		}
	}
	return len(p.plan.Refusals) == 0
}

// keepBetween leaves only the jobs that, directly or not, read one of the From datasets.
func (p *planner) keepBetween(req *event.BuildRequested) bool {
	if req.Mode != event.TargetBetween {
		return true
	}
	from := map[event.CatalogDataset]bool{}
	for _, d := range req.From {
		from[d] = true
	}
	readers := p.readers()
	keep := make([]bool, len(p.plan.Jobs))
	var work []int
	for i, job := range p.plan.Jobs {
		for _, in := range job.Spec.Inputs {
			if from[in.Dataset] && !keep[i] {
				keep[i] = true
				work = append(work, i)
			}
		}
	}
	for len(work) > 0 {
		i := work[0]
		work = work[1:]
		for _, j := range readers[i] {
			if !keep[j] {
				keep[j] = true
				work = append(work, j)
			}
		}
	}
	var kept []*PlanJob
	for i, job := range p.plan.Jobs {
		if keep[i] {
			kept = append(kept, job)
			continue
		}
		for _, d := range job.sets {
			d.job = nil
		}
	}
	p.plan.Jobs = kept
	p.renumber()
	if len(kept) == 0 {
		p.refuse(event.CatalogDataset{}, refuse(CodeNothingBetween, "no job lies between the two sets of datasets"))
	}
	return len(kept) > 0
}

// readers lists for each job the jobs that read its outputs, in order.
func (p *planner) readers() [][]int {
	readers := make([][]int, len(p.plan.Jobs))
	for i, job := range p.plan.Jobs {
		for _, in := range job.Inputs {
			if in.Job >= 0 && (len(readers[in.Job]) == 0 || readers[in.Job][len(readers[in.Job])-1] != i) {
				readers[in.Job] = append(readers[in.Job], i)
			}
		}
	}
	return readers
}

// renumber sets the indexes after the list of jobs has changed.
func (p *planner) renumber() {
	for i, job := range p.plan.Jobs {
		job.Index = i
	}
	for _, job := range p.plan.Jobs {
		for i := range job.Inputs {
			in := &job.Inputs[i]
			in.Job = -1
			if in.set != nil && in.set.job != nil {
				in.Job = in.set.job.Index
			}
		}
	}
}

// sort brings the jobs into an order in which they can run, and refuses cycles.
func (p *planner) sort() bool {
	readers := p.readers()
	waits := make([]int, len(p.plan.Jobs))
	for _, list := range readers {
		for _, i := range list {
			waits[i]++
		}
	}
	order := make([]*PlanJob, 0, len(p.plan.Jobs))
	for i, job := range p.plan.Jobs {
		if waits[i] == 0 {
			order = append(order, job)
		}
	}
	for at := 0; at < len(order); at++ {
		for _, i := range readers[order[at].Index] {
			if waits[i]--; waits[i] == 0 {
				order = append(order, p.plan.Jobs[i])
			}
		}
	}
	if len(order) < len(p.plan.Jobs) {
		p.refuseCycle(waits)
		return false
	}
	p.plan.Jobs = order
	p.renumber()
	for _, job := range order {
		for _, in := range job.Inputs {
			if in.Job >= 0 && !slices.Contains(job.Upstream, in.Job) {
				job.Upstream = append(job.Upstream, in.Job)
			}
		}
	}
	return true
}

// refuseCycle names one cycle among the jobs that still wait.
func (p *planner) refuseCycle(waits []int) {
	at := slices.IndexFunc(waits, func(n int) bool { return n > 0 })
	seen := map[int]int{}
	var path []int
	for {
		if start, ok := seen[at]; ok {
			path = append(path[start:], at)
			break
		}
		seen[at] = len(path)
		path = append(path, at)
		for _, in := range p.plan.Jobs[at].Inputs {
			if in.Job >= 0 && waits[in.Job] > 0 {
				at = in.Job
				break
			}
		}
	}
	slices.Reverse(path)
	names := make([]string, len(path))
	for i, j := range path {
		names[i] = p.plan.Jobs[j].Spec.ID
	}
	p.refuse(event.CatalogDataset{}, refuse(CodeSpecCycle, "job specs read each other in a circle: %s", strings.Join(names, " → ")))
}

// checkAncestry refuses a dataset on which a branch of the chain is no ancestor of the one before it.
func (p *planner) checkAncestry() {
	for _, job := range p.plan.Jobs {
		for _, d := range job.sets {
			p.checkAncestryOf(d)
		}
		for i := range job.Inputs {
			if d := job.Inputs[i].set; d != nil {
				p.checkAncestryOf(d)
			}
		}
	}
}

func (p *planner) checkAncestryOf(d *planDataset) {
	if d.checked {
		return
	}
	d.checked = true
	for i := 1; i < len(d.branches); i++ {
		if !d.branches[i-1].descends(d.branches[i]) {
			p.refuse(d.ref, refuse(CodeIncompatible, "on %s, branch %s does not descend from branch %s, so the one cannot fall back on the other",
				Name(d.ref), d.branches[i-1].Name, d.branches[i].Name))
		}
	}
}

// chooseInputs pins the inputs of a job whose upstream jobs were planned before it.
func (p *planner) chooseInputs(job *PlanJob) {
	for i := range job.Inputs {
		in := &job.Inputs[i]
		switch {
		case in.Space != "":
			in.Reason = "external: it belongs to space " + in.Space + " and is not pinned"
			continue
		case in.Job >= 0 && p.plan.Jobs[in.Job].Run:
			in.Reason = "from job " + p.plan.Jobs[in.Job].Spec.ID + " of this build"
			continue
		}
		d := in.set
		for at, b := range d.branches {
			if t := b.Committed(); t != nil {
				in.Branch, in.Transaction = b, t
				in.Reason = p.readReason(d, at)
				break
			}
		}
		if in.Transaction == nil {
			p.refuse(in.Dataset, refuse(CodeMissingInput, "job %s reads %s, which has no committed transaction on %s",
				job.Spec.ID, Name(in.Dataset), strings.Join(p.chain, " → ")))
			in.Reason = "nothing to read"
		}
	}
}

// readReason says why the at-th branch of the chain that exists is read.
func (p *planner) readReason(d *planDataset, at int) string {
	switch {
	case d.branches[at] == d.build:
		return "the build branch has it"
	case d.build != nil:
		return "the build branch has no committed transaction; " + d.branches[at].Name + " is the first fallback that has one"
	}
	return p.absent + d.branches[at].Name + " is the first fallback with a committed transaction"
}

// chooseOutputs decides whether a job is fresh and how its outputs are written.
func (p *planner) chooseOutputs(job *PlanJob, force bool) {
	job.Outputs = make([]PlanOutput, len(job.Spec.Outputs))
	for i, out := range job.Spec.Outputs {
		d := job.sets[i]
		o := PlanOutput{Dataset: d.dataset, Branch: d.build, Type: outputType(out)}
		if b := d.base(); b != nil {
			o.Base = b.Committed()
			if d.build == nil {
				o.From = b
			}
		}
		job.Outputs[i] = o
	}
	last, why := job.lastRun()
	if last != nil && why == "" {
		why = p.changedInput(job, last)
	}
	switch {
	case force:
		job.Run, job.Reason = true, "forced"
	case why != "":
		job.Run, job.Reason = true, "stale: "+why
	default:
		job.Reason = fmt.Sprintf("fresh: build %s made it of the same logic and inputs", last.Build.ID)
		return
	}
	job.Incremental = !force && last != nil && last.Hash == job.Spec.Hash && p.gained(job, last)
	for i := range job.Outputs {
		if job.Outputs[i].Type == Append && !job.Incremental {
			job.Outputs[i].Type = Snapshot
		}
	}
	if job.Incremental {
		for i := range job.Inputs {
			job.Inputs[i].Since = last.Inputs[i].Transaction
		}
	}
}

// lastRun finds the run whose one commit is the latest on every output, and says what else makes the
// job stale than its inputs.
func (job *PlanJob) lastRun() (last *Job, why string) {
	for i := range job.Outputs {
		o := &job.Outputs[i]
		name := ""
		if o.Dataset != nil {
			name = Name(o.Dataset.Ref)
		}
		switch {
		case o.Base == nil:
			return nil, name + " was never built here"
		case o.Base.Job == nil || o.Base.Job.Spec.ID != job.Spec.ID:
			return nil, "the latest commit of " + name + " was not made by this job"
		case i > 0 && o.Base.Job != last:
			return nil, "the latest commits of its outputs were not made by one run"
		}
		last = o.Base.Job
	}
	if last.Hash != job.Spec.Hash {
		return last, "its logic changed"
	}
	return last, ""
}

// changedInput says which input differs from what the last run read, or nothing.
func (p *planner) changedInput(job *PlanJob, last *Job) string {
	if len(last.Inputs) != len(job.Inputs) {
		return "its list of inputs changed"
	}
	for i := range job.Inputs {
		in, was := &job.Inputs[i], &last.Inputs[i]
		switch {
		case in.Dataset != was.Dataset || in.Space != was.Space:
			return "its list of inputs changed"
		case in.Job >= 0 && p.plan.Jobs[in.Job].Run:
			return "job " + p.plan.Jobs[in.Job].Spec.ID + ", which it reads, is going to run"
		case in.Space == "" && in.Transaction != was.Transaction:
			return "the input " + Name(in.Dataset) + " has changed since"
		}
	}
	return ""
}

// gained says whether every input changed by nothing but appending since the last run.
func (p *planner) gained(job *PlanJob, last *Job) bool {
	if len(last.Inputs) != len(job.Inputs) {
		return false
	}
	for i := range job.Inputs {
		in, was := &job.Inputs[i], &last.Inputs[i]
		if in.Dataset != was.Dataset || in.Space != "" || was.Space != "" {
			return false
		}
		now := in.Transaction
		if in.Job >= 0 && p.plan.Jobs[in.Job].Run {
			up := p.outputOf(in)
			if up.Type != Append {
				return false
			}
			now = up.Base
		}
		if !appendedSince(was.Transaction, now) {
			return false
		}
	}
	return true
}

func (p *planner) outputOf(in *PlanInput) *PlanOutput {
	job := p.plan.Jobs[in.Job]
	for i := range job.Spec.Outputs {
		if job.Spec.Outputs[i].Dataset == in.Dataset {
			return &job.Outputs[i]
		}
	}
	return nil
}

// appendedSince says whether now is old, or follows it by nothing but APPENDs.
func appendedSince(old, now *Transaction) bool {
	for ; now != old; now = now.Previous {
		if now == nil || now.Type != Append || old == nil || now.Depth <= old.Depth {
			return false
		}
	}
	return true
}
