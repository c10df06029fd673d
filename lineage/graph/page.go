package graph

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tributary-data/tributary/fold/lineage"
)

// Edge is an edge of an answer, between canonical ids: nodes at table level,
// columns at the ends of column edges, but that an indirect one goes to a node.
type Edge struct {
	level    level
	From, To uint32
}

// Column reports whether the edge starts at a column.
func (e Edge) Column() bool { return e.level != levelTable }

// Direct reports whether a value flows along the edge.
func (e Edge) Direct() bool { return e.level != levelIndirect }

// Page is a part of an answer: the nodes that follow a cursor, and the edges
// between them and from or to the nodes before them. All pages together have
// every node and every edge once.
type Page struct {
	Nodes []Spot
	// Columns of those nodes, if asked by column.
	Columns []Spot
	Edges   []Edge
	// NodesLeft and EdgesLeft are what of the answer is on later pages;
	// EdgesLeft counts those of the node at which the page ended.
	NodesLeft, EdgesLeft int
	// Next is nil on the last page.
	Next *Cursor
}

// Limits bound a page.
type Limits struct{ Nodes, Edges int }

// Page cuts a page out of an answer.
func (v *View) Page(a Around, byColumn bool, after *Cursor, limits Limits) Page {
	start, skip := 0, 0
	if after != nil {
		start, _ = slices.BinarySearchFunc(a.Nodes, *after, func(s Spot, c Cursor) int {
			if c.after(s, v.g.names.nodeHash(s.ID)) {
				return 1
			}
			return -1
		})
		skip = after.Edges
	}
	p := pager{View: v, in: make(map[uint32]bool, len(a.Nodes)), limits: limits}
	if byColumn {
		p.columns, p.reached = make(map[uint32][]Spot), make(map[uint32]bool, len(a.Columns))
		for _, c := range a.Columns {
			p.reached[c.ID] = true
			node := v.g.names.nodeOf(ColumnID(c.ID))
			n := uint32(v.Canonical(node))
			p.columns[n] = append(p.columns[n], c)
		}
	}
	for _, s := range a.Nodes[:start] {
		p.in[s.ID] = true
	}
	for i := start; i < len(a.Nodes); i++ {
		if len(p.page.Nodes) >= limits.Nodes || !p.add(a.Nodes[i], skip) {
			p.stop(a.Nodes, i)
			break
		}
		skip = 0
	}
	return p.page
}

// pager fills a page node by node.
type pager struct {
	*View
	in      map[uint32]bool
	columns map[uint32][]Spot
	reached map[uint32]bool
	limits  Limits
	page    Page
	// split is how many edges of the node at which the page ended are on it.
	split int
}

// add puts a node on the page with its edges to the nodes before it, the
// first skip of which were on the page before. It reports whether all fitted.
func (p *pager) add(s Spot, skip int) bool {
	p.in[s.ID] = true
	edges := p.edgesOf(s.ID)
	edges = edges[min(skip, len(edges)):]
	room := p.limits.Edges - len(p.page.Edges)
	if len(edges) > room {
		if len(p.page.Nodes)+len(p.page.Edges) > 0 {
			p.page.EdgesLeft = len(edges)
			return false
		}
		p.page.Edges = append(p.page.Edges, edges[:room]...)
		p.page.EdgesLeft, p.split = len(edges)-room, skip+room
		if skip == 0 {
			p.put(s)
		}
		return false
	}
	if skip == 0 {
		p.put(s)
	}
	p.page.Edges = append(p.page.Edges, edges...)
	return true
}

func (p *pager) put(s Spot) {
	p.page.Nodes = append(p.page.Nodes, s)
	p.page.Columns = append(p.page.Columns, p.columns[s.ID]...)
}

// stop notes where the page ended: before node i, or within its edges.
func (p *pager) stop(nodes []Spot, i int) {
	p.page.NodesLeft = len(nodes) - i
	next := Cursor{Distance: -1, Edges: p.split}
	if i > 0 {
		next.Distance, next.Hash = nodes[i-1].Distance(), p.g.names.nodeHash(nodes[i-1].ID)
	}
	if p.split > 0 {
		p.page.NodesLeft--
	}
	p.page.Next = &next
}

// edgesOf gives the edges between a node and the nodes put in so far, itself
// included, in a fixed order.
func (p *pager) edgesOf(id uint32) []Edge {
	if p.columns == nil {
		return p.nodeEdges(levelTable, id, id, nil)
	}
	var out []Edge
	for _, c := range p.columns[id] {
		out = p.columnEdges(c.ID, id, out)
	}
	// Indirect edges go into the node itself.
	var buf []uint32
	for _, from := range p.edges[levelIndirect].in.neighbours(id, &buf) {
		if node := p.nodeOf(from); p.in[node] && node != id && p.reached[from] {
			out = append(out, Edge{levelIndirect, from, id})
		}
	}
	return out
}

func (p *pager) nodeOf(column uint32) uint32 {
	node := p.g.names.nodeOf(ColumnID(column))
	return uint32(p.Canonical(node))
}

func (p *pager) nodeEdges(l level, id, self uint32, out []Edge) []Edge {
	var buf []uint32
	for _, to := range p.edges[l].out.neighbours(id, &buf) {
		if p.in[to] {
			out = append(out, Edge{l, id, to})
		}
	}
	for _, from := range p.edges[l].in.neighbours(id, &buf) {
		if p.in[from] && from != self {
			out = append(out, Edge{l, from, id})
		}
	}
	return out
}

// columnEdges gives the edges of one column of the node being put in.
func (p *pager) columnEdges(c, node uint32, out []Edge) []Edge {
	var buf []uint32
	for _, to := range p.edges[levelDirect].out.neighbours(c, &buf) {
		if n := p.nodeOf(to); p.in[n] && p.reached[to] {
			out = append(out, Edge{levelDirect, c, to})
		}
	}
	for _, from := range p.edges[levelDirect].in.neighbours(c, &buf) {
		// Edges within the node were met from their starts.
		if n := p.nodeOf(from); n != node && p.in[n] && p.reached[from] {
			out = append(out, Edge{levelDirect, from, c})
		}
	}
	for _, to := range p.edges[levelIndirect].out.neighbours(c, &buf) {
		if p.in[to] {
			out = append(out, Edge{levelIndirect, c, to})
		}
	}
	return out
}

// Contributor is one that makes an edge, and how.
type Contributor struct {
	Owner lineage.OwnerKey
	// Node is the key of the task's node, of people that of the node drawn to.
	Node       string
	Kind       string
	Origin     lineage.Origin
	Via        lineage.Via
	Statements []int
	Unexpanded bool
	// Drawn is set for edges that people drew.
	Drawn *Drawn
}

// Contributors lists all that make an edge in the view.
func (v *View) Contributors(e Edge) []Contributor {
	var out []Contributor
	ids := v.edges[e.level].out.owners(e.From, e.To, nil)
	for _, id := range slices.Compact(ids) {
		o := v.owners.get(id)
		if o == nil {
			continue
		}
		c := Contributor{Owner: v.g.keyOf(OwnerID(id)), Kind: v.g.kindOf(o)}
		drawn := o.rest().drawn
		if o.node != NodeID(NoID) {
			c.Node = v.g.names.key(o.node)
		}
		for _, at := range v.placesOf(o, e) {
			x := o.edges[at]
			c.Origin, c.Via, c.Unexpanded = x.origin(), x.via(), x.unexpanded()
			c.Statements = *v.g.statements.at(x.statements())
			c.Drawn = nil
			if drawn != nil {
				c.Drawn = &drawn[at]
			}
			out = append(out, c)
		}
	}
	return out
}

// placesOf gives the places of an owner's contributions to a canonical edge.
func (v *View) placesOf(o *owner, e Edge) []int {
	var out []int
	first, end := o.find(e.level, e.From, e.To)
	if !v.same.any {
		for i := first; i < end; i++ {
			out = append(out, i)
		}
		return out
	}
	for i, c := range o.edges {
		if c.level() != e.level {
			continue
		}
		if from, to := v.canonicalEdge(e.level, c); from == e.From && to == e.To {
			out = append(out, i)
		}
	}
	return out
}

// Induced gives the table edges between nodes and those of a set, the nodes
// included in it.
func (v *View) Induced(nodes []Spot, in func(NodeID) bool) []Edge {
	var out []Edge
	for _, s := range nodes {
		out = append(out, v.EdgesTo(NodeID(s.ID), true, in)...)
		out = append(out, v.EdgesTo(NodeID(s.ID), false, in)...)
	}
	return out
}

// EdgesTo gives the table edges between a node and its neighbours of a set on
// one side.
func (v *View) EdgesTo(id NodeID, up bool, in func(NodeID) bool) []Edge {
	var out []Edge
	for _, n := range v.Neighbours(id, up) {
		if !in(n) {
			continue
		}
		e := Edge{levelTable, uint32(id), uint32(n)}
		if up {
			e.From, e.To = e.To, e.From
		}
		out = append(out, e)
	}
	return out
}

// ColumnEdgesAmong gives the column edges of nodes whose ends are columns of a
// set; an indirect edge's end is any of the nodes.
func (v *View) ColumnEdgesAmong(nodes []NodeID, in map[ColumnID]bool) []Edge {
	among := make(map[NodeID]bool, len(nodes))
	for _, n := range nodes {
		among[n] = true
	}
	var out []Edge
	for _, n := range nodes {
		for _, e := range v.EdgesFrom(n, true) {
			if in[ColumnID(e.From)] && (e.level == levelDirect && in[ColumnID(e.To)] || e.level == levelIndirect && among[NodeID(e.To)]) {
				out = append(out, e)
			}
		}
	}
	return out
}

// ColumnsJoined gives the column edges between nodes of a set that start or end
// at one of the given nodes, and the columns of those that the edges join. An
// indirect edge ends at a node as a whole.
func (v *View) ColumnsJoined(nodes []NodeID, set map[NodeID]Spot) ([]Edge, map[NodeID][]ColumnID) {
	given := make(map[NodeID]bool, len(nodes))
	for _, n := range nodes {
		given[n] = true
	}
	var edges []Edge
	joined := map[NodeID]map[ColumnID]bool{}
	join := func(n NodeID, c uint32) {
		if given[n] && joined[n] == nil {
			joined[n] = map[ColumnID]bool{}
		}
		if given[n] {
			joined[n][ColumnID(c)] = true
		}
	}
	for from := range set {
		for _, e := range v.EdgesFrom(from, true) {
			to := NodeID(e.To)
			if e.level == levelDirect {
				to, _ = v.ColumnName(ColumnID(e.To))
			}
			if _, in := set[to]; !in || !given[from] && !given[to] {
				continue
			}
			edges = append(edges, e)
			join(from, e.From)
			if e.level == levelDirect {
				join(to, e.To)
			}
		}
	}
	columns := make(map[NodeID][]ColumnID, len(joined))
	for n, list := range joined {
		columns[n] = slices.Sorted(maps.Keys(list))
	}
	return edges, columns
}

// SortByHash puts nodes into the order of their keys' hashes, which lasts
// beyond the process.
func (v *View) SortByHash(ids []NodeID) {
	slices.SortFunc(ids, func(a, b NodeID) int {
		return cmp.Compare(v.g.names.nodeHash(uint32(a)), v.g.names.nodeHash(uint32(b)))
	})
}

// AfterHash gives what of sorted nodes comes after a hash.
func (v *View) AfterHash(ids []NodeID, hash uint64) []NodeID {
	i := slices.IndexFunc(ids, func(id NodeID) bool { return v.g.names.nodeHash(uint32(id)) > hash })
	if i < 0 {
		return nil
	}
	return ids[i:]
}

// HashCursor gives a cursor that names a node in the order of SortByHash.
func (v *View) HashCursor(id NodeID) Cursor { return Cursor{Hash: v.g.names.nodeHash(uint32(id))} }
