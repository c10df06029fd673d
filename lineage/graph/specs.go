package graph

import (
	"iter"
	"slices"
	"strings"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/schemas/name"
)

// outputsOf gives what a job spec produces or, once removed, hides: what is
// known already, what its edges go into, and the datasets that it mentions and makes nothing of.
func (g *Graph) outputsOf(o *owner, more ownerMore) []NodeID {
	out := more.outputs
	starts := map[NodeID]bool{}
	for _, c := range o.edges {
		to := NodeID(c.to)
		switch c.level() {
		case levelTable:
			starts[NodeID(c.from)] = true
		case levelDirect:
			to = g.names.nodeOf(ColumnID(c.to))
		}
		out = append(out, to)
	}
	for _, m := range more.mentions {
		if !starts[m.node] && strings.HasPrefix(g.names.key(m.node), name.FamilyDataset+"|") {
			out = append(out, m.node)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// noteMakers adds a job spec to the makers of nodes, or takes it away.
func (b *Batch) noteMakers(id OwnerID, outputs []NodeID, there bool) {
	for _, node := range outputs {
		var makers []OwnerID
		if old := b.next.makers.get(uint32(node)); old != nil {
			makers = slices.Clone(*old)
		}
		i, found := slices.BinarySearch(makers, id)
		switch {
		case there && !found:
			makers = slices.Insert(makers, i, id)
		case !there && found:
			makers = slices.Delete(makers, i, i+1)
		}
		b.next.makers.set(uint32(node), &makers, b.edit)
	}
}

// makersOf gives the job specs of a branch that produce or hide a canonical
// node; not those that were withdrawn.
func (s *Snapshot) makersOf(node NodeID, branch uint32) iter.Seq2[OwnerID, *owner] {
	return func(yield func(OwnerID, *owner) bool) {
		for _, m := range s.Members(node) {
			makers := s.makers.get(uint32(m))
			if makers == nil {
				continue
			}
			for _, id := range *makers {
				o := s.owners.get(uint32(id))
				if o != nil && o.branch == branch && o.status != lineage.StatusWithdrawn && !yield(id, o) {
					return
				}
			}
		}
	}
}

// Produced reports whether a job spec that counts in the view produces a
// canonical node, and whether one on master does. Those of the first branch
// that has any count; one that was removed there hides the others.
func (v *View) Produced(node NodeID) (here, onMaster bool) {
	for _, number := range v.numbers {
		live, known := v.producedOn(node, number)
		if known {
			here = live
			break
		}
	}
	onMaster, _ = v.producedOn(node, masterBranch)
	return here, onMaster
}

// producedOn reports whether a job spec of a branch produces a node, and
// whether any says something of it.
func (s *Snapshot) producedOn(node NodeID, branch uint32) (live, known bool) {
	for _, o := range s.makersOf(node, branch) {
		live, known = live || o.status == lineage.StatusLive, true
	}
	return live, known
}
