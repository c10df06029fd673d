package graph

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
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
	b := &Batch{g: g, next: *g.Current(), edit: new(editToken)}
	for l := range g.changes {
		b.changes[l] = g.changes[l][:0]
	}
	return b
}

// mostChanges bounds the changes that memory is kept for.
const mostChanges = 1 << 16

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
			if b.g.changes[l] = b.changes[l]; cap(b.changes[l]) > mostChanges {
				b.g.changes[l] = nil
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

// spot is a node with a column of it, as one of the ends of an edge. Edges come
// sorted, so that many have an end with the one before.
type spot struct {
	key  string
	node NodeID
	// platform compares names of columns; known once one was asked for.
	platform name.Platform
	known    bool
	column   string
	id       ColumnID
}

// atNode moves the spot to a node, which it interns.
func (b *Batch) atNode(s *spot, key string) (NodeID, error) {
	if s.key == key && key != "" {
		return s.node, nil
	}
	id, err := b.node(key)
	if err != nil {
		*s = spot{}
		return id, err
	}
	*s = spot{key: key, node: id}
	return id, nil
}

// atColumn moves the spot to a column of its node, which it interns.
func (b *Batch) atColumn(s *spot, col string) (ColumnID, error) {
	if s.known && s.column == col && col != "" {
		return s.id, nil
	}
	if !s.known {
		s.platform, s.known = platformOf(s.key), true
	}
	s.column = ""
	known := b.g.names.columns.len()
	id, err := b.g.names.internSame(s.key, s.node, s.platform.SameColumn(col))
	if err == nil && uint32(id) >= known {
		err = b.placeColumn(id)
	}
	if err == nil {
		s.column, s.id = col, id
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

// drawnEdge is an edge that a person drew.
type drawnEdge struct {
	contribution
	Drawn
}

func (b *Batch) fillEdges(o *owner, more *ownerMore, s OwnerState) error {
	var errs []error
	var from, to spot
	var drawn []drawnEdge
	o.edges = make([]contribution, 0, len(s.Items))
	for n := range s.Items {
		i := &s.Items[n]
		c, err := b.contribution(i, &from, &to)
		if err != nil {
			errs = append(errs, fmt.Errorf("edge from %s to %s: %w", i.From, i.To, err))
			continue
		}
		o.edges = append(o.edges, c)
		if s.Key.Source == lineage.SourcePeople {
			drawn = append(drawn, drawnEdge{c, Drawn{Who: i.Who, Why: i.Why, At: i.OpenedAt, Explicit: i.Explicit}})
		}
	}
	if s.Key.Source != lineage.SourcePeople {
		slices.SortFunc(o.edges, contribution.compare)
		return errors.Join(errs...)
	}
	slices.SortFunc(drawn, func(x, y drawnEdge) int { return x.compare(y.contribution) })
	more.drawn = make([]Drawn, len(drawn))
	for i := range drawn {
		o.edges[i], more.drawn[i] = drawn[i].contribution, drawn[i].Drawn
	}
	return errors.Join(errs...)
}

// contribution packs one edge, interning its names.
func (b *Batch) contribution(i *lineage.Item, from, to *spot) (contribution, error) {
	start, err := b.atNode(from, i.From)
	if err != nil {
		return contribution{}, err
	}
	end, err := b.atNode(to, i.To)
	if err != nil {
		return contribution{}, err
	}
	c := contribution{from: uint32(start), to: uint32(end)}
	l := levelTable
	if i.FromColumn != "" {
		col, err := b.atColumn(from, i.FromColumn)
		if err != nil {
			return contribution{}, err
		}
		c.from, l = uint32(col), levelIndirect
	}
	if i.FromColumn != "" && i.Direct {
		col, err := b.atColumn(to, i.ToColumn)
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
	var at spot
	id, err := b.atNode(&at, key)
	if err != nil {
		return err
	}
	var errs []error
	for _, c := range d.columns() {
		_, err := b.atColumn(&at, c.Name)
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
