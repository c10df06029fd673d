package graph

import (
	"slices"
	"strings"
)

// EdgeKey names an edge across graphs.
type EdgeKey struct {
	From, FromColumn, To, ToColumn string
	Direct                         bool
}

// Key gives an edge's names.
func (v *View) Key(e Edge) EdgeKey {
	k := EdgeKey{Direct: e.Direct()}
	switch e.level {
	case levelTable:
		k.From, k.To = v.g.names.key(NodeID(e.From)), v.g.names.key(NodeID(e.To))
	case levelDirect:
		k.From, k.FromColumn = v.columnKey(e.From)
		k.To, k.ToColumn = v.columnKey(e.To)
	default:
		k.From, k.FromColumn = v.columnKey(e.From)
		k.To = v.g.names.key(NodeID(e.To))
	}
	return k
}

func (v *View) columnKey(id uint32) (key, col string) {
	node, col := v.g.names.column(ColumnID(id))
	return v.g.names.key(v.Canonical(node)), col
}

// Compare orders edges by their names.
func (k EdgeKey) Compare(o EdgeKey) int {
	for _, c := range [...]int{
		strings.Compare(k.From, o.From), strings.Compare(k.To, o.To),
		strings.Compare(k.FromColumn, o.FromColumn), strings.Compare(k.ToColumn, o.ToColumn),
	} {
		if c != 0 {
			return c
		}
	}
	switch {
	case k.Direct == o.Direct:
		return 0
	case k.Direct:
		return -1
	}
	return 1
}

// Differences gives the edges of v that other has not, and the other way
// round, at table level or at column level. Views of one snapshot, or of
// snapshots with a base in common, are compared where they were changed only.
func (v *View) Differences(other *View, byColumn bool) (added, removed []Edge) {
	kinds := []level{levelTable}
	if byColumn {
		kinds = []level{levelDirect, levelIndirect}
	}
	for _, l := range kinds {
		added = append(added, v.missingIn(other, l)...)
		removed = append(removed, other.missingIn(v, l)...)
	}
	return added, removed
}

// missingIn gives the edges of a level that v has and other has not.
func (v *View) missingIn(other *View, l level) []Edge {
	var out []Edge
	var buf []uint32
	a, b := &v.edges[l].out, &other.edges[l].out
	check := func(from uint32) {
		for _, to := range a.neighbours(from, &buf) {
			if e := (Edge{l, from, to}); v.seesEdge(e) && !other.hasKey(v, e) {
				out = append(out, e)
			}
		}
	}
	if v.g == other.g && a.base == b.base {
		ids := map[uint32]bool{}
		a.over.each(func(id uint32, _ *patch) { ids[id] = true })
		b.over.each(func(id uint32, _ *patch) { ids[id] = true })
		for id := range ids {
			check(id)
		}
		return out
	}
	froms := v.columns
	if l == levelTable {
		froms = v.nodes
	}
	for id := range froms {
		check(id)
	}
	return out
}

// hasKey reports whether the view has an edge of another view, by name if the
// two are of different graphs.
func (v *View) hasKey(other *View, e Edge) bool {
	if v.g == other.g {
		return v.edges[e.level].out.has(e.From, e.To)
	}
	mine, ok := v.Find(other.Key(e))
	return ok && v.edges[e.level].out.has(mine.From, mine.To)
}

func (v *View) seesEdge(e Edge) bool {
	from, to := NodeID(e.From), NodeID(e.To)
	if e.level != levelTable {
		node := v.g.names.nodeOf(ColumnID(e.From))
		from = v.Canonical(node)
	}
	if e.level == levelDirect {
		node := v.g.names.nodeOf(ColumnID(e.To))
		to = v.Canonical(node)
	}
	return v.Sees(from) && v.Sees(to)
}

// Find gives the edge of a name, whether it is there or not; ok is false if
// its ends are not known.
func (v *View) Find(k EdgeKey) (e Edge, ok bool) {
	from, to := v.Node(k.From), v.Node(k.To)
	if from == NodeID(NoID) || to == NodeID(NoID) {
		return Edge{}, false
	}
	if k.FromColumn == "" {
		return Edge{levelTable, uint32(from), uint32(to)}, true
	}
	c := v.ColumnOf(from, k.FromColumn)
	if c == ColumnID(NoID) {
		return Edge{}, false
	}
	if k.ToColumn == "" {
		return Edge{levelIndirect, uint32(c), uint32(to)}, true
	}
	d := v.ColumnOf(to, k.ToColumn)
	return Edge{levelDirect, uint32(c), uint32(d)}, d != ColumnID(NoID)
}

// Has reports whether an edge is there.
func (v *View) Has(e Edge) bool { return v.edges[e.level].out.has(e.From, e.To) }

// SortEdges orders edges by their names.
func (v *View) SortEdges(edges []Edge) {
	slices.SortFunc(edges, func(a, b Edge) int { return v.Key(a).Compare(v.Key(b)) })
}
