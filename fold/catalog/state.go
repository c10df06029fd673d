package catalog

import (
	"crypto/sha256"
	"encoding/binary"
	"sort"
	"strings"
	"time"

	"github.com/tributary-data/tributary/schemas/event"
)

// RulesVersion is the newest version of the rules, which writers put into their events. The fold keeps
// all versions, so that no later correction changes how an event of the past was judged.
const RulesVersion = 1

// Event is an event of tributary.catalog where it stands in its partition.
type Event struct {
	Offset int64
	// Source and ID together say which event it is, however often it was sent.
	Source, ID string
	Time       time.Time
	Type       string
	Data       event.CatalogEvent
}

// Outcome is how an event was judged.
type Outcome struct {
	// Offset is where the event that was judged stands; for a repeat, where the first one stands.
	Offset int64
	// Repeat says that an event of the same source and id came before.
	Repeat bool
	// Refused is nil if the event was accepted.
	Refused *Refusal
	// Incarnation is that of the branch that the event made or restored.
	Incarnation int
	// Failure is set if an accepted event ended a job without success by the rules, such as a commit of
	// a file that is already there.
	Failure *Refusal
}

// Accepted says whether the event was accepted.
func (o Outcome) Accepted() bool { return o.Refused == nil }

// State is the fold of one partition of tributary.catalog.
type State struct {
	spaces  map[string]*Space
	next    int64
	changes Changes
}

// New returns the state before the first event.
func New() *State { return &State{spaces: map[string]*Space{}} }

// Next returns the offset behind the last event that was applied.
func (s *State) Next() int64 { return s.next }

// Space returns a space, or nil if nothing of it was accepted or refused yet.
func (s *State) Space(name string) *Space { return s.spaces[name] }

// Spaces returns all spaces by name.
func (s *State) Spaces() []*Space {
	list := make([]*Space, 0, len(s.spaces))
	for _, space := range s.spaces {
		list = append(list, space)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// Skip moves the state past records that hold no event, such as those that could not be decoded.
func (s *State) Skip(next int64) {
	if next > s.next {
		s.next = next
	}
}

// Apply judges one event. Events must come in the order of their offsets; one that was applied already
// is judged as a repeat. What changed is in Changes until the next call.
func (s *State) Apply(e *Event) Outcome {
	head := e.Data.Catalog()
	s.next = e.Offset + 1
	s.changes.reset(e)
	space := s.spaces[head.Space]
	if space == nil {
		space = newSpace(head.Space)
		s.spaces[head.Space] = space
	}
	key := seenKey(e.Source, e.ID)
	if at, ok := space.seen[key]; ok {
		out := space.outcome(at)
		out.Repeat = true
		s.changes.Outcome = out
		return out
	}
	out := Outcome{Offset: e.Offset}
	f := fold{Space: space, event: e, changes: &s.changes, out: &out}
	out.Refused = f.judge(head)
	space.remember(key, out)
	s.changes.Outcome = out
	return out
}

// Changes returns what the last event changed. It is valid until the next Apply.
func (s *State) Changes() *Changes { return &s.changes }

// Space is a set of datasets that are built together, with one order of events.
type Space struct {
	Name string
	// Datasets are in the order in which they were made.
	Datasets []*Dataset
	// Builds are in the order in which they were asked for, refused ones included.
	Builds []*Build
	// Queue holds the QUEUED builds in order of arrival.
	Queue []*Build
	// Running holds the RUNNING builds in the order in which they were asked for.
	Running []*Build
	// Swept is the offset of the last retention sweep, -1 if there was none.
	Swept int64

	datasets     map[event.CatalogDataset]*Dataset
	transactions map[ID]*Transaction
	order        []*Transaction // in the order in which they were opened
	builds       map[string]*Build
	specs        map[string]*branchSpecs
	published    []*Spec // every version of every spec, in the order in which they were published
	protections  map[protectionKey]*Protection
	seen         map[[16]byte]int32
	judged       []judgement
	refusals     []Refusal
}

func newSpace(name string) *Space {
	return &Space{
		Name: name, Swept: -1,
		datasets: map[event.CatalogDataset]*Dataset{}, transactions: map[ID]*Transaction{},
		builds: map[string]*Build{}, specs: map[string]*branchSpecs{},
		protections: map[protectionKey]*Protection{}, seen: map[[16]byte]int32{},
	}
}

// Dataset returns a dataset, or nil.
func (s *Space) Dataset(d event.CatalogDataset) *Dataset { return s.datasets[d] }

// Transaction returns a transaction by its id, or nil.
func (s *Space) Transaction(id string) *Transaction {
	parsed, ok := ParseID(id)
	if !ok {
		return nil
	}
	return s.transactions[parsed]
}

// Transactions returns all transactions in the order in which they were opened.
func (s *Space) Transactions() []*Transaction { return s.order }

// Build returns a build by its id, or nil.
func (s *Space) Build(id string) *Build { return s.builds[id] }

// Outcome returns how an event was judged, by its source and id.
func (s *Space) Outcome(source, id string) (Outcome, bool) {
	at, ok := s.seen[seenKey(source, id)]
	if !ok {
		return Outcome{}, false
	}
	return s.outcome(at), true
}

// Branch finds a living branch.
func (s *Space) Branch(d event.CatalogDataset, h event.BranchHandle) (*Branch, *Refusal) {
	ds := s.datasets[d]
	if ds == nil {
		return nil, refuse(CodeDatasetNotFound, "there is no dataset %s", clip(Name(d)))
	}
	return ds.Branch(h)
}

// Branch finds a living branch of the dataset by its handle.
func (d *Dataset) Branch(h event.BranchHandle) (*Branch, *Refusal) {
	b := d.Branches[h.Branch]
	switch {
	case h.Incarnation != 0 && h.Incarnation <= d.incarnation[h.Branch] && (b == nil || b.Incarnation != h.Incarnation):
		return nil, refuse(CodeStaleBranch, "incarnation %d of branch %s of %s has been deleted", h.Incarnation, clip(h.Branch), Name(d.Ref))
	case b == nil || (h.Incarnation != 0 && b.Incarnation != h.Incarnation):
		return nil, refuse(CodeBranchNotFound, "dataset %s has no branch %s", Name(d.Ref), clip(h.Branch))
	}
	return b, nil
}

// seenKey is the hash that an event is known by.
func seenKey(source, id string) [16]byte {
	var buffer [192]byte
	b := binary.AppendUvarint(buffer[:0], uint64(len(source)))
	b = append(b, source...)
	b = append(b, id...)
	sum := sha256.Sum256(b)
	return [16]byte(sum[:16])
}

// judgement is an outcome in the form in which millions are kept.
type judgement struct {
	key         [16]byte
	offset      int64
	incarnation int32
	refused     int32 // index into refusals plus 1, negative for a failure
}

func (s *Space) remember(key [16]byte, out Outcome) {
	j := judgement{key: key, offset: out.Offset, incarnation: int32(out.Incarnation)}
	switch {
	case out.Refused != nil:
		s.refusals = append(s.refusals, *out.Refused)
		j.refused = int32(len(s.refusals))
	case out.Failure != nil:
		s.refusals = append(s.refusals, *out.Failure)
		j.refused = -int32(len(s.refusals))
	}
	s.seen[key] = int32(len(s.judged))
	s.judged = append(s.judged, j)
}

func (s *Space) outcome(at int32) Outcome {
	j := s.judged[at]
	out := Outcome{Offset: j.offset, Incarnation: int(j.incarnation)}
	switch {
	case j.refused > 0:
		out.Refused = &s.refusals[j.refused-1]
	case j.refused < 0:
		out.Failure = &s.refusals[-j.refused-1]
	}
	return out
}

// fold is the work on one event.
type fold struct {
	*Space
	event   *Event
	changes *Changes
	out     *Outcome
	actor   string
}

func (f *fold) offset() int64 { return f.event.Offset }

func (f *fold) millis() int64 { return f.event.Time.UnixMilli() }

// judge applies an event by the rules that it names.
func (f *fold) judge(head *event.CatalogHead) *Refusal {
	if why := badName(head.Space); why != "" {
		return refuse(CodeInvalidEvent, "the space %q is not a name: %s", clip(head.Space), why)
	}
	if f.event.ID == "" || f.event.Source == "" {
		return refuse(CodeInvalidEvent, "the event has no id or no source")
	}
	f.actor = head.Actor
	switch head.Rules {
	case 0, 1:
		return f.judge1()
	}
	return refuse(CodeUnknownRules, "the event is to be judged by rules of version %d, and the newest known is %d", head.Rules, RulesVersion)
}

// judge1 is version 1 of the rules.
func (f *fold) judge1() *Refusal {
	switch d := f.event.Data.(type) {
	case *event.DatasetCreated:
		return f.createDataset(d)
	case *event.BranchCreated:
		return f.createBranch(d)
	case *event.BranchDeleted:
		return f.deleteBranch(d)
	case *event.BranchRestored:
		return f.restoreBranch(d)
	case *event.BranchProtected:
		return f.protect(d)
	case *event.BranchUnprotected:
		return f.unprotect(d)
	case *event.RetentionSwept:
		f.Swept = f.offset()
		return nil
	case *event.TransactionOpened:
		return f.openTransaction(d)
	case *event.TransactionFilesAdded:
		return f.addFiles(d)
	case *event.TransactionCommitted:
		return f.commitTransaction(d)
	case *event.TransactionAborted:
		return f.abortTransaction(d)
	case *event.JobSpecPublished:
		return f.publishSpecs(d)
	}
	return f.judgeBuild1()
}

// judgeBuild1 is the part of version 1 of the rules that is about builds.
func (f *fold) judgeBuild1() *Refusal {
	switch d := f.event.Data.(type) {
	case *event.BuildRequested:
		return f.requestBuild(d)
	case *event.BuildAborted:
		return f.abortBuild(d)
	case *event.AttemptStarted:
		return f.startAttempt(d)
	case *event.AttemptFinished:
		return f.finishAttempt(d)
	case *event.AttemptFailed:
		return f.failAttempt(&d.AttemptHandle, AttemptFailed, d.Message, d.Permanent)
	case *event.AttemptExpired:
		return f.failAttempt(&d.AttemptHandle, AttemptExpired, "the lease ended without a sign of the runner", false)
	case *event.AttemptAborted:
		return f.confirmAbort(d)
	}
	return refuse(CodeInvalidEvent, "an event of type %s does not belong here", clip(f.event.Type))
}

// createDataset makes a dataset.
func (f *fold) createDataset(d *event.DatasetCreated) *Refusal {
	if r := checkDatasetName(d.Dataset); r != nil {
		return r
	}
	if f.datasets[d.Dataset] != nil {
		return refuse(CodeDatasetExists, "dataset %s exists", Name(d.Dataset))
	}
	f.newDataset(d.Dataset)
	return nil
}

func (f *fold) newDataset(ref event.CatalogDataset) {
	ref = event.CatalogDataset{Namespace: strings.Clone(ref.Namespace), Name: strings.Clone(ref.Name)}
	ds := &Dataset{
		Ref: ref, Branches: map[string]*Branch{}, incarnation: map[string]int{},
		Created: f.offset(), CreatedAt: f.millis(), number: len(f.Datasets), mark: -1,
	}
	f.datasets[ref] = ds
	f.Datasets = append(f.Datasets, ds)
	f.changes.dataset(ds)
}
