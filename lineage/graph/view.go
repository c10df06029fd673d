package graph

import (
	"slices"
	"strings"
	"sync"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/schemas/event"
)

// View is a snapshot as one chain of branches sees it: the branch that is
// asked about and those that it falls back on, in order.
type View struct {
	*Snapshot
	chain []string
	// numbers are the chain's branches; NoID for one that was never named.
	numbers []uint32
	edges   [levels]adjacency
	masked  func() *maskedColumns
	// permit says which canonical nodes the caller may see; nil is all. What
	// may not be seen is not there: not counted, and no way leads through it.
	permit func(key string) bool
}

// Permitted gives the view as a caller sees it who may see only the nodes that
// permit admits.
func (v *View) Permitted(permit func(key string) bool) *View {
	if permit == nil {
		return v
	}
	c := *v
	c.permit = permit
	return &c
}

// SeesAll reports whether the caller may see every node.
func (v *View) SeesAll() bool { return v.permit == nil }

// Sees reports whether the caller may see a node.
func (v *View) Sees(id NodeID) bool {
	return v.permit == nil || v.permit(v.g.names.key(id))
}

func (v *View) seesColumn(id ColumnID) bool {
	if v.permit == nil {
		return true
	}
	node := v.g.names.nodeOf(id)
	return v.Sees(v.Canonical(node))
}

// viewCache keeps the views that were asked of one snapshot.
type viewCache struct {
	mu    sync.Mutex
	views map[string]*View
}

// maxCachedViews bounds what a snapshot keeps; chains come from requests.
const maxCachedViews = 64

// View gives the snapshot as a chain of branches sees it. An empty chain is
// [master].
func (s *Snapshot) View(chain ...string) *View {
	if len(chain) == 0 {
		chain = []string{event.MasterBranch}
	}
	id := strings.Join(chain, "\x00")
	s.views.mu.Lock()
	defer s.views.mu.Unlock()
	if v := s.views.views[id]; v != nil {
		return v
	}
	v := s.newView(slices.Clone(chain))
	if s.views.views == nil || len(s.views.views) >= maxCachedViews {
		s.views.views = map[string]*View{}
	}
	s.views.views[id] = v
	return v
}

// Chain gives the branches of the view, in order.
func (v *View) Chain() []string { return v.chain }

func (s *Snapshot) newView(chain []string) *View {
	v := &View{Snapshot: s, chain: chain, edges: s.edges}
	v.masked = sync.OnceValue(v.findMasked)
	for _, b := range chain {
		v.numbers = append(v.numbers, s.g.branch(b))
	}
	if len(chain) == 1 && chain[0] == event.MasterBranch {
		return v
	}
	b := viewBuilder{View: v, master: slices.Contains(v.numbers, masterBranch)}
	if !b.master {
		for l := range v.edges {
			v.edges[l] = adjacency{out: half{base: newBase(0)}, in: half{base: newBase(0)}}
		}
	}
	b.addTasks()
	b.addSpecs()
	edit := new(editToken)
	for l := range b.changes {
		if len(b.changes[l]) > 0 {
			v.edges[l] = v.edges[l].apply(b.changes[l], edit)
		}
	}
	return v
}

// viewBuilder works out how a chain's edges differ from those of master.
type viewBuilder struct {
	*View
	master  bool
	changes [levels][]change
}

// show adds an owner's edges, hide takes away those that master gave; keep
// says which of them are meant, nil all.
func (b *viewBuilder) show(id OwnerID, o *owner, keep func(contribution) bool) {
	b.note(id, o, keep, false)
}

func (b *viewBuilder) hide(id OwnerID, o *owner, keep func(contribution) bool) {
	b.note(id, o, keep, true)
}

func (b *viewBuilder) note(id OwnerID, o *owner, keep func(contribution) bool, gone bool) {
	for _, c := range o.edges {
		if keep != nil && !keep(c) {
			continue
		}
		l := c.level()
		from, to := b.canonicalEdge(l, c)
		b.changes[l] = append(b.changes[l], change{from: from, to: to, owner: uint32(id), gone: gone})
	}
}

// addTasks decides for each task that a branch of the chain other than master
// says something about, and for what people drew there.
func (b *viewBuilder) addTasks() {
	decided := map[string]bool{}
	for _, number := range b.numbers {
		if number == NoID || number == masterBranch {
			continue
		}
		for _, id := range b.away[number] {
			o, name := b.owners.get(uint32(id)), b.g.owners.at(uint32(id))
			switch {
			case o == nil || o.spec:
			case name.source == lineage.SourcePeople:
				b.show(id, o, nil)
			case !decided[name.task]:
				decided[name.task] = true
				b.decide(name.task)
			}
		}
	}
}

// decide shows what counts of a task: its definition on the first branch that
// has one, and what its runs showed on the first branch up to there.
func (b *viewBuilder) decide(task string) {
	definition, runs := b.firsts(task)
	for i, number := range b.numbers {
		if number == NoID {
			continue
		}
		b.settle(task, lineage.SourceDefinition, i, i == definition)
		b.settle(task, lineage.SourceRuns, i, i == runs)
	}
}

// settle makes one owner's edges be there or not; those of master are there
// to begin with, if master is in the chain.
func (b *viewBuilder) settle(task string, source lineage.Source, at int, counts bool) {
	id, o := b.ownerOn(task, source, at)
	if o == nil || o.spec {
		return
	}
	switch onMaster := b.numbers[at] == masterBranch; {
	case counts && !onMaster:
		b.show(id, o, nil)
	case !counts && onMaster:
		b.hide(id, o, nil)
	}
}

func (v *View) ownerOn(task string, source lineage.Source, at int) (OwnerID, *owner) {
	id := v.g.owner(lineage.OwnerKey{Task: task, Branch: v.chain[at], Source: source})
	if id == NoID {
		return 0, nil
	}
	return OwnerID(id), v.owners.get(id)
}

// firsts gives the places in the chain of the task's definition and of its
// runs that count; -1 for none. A removal hides all that comes after it.
func (v *View) firsts(task string) (definition, runs int) {
	definition, runs = -1, -1
	for i := range v.chain {
		_, d := v.ownerOn(task, lineage.SourceDefinition, i)
		_, r := v.ownerOn(task, lineage.SourceRuns, i)
		if runs < 0 && r != nil && r.status == lineage.StatusLive {
			runs = i
		}
		if d == nil || d.spec {
			continue
		}
		switch d.status {
		case lineage.StatusLive:
			return i, runs
		case lineage.StatusRemoved:
			return -1, runs
		}
	}
	return definition, runs
}

// addSpecs decides for each dataset that a job spec of a branch of the chain
// produces: the specs of the first such branch make its edges.
func (b *viewBuilder) addSpecs() {
	first := map[NodeID]int{}
	for i, number := range b.numbers {
		if number == NoID || number == masterBranch {
			continue
		}
		for _, id := range b.away[number] {
			o := b.owners.get(uint32(id))
			if o == nil || !o.spec || o.status == lineage.StatusWithdrawn {
				continue
			}
			for _, output := range o.rest().outputs {
				if at, ok := first[b.Canonical(output)]; !ok || at > i {
					first[b.Canonical(output)] = i
				}
			}
		}
	}
	if len(first) == 0 {
		return
	}
	b.settleMaster(first)
	for i, number := range b.numbers {
		if number == NoID || number == masterBranch {
			continue
		}
		for _, id := range b.away[number] {
			if o := b.owners.get(uint32(id)); o != nil && o.spec && o.status == lineage.StatusLive {
				b.show(id, o, func(c contribution) bool { at, ok := first[b.target(c)]; return ok && at == i })
			}
		}
	}
}

// settleMaster hides what master's job specs make of datasets that a branch
// before master produces, and lets master's, the removed ones too, stand where
// it comes first.
func (b *viewBuilder) settleMaster(first map[NodeID]int) {
	at := slices.Index(b.numbers, uint32(masterBranch))
	if at < 0 {
		return
	}
	overridden := map[NodeID]bool{}
	specs := map[OwnerID]*owner{}
	for output, i := range first {
		if i < at {
			overridden[output] = true
		}
		for id, o := range b.makersOf(output, masterBranch) {
			specs[id] = o
			first[output] = min(i, at)
		}
	}
	for id, o := range specs {
		b.hide(id, o, func(c contribution) bool { return overridden[b.target(c)] })
	}
}

// target gives the canonical node that a contribution goes into.
func (s *Snapshot) target(c contribution) NodeID {
	if c.level() == levelDirect {
		node := s.g.names.nodeOf(ColumnID(c.to))
		return s.Canonical(node)
	}
	return s.Canonical(NodeID(c.to))
}
