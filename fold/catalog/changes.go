package catalog

// BranchCause says what happened to a branch.
type BranchCause string

// The causes of a change of a branch.
const (
	BranchMade       BranchCause = "CREATED"
	BranchRemoved    BranchCause = "DELETED"
	BranchBack       BranchCause = "RESTORED"
	BranchReparented BranchCause = "REPARENTED"
	BranchStarted    BranchCause = "STARTED"
	BranchCommitted  BranchCause = "COMMITTED"
	BranchAborted    BranchCause = "ABORTED"
)

// BranchChange is one change of a branch; a branch may have several in one event.
type BranchChange struct {
	Branch *Branch
	Cause  BranchCause
	// Build is the build that caused it, or nil.
	Build *Build
	// Parent and Head are the branch's after the change.
	Parent *Branch
	Head   *Transaction
}

// Changes lists what an event changed: each entity once, in the order in which they were first changed.
type Changes struct {
	Event    *Event
	Outcome  Outcome
	Datasets []*Dataset
	// Branches are those whose row changed, History each step of theirs.
	Branches     []*Branch
	History      []BranchChange
	Transactions []*Transaction
	Specs        []*Spec
	// SpecsGone are the specs that were removed or replaced.
	SpecsGone   []*Spec
	Builds      []*Build
	Jobs        []*Job
	Attempts    []*Attempt
	Protections []*Protection
}

func (c *Changes) reset(e *Event) {
	*c = Changes{
		Event: e, Datasets: c.Datasets[:0], Branches: c.Branches[:0], History: c.History[:0],
		Transactions: c.Transactions[:0], Specs: c.Specs[:0], SpecsGone: c.SpecsGone[:0],
		Builds: c.Builds[:0], Jobs: c.Jobs[:0], Attempts: c.Attempts[:0], Protections: c.Protections[:0],
	}
}

func (c *Changes) dataset(d *Dataset) {
	if d.mark != c.Event.Offset {
		d.mark = c.Event.Offset
		c.Datasets = append(c.Datasets, d)
	}
}

func (c *Changes) branch(b *Branch, cause BranchCause, build *Build) {
	c.History = append(c.History, BranchChange{Branch: b, Cause: cause, Build: build, Parent: b.Parent, Head: b.Head})
	if b.mark != c.Event.Offset {
		b.mark = c.Event.Offset
		c.Branches = append(c.Branches, b)
	}
}

func (c *Changes) transaction(t *Transaction) {
	if t.mark != c.Event.Offset {
		t.mark = c.Event.Offset
		c.Transactions = append(c.Transactions, t)
	}
}

func (c *Changes) build(b *Build) {
	if b.mark != c.Event.Offset {
		b.mark = c.Event.Offset
		c.Builds = append(c.Builds, b)
	}
}

func (c *Changes) job(j *Job) {
	if j.mark != c.Event.Offset {
		j.mark = c.Event.Offset
		c.Jobs = append(c.Jobs, j)
	}
}

func (c *Changes) attempt(a *Attempt) {
	if a.mark != c.Event.Offset {
		a.mark = c.Event.Offset
		c.Attempts = append(c.Attempts, a)
	}
}
