package graph

import (
	"context"
	"slices"
	"strings"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// Node gives the canonical node of a key, old keys included; NoID if the key
// was never heard of, or the caller may not see it.
func (v *View) Node(key string) NodeID {
	id := v.g.names.find(key)
	if id == NodeID(NoID) || uint32(id) >= v.nodes {
		return NodeID(NoID)
	}
	if id = v.Canonical(id); !v.Sees(id) {
		return NodeID(NoID)
	}
	return id
}

// KeyOf gives a node's key.
func (s *Snapshot) KeyOf(id NodeID) string { return s.g.names.key(id) }

// ColumnOf gives a canonical node's column by name; NoID if it has none.
func (v *View) ColumnOf(node NodeID, col string) ColumnID {
	for _, m := range v.Members(node) {
		if c := v.g.names.findColumn(m, col); c != ColumnID(NoID) && uint32(c) < v.columns {
			return v.canonicalColumn(c)
		}
	}
	return ColumnID(NoID)
}

// ColumnName gives the canonical node of a column, and its name.
func (s *Snapshot) ColumnName(id ColumnID) (NodeID, string) {
	node, col := s.g.names.column(id)
	return s.Canonical(node), col
}

// Live reports whether a column is there in the view.
func (v *View) Live(id ColumnID) bool { return v.isLive(id) }

// About is what is known of a node in a view beyond its edges.
type About struct {
	Kind, Display string
	// Definition is nil if none counts.
	Definition *Definition
	// FromFallback says that the definition is not of the first branch.
	FromFallback bool
	// Aliases are the other keys of the node.
	Aliases []string
}

// About tells of a canonical node.
func (v *View) About(id NodeID) About {
	info := v.info.get(uint32(id))
	key := v.g.names.key(id)
	family, _, _ := strings.Cut(key, "|")
	a := About{Display: info.display(), Definition: info.definition(v.chain)}
	members := v.Members(id)
	for _, m := range members[1:] {
		a.Aliases = append(a.Aliases, v.g.names.key(m))
		if a.Definition == nil {
			a.Definition = v.info.get(uint32(m)).definition(v.chain)
		}
	}
	slices.Sort(a.Aliases)
	if family == name.FamilyDataset {
		a.Kind = v.datasetKind(members, family)
		a.FromFallback = a.Definition != nil && a.Definition.Branch != v.chain[0]
		return a
	}
	a.Kind = family
	if o, at := v.task(key); o != nil {
		a.FromFallback = at > 0
		if kind := v.g.kindOf(o); kind != "" {
			a.Kind = kind
		}
	}
	return a
}

func (v *View) datasetKind(members []NodeID, family string) string {
	kind := ""
	for _, m := range members {
		if k := v.info.get(uint32(m)).kind(family, v.chain); kind == "" || kind == defaultKind(family) {
			kind = k
		}
	}
	return kind
}

// Kind gives a canonical node's kind.
func (v *View) Kind(id NodeID) string {
	key := v.g.names.key(id)
	if strings.HasPrefix(key, name.FamilyDataset+"|") {
		return v.datasetKind(v.Members(id), name.FamilyDataset)
	}
	return v.About(id).Kind
}

// Family gives a node's family.
func (v *View) Family(id NodeID) string {
	family, _, _ := strings.Cut(v.g.names.key(id), "|")
	return family
}

// taskOf gives the key of a task's records from that of its node; ok is false
// for a dataset.
func taskOf(nodeKey string) (task string, ok bool) {
	family, task, _ := strings.Cut(nodeKey, "|")
	return task, family != name.FamilyDataset
}

// task gives the definition of a task's node that counts, and its place in
// the chain; nil if there is none.
func (v *View) task(nodeKey string) (*owner, int) {
	task, ok := taskOf(nodeKey)
	if !ok {
		return nil, -1
	}
	if at, _ := v.firsts(task); at >= 0 {
		_, o := v.ownerOn(task, lineage.SourceDefinition, at)
		return o, at
	}
	return nil, -1
}

// TaskBranch gives the branch whose definition of a task counts; empty if
// there is none.
func (v *View) TaskBranch(nodeKey string) string {
	if _, at := v.task(nodeKey); at >= 0 {
		return v.chain[at]
	}
	return ""
}

// TaskEnds gives the canonical nodes that the table edges of a task begin and
// end at, as far as they count in the view, each once and sorted.
func (v *View) TaskEnds(nodeKey string) (inputs, outputs []NodeID) {
	task, ok := taskOf(nodeKey)
	if !ok {
		return nil, nil
	}
	definition, runs := v.firsts(task)
	for _, at := range []struct {
		source lineage.Source
		place  int
	}{{lineage.SourceDefinition, definition}, {lineage.SourceRuns, runs}} {
		if at.place < 0 {
			continue
		}
		_, o := v.ownerOn(task, at.source, at.place)
		if o == nil {
			continue
		}
		for _, c := range o.ofLevel(levelTable) {
			from, to := v.canonicalEdge(levelTable, c)
			inputs, outputs = append(inputs, NodeID(from)), append(outputs, NodeID(to))
		}
	}
	return v.seen(inputs), v.seen(outputs)
}

// seen gives what of ids the caller may see, sorted and each once.
func (v *View) seen(ids []NodeID) []NodeID {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if v.permit == nil {
		return ids
	}
	return slices.DeleteFunc(ids, func(id NodeID) bool { return !v.Sees(id) })
}

// Degree gives the numbers of neighbours of a node on either side in all.
func (v *View) Degree(id NodeID) (up, down int) {
	return v.degree(levelTable, uint32(id), true), v.degree(levelTable, uint32(id), false)
}

func (v *View) degree(l level, id uint32, up bool) int {
	h := v.half(l, up)
	if v.permit == nil {
		return h.degree(id)
	}
	n := 0
	var buf []uint32
	for _, to := range h.neighbours(id, &buf) {
		if l == levelTable && v.Sees(NodeID(to)) || l != levelTable && v.seesColumn(ColumnID(to)) {
			n++
		}
	}
	return n
}

// ColumnDegree gives the numbers of columns that flow directly into a column
// and out of it.
func (v *View) ColumnDegree(id ColumnID) (up, down int) {
	return v.degree(levelDirect, uint32(id), true), v.degree(levelDirect, uint32(id), false)
}

// Neighbours gives the nodes next to a node on one side.
func (v *View) Neighbours(id NodeID, up bool) []NodeID {
	var buf []uint32
	var out []NodeID
	for _, n := range v.half(levelTable, up).neighbours(uint32(id), &buf) {
		if v.Sees(NodeID(n)) {
			out = append(out, NodeID(n))
		}
	}
	return out
}

// AnyOutside reports whether a node has a neighbour on a side that is not in a
// set.
func (v *View) AnyOutside(id NodeID, up bool, in func(NodeID) bool) bool {
	var buf []uint32
	for _, n := range v.half(levelTable, up).neighbours(uint32(id), &buf) {
		if !in(NodeID(n)) && v.Sees(NodeID(n)) {
			return true
		}
	}
	return false
}

// ColumnInfo is one column of a node.
type ColumnInfo struct {
	ID ColumnID
	// Name is as the definition writes it, if there is one.
	Name    string
	Defined event.Column
	// Masked says that the definition masks it, WithMasked that a masked value
	// gets into it by direct edges.
	Masked, WithMasked bool
	// WithManual says that a person drew one of its edges.
	WithManual bool
}

// Columns gives the columns of a canonical node, in the order of its
// definition, then by name.
func (v *View) Columns(node NodeID) []ColumnInfo {
	ids := v.columnsOf(node)
	return v.Describe(node, ids)
}

// Describe tells of some columns of a canonical node, in the same order as
// Columns.
func (v *View) Describe(node NodeID, ids []ColumnID) []ColumnInfo {
	defined := v.definedColumns(node)
	v.sortColumns(ids, defined)
	masked := v.masked()
	out := make([]ColumnInfo, len(ids))
	for i, c := range ids {
		_, col := v.g.names.column(c)
		if d, ok := defined[c]; ok {
			col = d.Name
		}
		out[i] = ColumnInfo{ID: c, Name: col, Defined: defined[c].Column, Masked: masked.declared[c], WithMasked: masked.reached[c], WithManual: v.columnDrawn(c)}
	}
	return out
}

// ColumnCount gives the number of columns of a canonical node.
func (v *View) ColumnCount(node NodeID) int { return len(v.columnsOf(node)) }

// WithMasked reports whether any column of a node is masked or gets a masked
// value.
func (v *View) WithMasked(node NodeID) bool {
	masked := v.masked()
	if len(masked.reached) == 0 {
		return false
	}
	return slices.ContainsFunc(v.columnsOf(node), func(c ColumnID) bool { return masked.reached[c] })
}

// columnDrawn reports whether a person drew an edge of a column.
func (v *View) columnDrawn(c ColumnID) bool {
	var buf []uint32
	for _, to := range v.edges[levelDirect].out.neighbours(uint32(c), &buf) {
		if v.drawn(Edge{levelDirect, uint32(c), to}) {
			return true
		}
	}
	for _, from := range v.edges[levelDirect].in.neighbours(uint32(c), &buf) {
		if v.drawn(Edge{levelDirect, from, uint32(c)}) {
			return true
		}
	}
	return false
}

// drawn reports whether a person is among those who contribute an edge.
func (v *View) drawn(e Edge) bool {
	for _, id := range v.edges[e.level].out.owners(e.From, e.To, nil) {
		if v.g.owners.at(id).source == lineage.SourcePeople {
			return true
		}
	}
	return false
}

// Branches lists the branches that anything was defined on, master first.
func (s *Snapshot) Branches() []string {
	out := []string{event.MasterBranch}
	for n := range s.away {
		out = append(out, *s.g.branches.at(n))
	}
	slices.Sort(out[1:])
	return out
}

// KnowsBranch reports whether anything was ever said on a branch.
func (s *Snapshot) KnowsBranch(name string) bool { return s.g.branch(name) != NoID }

// OwnersOn gives the number of owners on a branch other than master.
func (s *Snapshot) OwnersOn(branch string) int {
	if n := s.g.branch(branch); n != NoID {
		return len(s.away[n])
	}
	return 0
}

// Counts are how much a snapshot holds on master.
type Counts struct {
	Nodes, Columns          int
	Table, Direct, Indirect int
}

// Counts tells how much there is.
func (s *Snapshot) Counts() Counts {
	return Counts{
		Nodes: int(s.nodes), Columns: int(s.columns),
		Table: s.edges[levelTable].edges, Direct: s.edges[levelDirect].edges, Indirect: s.edges[levelIndirect].edges,
	}
}

// SeenCounts tells how much there is of what the caller may see, as far as it
// can be counted while ctx lasts.
func (v *View) SeenCounts(ctx context.Context) Counts {
	if v.SeesAll() {
		return v.Counts()
	}
	var c Counts
	v.EachNode(func(id NodeID) bool {
		c.Nodes, c.Columns = c.Nodes+len(v.Members(id)), c.Columns+len(v.columnsOf(id))
		for _, e := range slices.Concat(v.EdgesFrom(id, false), v.EdgesFrom(id, true)) {
			switch e.level {
			case levelTable:
				c.Table++
			case levelDirect:
				c.Direct++
			default:
				c.Indirect++
			}
		}
		return ctx.Err() == nil
	})
	return c
}

// EachNode calls f for each node that is its own canonical form and that the
// caller may see, until it returns false.
func (v *View) EachNode(f func(NodeID) bool) {
	for id := range v.nodes {
		if n := NodeID(id); v.Canonical(n) == n && v.Sees(n) && !f(n) {
			return
		}
	}
}

// EdgesFrom gives the edges of one node, or of its columns, with the flow.
func (v *View) EdgesFrom(node NodeID, byColumn bool) []Edge {
	var out []Edge
	var buf []uint32
	add := func(l level, from uint32) {
		for _, to := range v.edges[l].out.neighbours(from, &buf) {
			if e := (Edge{l, from, to}); v.seesEdge(e) {
				out = append(out, e)
			}
		}
	}
	if !byColumn {
		add(levelTable, uint32(node))
		return out
	}
	for _, c := range v.columnsOf(node) {
		add(levelDirect, uint32(c))
		add(levelIndirect, uint32(c))
	}
	return out
}

// TaskEdges gives the table edges that a task makes in the view.
func (v *View) TaskEdges(nodeKey string) []Edge {
	return slices.DeleteFunc(v.OwnEdges(nodeKey), Edge.Column)
}

// OwnEdges gives the edges of all levels that a task makes in the view.
func (v *View) OwnEdges(nodeKey string) []Edge {
	task, ok := taskOf(nodeKey)
	if !ok {
		return nil
	}
	var out []Edge
	for i := range v.chain {
		for _, source := range []lineage.Source{lineage.SourceDefinition, lineage.SourceRuns} {
			_, o := v.ownerOn(task, source, i)
			if o == nil {
				continue
			}
			for _, c := range o.edges {
				from, to := v.canonicalEdge(c.level(), c)
				if e := (Edge{c.level(), from, to}); v.Has(e) && v.seesEdge(e) {
					out = append(out, e)
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b Edge) int {
		return cmp3(uint32(a.level), uint32(b.level), a.From, b.From, a.To, b.To)
	})
	return slices.Compact(out)
}

// Hash gives the 64-bit id of a node's key, ColumnHash that of a column: they
// order pages the same way in every process.
func (s *Snapshot) Hash(id NodeID) uint64 { return s.g.names.nodeHash(uint32(id)) }

// ColumnHash gives the 64-bit id of a column.
func (s *Snapshot) ColumnHash(id ColumnID) uint64 { return s.g.names.columnHash(uint32(id)) }

// Masked reports whether a column is masked or gets a masked value.
func (v *View) Masked(id ColumnID) bool { return v.masked().reached[id] }

// EachTask calls f with the key of each task that makes a table edge between a
// node and those of a set upstream of it (or downstream), until f returns
// false. A task may come more than once.
func (v *View) EachTask(id NodeID, up bool, in func(NodeID) bool, f func(key string) bool) {
	var owners []uint32
	for _, e := range v.EdgesTo(id, up, in) {
		owners = v.edges[levelTable].out.owners(e.From, e.To, owners[:0])
		for _, o := range owners {
			if x := v.owners.get(o); x != nil && x.node != NodeID(NoID) && v.g.owners.at(o).source != lineage.SourcePeople && !f(v.g.names.key(x.node)) {
				return
			}
		}
	}
}

// ColumnSources gives the direct edges into a column.
func (v *View) ColumnSources(id ColumnID) []Edge {
	var buf []uint32
	var out []Edge
	for _, from := range v.edges[levelDirect].in.neighbours(uint32(id), &buf) {
		if e := (Edge{levelDirect, from, uint32(id)}); v.seesEdge(e) {
			out = append(out, e)
		}
	}
	return out
}

// Reach gives the nodes that table edges lead to from some, in the order of
// their least distance; ends holds, for each distance from 0, the index after
// its last node.
func (v *View) Reach(ctx context.Context, start []NodeID, up bool, depth int) (ids []uint32, ends []int) {
	r := v.walkNodes(ctx, start, up, depth)
	return r.ids, r.ends
}
