package api

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
)

// GetDiff answers with the difference of two branches or two times.
func (a *API) GetDiff(ctx context.Context, req lineageapi.GetDiffRequestObject) (lineageapi.GetDiffResponseObject, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Limits.Deadline)
	defer cancel()
	p := req.Params
	shared := params{node: p.Node, level: p.Level, direction: p.Direction, depth: p.Depth, flow: p.Flow, limit: p.Limit, cursor: p.Cursor, defaultDepth: 1}
	head, base := shared, shared
	head.branch, head.fallback, head.asOf, head.position = p.Branch, p.Fallback, p.AsOf, p.MinPosition
	base.branch, base.fallback, base.asOf = p.BaseBranch, p.BaseFallback, p.BaseAsOf
	if base.branch == "" && p.BaseAsOf != "" {
		base.branch, base.fallback = p.Branch, p.Fallback
	}
	h, err := a.ask(ctx, head)
	if err != nil {
		return nil, err
	}
	b, err := a.ask(ctx, base)
	if err != nil {
		return nil, err
	}
	if h.asOf == b.asOf && slices.Equal(h.chain, b.chain) {
		return nil, badParameter("base_branch", "both sides are the same: name another base_branch, or a base_as_of")
	}
	d := differ{API: a, ctx: ctx, head: h, base: b, page: a.Limits.Edges}
	if p.Limit != nil {
		d.page = min(*p.Limit, d.page)
	}
	out, err := d.answer(p.Node)
	if err != nil {
		return nil, err
	}
	return lineageapi.GetDiff200JSONResponse(*out), nil
}

// differ is one comparison under way.
type differ struct {
	*API
	ctx        context.Context //nolint:containedctx // lives as long as its request
	head, base *asked
	// page is the most edges that the answer holds.
	page int
	out  lineageapi.Diff
}

// side is one side of a comparison.
type side struct {
	*builder
	edges map[graph.EdgeKey]graph.Edge
	nodes map[string]graph.NodeID
}

func (d *differ) answer(node string) (*lineageapi.Diff, error) {
	head, err := d.side(d.head)
	if err != nil {
		return nil, err
	}
	base, err := d.side(d.base)
	if err != nil {
		return nil, err
	}
	d.out = lineageapi.Diff{Head: describe(head.builder), Base: describe(base.builder), Nodes: []lineageapi.Node{}, Edges: []lineageapi.Edge{}}
	if node == "" {
		d.whole(head, base)
	} else if err := d.around(node, head, base); err != nil {
		return nil, err
	}
	d.list(head, base)
	return &d.out, nil
}

func describe(b *builder) lineageapi.DiffSide {
	return lineageapi.DiffSide{Branch: b.q.branch, Chain: b.q.chain, AsOf: b.q.asOf, Position: b.v.Position().String()}
}

func (d *differ) side(q *asked) (*side, error) {
	v, err := d.view(d.ctx, q)
	if err != nil {
		return nil, err
	}
	if err := d.checkBranches(d.ctx, q.chain); err != nil {
		return nil, err
	}
	return &side{builder: d.builder(d.ctx, v, q), edges: map[graph.EdgeKey]graph.Edge{}, nodes: map[string]graph.NodeID{}}, nil
}

// checkBranches refuses a branch that nothing was ever said on: compared, it
// would be its fallback, and a wrong name would look like no difference.
func (a *API) checkBranches(ctx context.Context, chain []string) error {
	for _, b := range chain {
		if a.Live.Current().KnowsBranch(b) {
			continue
		}
		known := false
		if a.Chains != nil {
			var err error
			if known, err = a.Chains.Has(ctx, b); err != nil {
				return fmt.Errorf("looking up branch %s: %w", b, err)
			}
		}
		if !known {
			return refuse(http.StatusNotFound, "UnknownBranch", fmt.Sprintf("there is no branch %.200q: no lineage, dataset, job spec or build was ever on it", b))
		}
	}
	return nil
}

// whole compares all edges; only what differs is kept.
func (d *differ) whole(head, base *side) {
	added, removed := head.v.Differences(base.v, d.head.byColumn)
	for _, e := range added {
		head.put(e)
	}
	for _, e := range removed {
		base.put(e)
	}
}

func (s *side) put(e graph.Edge) {
	k := s.v.Key(e)
	s.edges[k] = e
	for _, key := range []string{k.From, k.To} {
		s.nodes[key] = s.v.Node(key)
	}
}

// around compares what lies around a node, which may be on one side only.
func (d *differ) around(node string, head, base *side) error {
	errHead, errBase := head.collect(node), base.collect(node)
	if errHead != nil && errBase != nil {
		return errHead
	}
	return nil
}

func (s *side) collect(node string) error {
	id, columns, err := s.centre(s.v, s.q, node)
	if err != nil {
		return err
	}
	all := s.v.Around(s.ctx, graph.Question{Nodes: []graph.NodeID{id}, Columns: columns, ByColumn: s.q.byColumn, Up: s.q.up, Down: s.q.down, Depth: s.q.depth, Flow: s.q.flow})
	in := map[graph.NodeID]bool{}
	for _, n := range all.Nodes {
		in[graph.NodeID(n.ID)] = true
		s.in[graph.NodeID(n.ID)] = n
		s.nodes[s.v.KeyOf(graph.NodeID(n.ID))] = graph.NodeID(n.ID)
	}
	edges := s.v.Induced(all.Nodes, func(n graph.NodeID) bool { return in[n] })
	if s.q.byColumn {
		reached := map[graph.ColumnID]bool{}
		for _, c := range all.Columns {
			reached[graph.ColumnID(c.ID)] = true
		}
		edges = s.v.ColumnEdgesAmong(slices.Collect(maps.Keys(in)), reached)
	}
	for _, e := range edges {
		s.edges[s.v.Key(e)] = e
	}
	return nil
}

// list puts the union into the answer, edges by name, a page of them, with
// the nodes at their ends; nodes without edges are on the first page.
func (d *differ) list(head, base *side) {
	keys := slices.Collect(maps.Keys(head.edges))
	for k := range base.edges {
		if _, both := head.edges[k]; both {
			d.out.Unchanged++
		} else {
			keys = append(keys, k)
			d.out.Removed++
		}
	}
	d.out.Added = len(head.edges) - d.out.Unchanged
	slices.SortFunc(keys, graph.EdgeKey.Compare)
	start := 0
	if d.head.after != nil {
		start = min(d.head.after.Edges, len(keys))
	}
	end := min(start+d.page, len(keys))
	nodes := map[string]bool{}
	if start == 0 {
		maps.Copy(nodes, lonely(keys, head, base))
	}
	for _, k := range keys[start:end] {
		d.out.Edges = append(d.out.Edges, d.edge(k, head, base))
		nodes[k.From], nodes[k.To] = true, true
	}
	for _, key := range slices.Sorted(maps.Keys(nodes)) {
		d.out.Nodes = append(d.out.Nodes, d.node(key, head, base))
	}
	if end < len(keys) && d.page > 0 {
		d.out.Cursor = graph.Cursor{Edges: end}.String()
		d.out.Truncated = lineageapi.Truncated{Reason: lineageapi.TruncatedReasonEdges, EdgesLeft: len(keys) - end, Limit: d.page}
	}
}

// lonely gives the nodes of both sides that no edge touches.
func lonely(edges []graph.EdgeKey, head, base *side) map[string]bool {
	touched, out := map[string]bool{}, map[string]bool{}
	for _, k := range edges {
		touched[k.From], touched[k.To] = true, true
	}
	for _, s := range []*side{head, base} {
		for key := range s.nodes {
			if !touched[key] {
				out[key] = true
			}
		}
	}
	return out
}

func (d *differ) edge(k graph.EdgeKey, head, base *side) lineageapi.Edge {
	e, inHead := head.edges[k]
	old, inBase := base.edges[k]
	if !inHead {
		out := base.edge(old)
		out.Change = lineageapi.ChangeRemoved
		return out
	}
	out := head.edge(e)
	out.Change = lineageapi.ChangeAdded
	if inBase {
		out.Change = lineageapi.ChangeUnchanged
	}
	return out
}

// node renders a node as the head has it, with what its columns gained and
// lost.
func (d *differ) node(key string, head, base *side) lineageapi.Node {
	_, inHead := head.nodes[key]
	_, inBase := base.nodes[key]
	from, other := head, base
	if !inHead && inBase || head.v.Node(key) == graph.NodeID(graph.NoID) {
		from, other = base, head
	}
	id := from.v.Node(key)
	n := from.node(id)
	if s, ok := from.in[id]; ok {
		n = from.placed(s)
	}
	n.Change = lineageapi.ChangeUnchanged
	switch {
	case inHead && !inBase && base.absent(key):
		n.Change = lineageapi.ChangeAdded
	case inBase && !inHead && head.absent(key):
		n.Change = lineageapi.ChangeRemoved
	}
	n.Columns = d.columns(key, from, other, from == head)
	return n
}

// absent reports whether nothing is known of a node on a side: no edge and no
// definition.
func (s *side) absent(key string) bool {
	id := s.v.Node(key)
	if id == graph.NodeID(graph.NoID) {
		return true
	}
	up, down := s.v.Degree(id)
	return up == 0 && down == 0 && s.v.About(id).Definition == nil
}

// columns lists the columns of a node that one side has and the other has
// not, and those on both, if the sides know the node's columns differently.
func (d *differ) columns(key string, from, other *side, fromHead bool) []lineageapi.Column {
	was := map[string]bool{}
	if id := other.v.Node(key); id != graph.NodeID(graph.NoID) {
		for _, c := range other.v.Columns(id) {
			was[c.Name] = true
		}
	}
	only, others := lineageapi.ChangeAdded, lineageapi.ChangeRemoved
	if !fromHead {
		only, others = others, only
	}
	var out []lineageapi.Column
	differs := false
	for _, c := range from.v.Columns(from.v.Node(key)) {
		col := from.column(c)
		col.Change = lineageapi.ChangeUnchanged
		if !was[c.Name] {
			col.Change, differs = only, true
		}
		delete(was, c.Name)
		out = append(out, col)
	}
	for _, left := range slices.Sorted(maps.Keys(was)) {
		out, differs = append(out, lineageapi.Column{Name: left, Change: others}), true
	}
	if !differs {
		return nil
	}
	return out
}
