package graph

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/schemas/event"
)

// OwnerState is all that an owner says: the batch works out what changed.
type OwnerState struct {
	Key     lineage.OwnerKey
	Status  lineage.Status
	Version uint64
	Order   lineage.Order
	// Node is the key of the task's node; for people of the node that their
	// edges go into.
	Node string
	// Kind is the task's kind.
	Kind string
	// Spec marks a job spec. It produces, or once removed hides, what its edges
	// go into and the datasets that it mentions and makes nothing of. Outputs
	// are keys that it is known to produce or hide beside those, where not all
	// of its edges are given.
	Spec     bool
	Outputs  []string
	Items    []lineage.Item
	Mentions []lineage.Mention
}

// Batch collects changes, which readers see all at once when it is committed.
// It is not safe for concurrent use, and a graph has one batch at a time.
type Batch struct {
	g       *Graph
	next    Snapshot
	edit    *editToken
	changes [levels][]change
	rebuild bool
	cloned  bool
	opened  int
	closed  int
}

// Begin starts a batch of changes on the current snapshot.
func (g *Graph) Begin() *Batch {
	return &Batch{g: g, next: *g.Current(), edit: new(editToken)}
}

// Changed gives the numbers of edges that owners opened and closed so far.
func (b *Batch) Changed() (opened, closed int) { return b.opened, b.closed }

// Commit makes the batch the current snapshot, at a log position, and gives it.
func (b *Batch) Commit(position Position) *Snapshot {
	if b.rebuild {
		b.rebuildAll()
	} else {
		for l := range b.changes {
			if len(b.changes[l]) > 0 {
				b.next.edges[l] = b.next.edges[l].apply(b.changes[l], b.edit)
			}
		}
	}
	b.next.nodes, b.next.columns = b.g.names.keys.len(), b.g.names.columns.len()
	b.indexNames()
	b.mergeIfDue()
	b.next.sequence++
	b.next.position = position
	b.next.views = &viewCache{}
	s := b.next
	b.g.current.Store(&s)
	return &s
}

// A merge copies the graph once; it is due when what lies over the base is
// this part of the edges, but not for a few changes in a small graph.
const (
	mergeShare = 16
	mergeLeast = 1 << 14
)

func (b *Batch) mergeIfDue() {
	for l := range b.next.edges {
		if a := &b.next.edges[l]; a.patched > max(b.g.mergeLeast, a.edges/mergeShare) {
			froms, tos := b.sizes(level(l))
			*a = a.merged(froms, tos)
		}
	}
}

// sizes gives the numbers of ids on either side of a level's edges.
func (b *Batch) sizes(l level) (froms, tos int) {
	nodes, columns := int(b.g.names.keys.len()), int(b.g.names.columns.len())
	switch l {
	case levelDirect:
		return columns, columns
	case levelIndirect:
		return columns, nodes
	}
	return nodes, nodes
}

// node interns a key, and works out which node it is one with.
func (b *Batch) node(key string) (NodeID, error) {
	known := b.g.names.keys.len()
	id, err := b.g.names.intern(key)
	if err == nil && uint32(id) >= known {
		b.place(id)
	}
	return id, err
}

func (b *Batch) column(node NodeID, col string) (ColumnID, error) {
	known := b.g.names.columns.len()
	id, err := b.g.names.internColumn(node, col)
	if err == nil && uint32(id) >= known {
		err = b.placeColumn(id)
	}
	return id, err
}

// SetOwner makes the state the owner's. An older version than the owner has
// is dropped. The error joins what was wrong with single edges (a name that
// collides with another one); the other edges are taken all the same.
func (b *Batch) SetOwner(s OwnerState) error {
	id := b.g.internOwner(s.Key)
	old := b.next.owners.get(uint32(id))
	if old != nil && old.version > s.Version {
		return nil
	}
	next := b.g.newOwner(id, s.Status, s.Kind, s.Version, s.Order, s.Spec)
	var more ownerMore
	var errs []error
	if s.Node != "" {
		n, err := b.node(s.Node)
		errs = append(errs, err)
		next.node = n
	}
	errs = append(errs, b.fillEdges(next, &more, s), b.fillMentions(&more, s.Mentions))
	if s.Spec {
		for _, key := range s.Outputs {
			n, err := b.node(key)
			errs = append(errs, err)
			if err == nil {
				more.outputs = append(more.outputs, n)
			}
		}
		more.outputs = b.g.outputsOf(next, more)
	}
	next.keep(more)
	b.replace(id, old, next)
	return errors.Join(errs...)
}

// Mention makes a node known that nothing else is said of. Errors wrap
// ErrCollision.
func (b *Batch) Mention(key string) error {
	_, err := b.node(key)
	return err
}

func (b *Batch) fillEdges(o *owner, more *ownerMore, s OwnerState) error {
	type drawnEdge struct {
		contribution
		Drawn
	}
	var errs []error
	edges := make([]drawnEdge, 0, len(s.Items))
	for i := range s.Items {
		c, err := b.contribution(&s.Items[i])
		if err != nil {
			errs = append(errs, fmt.Errorf("edge from %s to %s: %w", s.Items[i].From, s.Items[i].To, err))
			continue
		}
		edges = append(edges, drawnEdge{c, Drawn{Who: s.Items[i].Who, Why: s.Items[i].Why, At: s.Items[i].OpenedAt, Explicit: s.Items[i].Explicit}})
	}
	slices.SortFunc(edges, func(x, y drawnEdge) int { return x.compare(y.contribution) })
	o.edges = make([]contribution, len(edges))
	for i := range edges {
		o.edges[i] = edges[i].contribution
	}
	if s.Key.Source == lineage.SourcePeople {
		more.drawn = make([]Drawn, len(edges))
		for i := range edges {
			more.drawn[i] = edges[i].Drawn
		}
	}
	return errors.Join(errs...)
}

// contribution packs one edge, interning its names.
func (b *Batch) contribution(i *lineage.Item) (contribution, error) {
	from, err := b.node(i.From)
	if err != nil {
		return contribution{}, err
	}
	to, err := b.node(i.To)
	if err != nil {
		return contribution{}, err
	}
	c := contribution{from: uint32(from), to: uint32(to)}
	l := levelTable
	if i.FromColumn != "" {
		col, err := b.column(from, i.FromColumn)
		if err != nil {
			return contribution{}, err
		}
		c.from, l = uint32(col), levelIndirect
	}
	if i.FromColumn != "" && i.Direct {
		col, err := b.column(to, i.ToColumn)
		if err != nil {
			return contribution{}, err
		}
		c.to, l = uint32(col), levelDirect
	}
	c.meta = pack(l, i.Origin, i.Via, i.Unexpanded, b.g.internStatements(i.Statements))
	return c, nil
}

func (b *Batch) fillMentions(more *ownerMore, mentions []lineage.Mention) error {
	var errs []error
	for _, m := range mentions {
		id, err := b.node(m.Key)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		more.mentions = append(more.mentions, mention{node: id, kind: m.Kind, display: m.Display})
	}
	return errors.Join(errs...)
}

// replace notes the difference of an owner's two states.
func (b *Batch) replace(id OwnerID, old, next *owner) {
	var before []contribution
	if old != nil {
		before = old.edges
		for _, m := range old.rest().mentions {
			b.setInfo(m.node, b.info(m.node).withMention(m, -1))
		}
	}
	for _, m := range next.rest().mentions {
		b.setInfo(m.node, b.info(m.node).withMention(m, 1))
	}
	b.diff(id, next.branch == masterBranch, before, next.edges)
	if next.branch != masterBranch && old == nil {
		b.addAway(id, next.branch)
	}
	if old != nil {
		b.noteMakers(id, old.rest().outputs, false)
	}
	b.noteMakers(id, next.rest().outputs, true)
	b.next.owners.set(uint32(id), next, b.edit)
}

// diff walks two sorted lists of contributions and notes what is in one only.
func (b *Batch) diff(id OwnerID, master bool, before, after []contribution) {
	for len(before) > 0 || len(after) > 0 {
		var c int
		switch {
		case len(before) == 0:
			c = 1
		case len(after) == 0:
			c = -1
		default:
			c = before[0].compare(after[0])
		}
		if c < 0 {
			b.closed++
			b.note(id, master, before[0], true)
		}
		if c > 0 {
			b.opened++
			b.note(id, master, after[0], false)
		}
		if c <= 0 {
			before = before[1:]
		}
		if c >= 0 {
			after = after[1:]
		}
	}
}

func (b *Batch) note(id OwnerID, master bool, c contribution, gone bool) {
	if !master {
		return
	}
	l := c.level()
	from, to := b.next.canonicalEdge(l, c)
	b.changes[l] = append(b.changes[l], change{from: from, to: to, owner: uint32(id), gone: gone})
}

// addAway notes an owner of a branch other than master.
func (b *Batch) addAway(id OwnerID, branch uint32) {
	if !b.cloned {
		b.next.away, b.cloned = maps.Clone(b.next.away), true
	}
	list := b.next.away[branch]
	b.next.away[branch] = append(list, id) // older snapshots see their own length only
}

func (b *Batch) info(id NodeID) *nodeInfo { return b.next.info.get(uint32(id)) }

func (b *Batch) setInfo(id NodeID, i *nodeInfo) { b.next.info.set(uint32(id), i, b.edit) }

// SetDefinition notes what a dataset is on a branch. Errors wrap ErrCollision.
func (b *Batch) SetDefinition(key string, d Definition) error {
	id, err := b.node(key)
	if err != nil {
		return err
	}
	var errs []error
	for _, c := range d.columns() {
		_, err := b.column(id, c.Name)
		errs = append(errs, err)
	}
	b.g.internBranch(d.Branch)
	b.setInfo(id, b.info(id).withDefinition(d))
	b.noteMasked(id, d.columns())
	return errors.Join(errs...)
}

// Definition gives what is known of a dataset on exactly one branch, as the
// batch leaves it; nil if nothing is.
func (b *Batch) Definition(key, branch string) *Definition {
	id := b.g.names.find(key)
	if id == NodeID(NoID) {
		return nil
	}
	i := b.info(id)
	if i == nil {
		return nil
	}
	for n := range i.definitions {
		if i.definitions[n].Branch == branch {
			return &i.definitions[n]
		}
	}
	return nil
}

// noteMasked keeps the list of columns that any definition masks.
func (b *Batch) noteMasked(id NodeID, columns []event.Column) {
	for _, c := range columns {
		if !c.Masked {
			continue
		}
		col := b.g.names.findColumn(id, c.Name)
		if i, known := slices.BinarySearch(b.next.masked, col); !known && col != ColumnID(NoID) {
			b.next.masked = slices.Insert(slices.Clone(b.next.masked), i, col)
		}
	}
}
