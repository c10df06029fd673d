package graph

import "slices"

// Canonicalizer gives the one key of all that are the same node. The fold of
// definitions is one.
type Canonicalizer interface{ Canonical(key string) string }

// sameness says which nodes are one under several keys, and so which columns.
// Only nodes and columns that are not their own canonical form are in it.
type sameness struct {
	rules   Canonicalizer
	node    radix[NodeID]
	members radix[[]NodeID]
	column  radix[ColumnID]
	any     bool
}

// Canonical gives the node that a node is shown as.
func (s *Snapshot) Canonical(id NodeID) NodeID {
	if s.same.any {
		if c := s.same.node.get(uint32(id)); c != nil {
			return *c
		}
	}
	return id
}

func (s *Snapshot) canonicalColumn(id ColumnID) ColumnID {
	if s.same.any {
		if c := s.same.column.get(uint32(id)); c != nil {
			return *c
		}
	}
	return id
}

// canonicalEdge gives the canonical ends of a contribution.
func (s *Snapshot) canonicalEdge(l level, c contribution) (from, to uint32) {
	if !s.same.any {
		return c.from, c.to
	}
	switch l {
	case levelTable:
		return uint32(s.Canonical(NodeID(c.from))), uint32(s.Canonical(NodeID(c.to)))
	case levelDirect:
		return uint32(s.canonicalColumn(ColumnID(c.from))), uint32(s.canonicalColumn(ColumnID(c.to)))
	}
	return uint32(s.canonicalColumn(ColumnID(c.from))), uint32(s.Canonical(NodeID(c.to)))
}

// Members gives all nodes that a canonical node stands for, itself first.
func (s *Snapshot) Members(id NodeID) []NodeID {
	if s.same.any {
		if m := s.same.members.get(uint32(id)); m != nil {
			return append([]NodeID{id}, *m...)
		}
	}
	return []NodeID{id}
}

// SetRules puts new rules in force of what is the same as what. All canonical
// keys and all edges are worked out anew when the batch commits, from the keys
// that they came with. Only batches ask the rules.
func (b *Batch) SetRules(rules Canonicalizer) {
	b.next.same = &sameness{rules: rules}
	b.rebuild = true
}

// place works out the canonical node of one that was just interned.
func (b *Batch) place(id NodeID) {
	rules := b.next.same.rules
	if rules == nil || b.rebuild {
		return
	}
	key := b.g.names.key(id)
	canonical := rules.Canonical(key)
	if canonical == key {
		return
	}
	c, err := b.node(canonical)
	if err != nil {
		return // the canonical key collides with another: the node stays apart
	}
	b.unite(id, c)
}

func (b *Batch) unite(id, canonical NodeID) {
	same := *b.next.same
	same.any = true
	same.node.set(uint32(id), &canonical, b.edit)
	var members []NodeID
	if m := same.members.get(uint32(canonical)); m != nil {
		members = slices.Clone(*m)
	}
	members = append(members, id)
	same.members.set(uint32(canonical), &members, b.edit)
	b.next.same = &same
}

// placeColumn works out the canonical column of one that was just interned.
func (b *Batch) placeColumn(id ColumnID) error {
	if !b.next.same.any || b.rebuild {
		return nil
	}
	node, col := b.g.names.column(id)
	canonical := b.next.Canonical(node)
	if canonical == node {
		return nil
	}
	c, err := b.g.names.internColumn(canonical, col)
	if err != nil {
		return err
	}
	same := *b.next.same
	same.column.set(uint32(id), &c, b.edit)
	b.next.same = &same
	return nil
}

// rebuildAll works out canonical nodes and columns anew, and then the edges.
func (b *Batch) rebuildAll() {
	rules := b.next.same.rules
	b.rebuild = false
	b.next.same = &sameness{rules: rules}
	if rules != nil {
		for i := uint32(0); i < b.g.names.keys.len(); i++ { //nolint:intrange // placing a node may add the one that it stands for
			b.place(NodeID(i))
		}
		b.next.same.members.each(func(_ uint32, members *[]NodeID) {
			for _, m := range *members {
				b.g.names.eachColumn(m, func(c ColumnID) { _ = b.placeColumn(c) })
			}
		})
	}
	for l := range levels {
		b.changes[l] = nil
		froms, tos := b.sizes(l)
		b.next.edges[l] = build(froms, tos, func(yield func(arc)) { b.eachMaster(l, yield) })
	}
}

// eachMaster calls yield for every contribution of a level on master.
func (b *Batch) eachMaster(l level, yield func(arc)) {
	b.next.owners.each(func(id uint32, o *owner) {
		if o.branch != masterBranch {
			return
		}
		for _, c := range o.ofLevel(l) {
			from, to := b.next.canonicalEdge(l, c)
			yield(arc{from: from, to: to, owner: id})
		}
	})
}
