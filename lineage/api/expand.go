package api

import (
	"context"
	"fmt"
	"slices"

	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/name"
)

// Bounds of one expansion.
const (
	expandLayers  = 3
	expandNodes   = 300
	expandPerNode = 50
	maxShown      = 20000
)

// ExpandGraph answers with what one click on + adds to a canvas.
func (a *API) ExpandGraph(ctx context.Context, req lineageapi.ExpandGraphRequestObject) (lineageapi.ExpandGraphResponseObject, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Limits.Deadline)
	defer cancel()
	r := req.Body
	q, e, err := a.askExpand(ctx, r)
	if err != nil {
		return nil, err
	}
	v, err := a.view(ctx, q)
	if err != nil {
		return nil, err
	}
	e.builder = a.builder(ctx, v, q)
	g, err := e.answer(r)
	if err != nil {
		return nil, err
	}
	return lineageapi.ExpandGraph200JSONResponse{GraphAnswerJSONResponse: lineageapi.GraphAnswerJSONResponse(*g)}, nil
}

// expansion is one expansion under way.
type expansion struct {
	*builder
	up      bool
	layers  int
	perNode int
	limit   int
	// withColumns asks for column edges at table level too.
	withColumns bool
	shown       map[graph.NodeID]bool
	fresh       []graph.Spot
	added       map[graph.NodeID]bool
	left        []lineageapi.More
}

func (a *API) askExpand(ctx context.Context, r *lineageapi.ExpandRequest) (*asked, *expansion, error) {
	e := &expansion{up: r.Side == lineageapi.SideUp, layers: r.Layers, perNode: r.PerNode, limit: r.Limit, withColumns: r.WithColumns, shown: map[graph.NodeID]bool{}, added: map[graph.NodeID]bool{}}
	if !e.up && r.Side != lineageapi.SideDown {
		return nil, nil, badParameter("side", fmt.Sprintf("side is %q; it is up or down", r.Side))
	}
	for _, b := range []struct {
		field   string
		value   *int
		def, to int
	}{{"layers", &e.layers, expandLayers, 10}, {"per_node", &e.perNode, expandPerNode, expandNodes}, {"limit", &e.limit, expandNodes, expandNodes}} {
		if *b.value < 0 || *b.value > b.to {
			return nil, nil, badParameter(b.field, fmt.Sprintf("%s is %d; it is from 1 to %d", b.field, *b.value, b.to))
		}
		if *b.value == 0 {
			*b.value = b.def
		}
	}
	if len(r.Shown) > maxShown {
		return nil, nil, badParameter("shown", fmt.Sprintf("%d nodes are shown; at most %d are taken", len(r.Shown), maxShown))
	}
	direction := lineageapi.DirectionDown
	if e.up {
		direction = lineageapi.DirectionUp
	}
	// One layer more than is shown, for the counts of the last one.
	depth := e.layers + 1
	q, err := a.ask(ctx, params{
		node: r.Node, level: r.Level, direction: direction, depth: &depth, flow: r.Flow, branch: r.Branch, fallback: r.Fallback, asOf: r.AsOf,
		kinds: r.Kinds, tasks: r.Tasks, temporary: r.Temporary, cursor: r.Cursor, position: r.MinPosition,
	})
	return q, e, err
}

// answer walks layer by layer, and takes of each node's neighbours at most so
// many new ones, in a fixed order.
func (e *expansion) answer(r *lineageapi.ExpandRequest) (*lineageapi.Graph, error) {
	id, columns, err := e.start(r)
	if err != nil {
		return nil, err
	}
	e.centres = []lineageapi.Centre{{Key: e.v.KeyOf(id)}}
	for _, key := range r.Shown {
		if n := e.v.Node(key); n != graph.NodeID(graph.NoID) {
			e.shown[n] = true
		}
	}
	e.shown[id] = true
	e.walk(id, e.reachable(id, columns))
	e.render(id, columns)
	e.out.More = e.left
	return e.finish()
}

func (e *expansion) start(r *lineageapi.ExpandRequest) (graph.NodeID, []graph.ColumnID, error) {
	id, columns, err := e.centre(e.v, e.q, r.Node)
	if err != nil || !e.q.byColumn || len(r.Columns) == 0 {
		return id, columns, err
	}
	columns = nil
	for _, col := range r.Columns {
		c := e.v.ColumnOf(id, col)
		if c == graph.ColumnID(graph.NoID) || !e.v.Live(c) {
			return id, nil, e.unknownColumn(e.v, id, col)
		}
		columns = append(columns, c)
	}
	return id, columns, nil
}

// reachable gives the nodes that column edges reach, with their columns, at
// column level; nil at table level, where every neighbour counts.
func (e *expansion) reachable(id graph.NodeID, columns []graph.ColumnID) map[graph.NodeID]bool {
	if !e.q.byColumn {
		return nil
	}
	all := e.v.Around(e.ctx, graph.Question{Nodes: []graph.NodeID{id}, Columns: columns, ByColumn: true, Up: e.up, Down: !e.up, Depth: e.layers, Flow: e.q.flow})
	allowed := map[graph.NodeID]bool{}
	for _, s := range all.Nodes {
		allowed[graph.NodeID(s.ID)] = true
	}
	for _, c := range all.Columns {
		node, _ := e.v.ColumnName(graph.ColumnID(c.ID))
		e.columns[node] = append(e.columns[node], c)
	}
	return allowed
}

// walk collects the new nodes, nearest first.
func (e *expansion) walk(id graph.NodeID, allowed map[graph.NodeID]bool) {
	layer := []graph.NodeID{id}
	seen := map[graph.NodeID]bool{id: true}
	for d := int32(1); d <= int32(e.layers) && len(layer) > 0; d++ {
		var next []graph.NodeID
		for _, from := range layer {
			next = append(next, e.children(from, d, allowed, seen)...)
		}
		layer = next
	}
}

// children takes the neighbours of one node on the side. Those left out for
// want of room are counted.
func (e *expansion) children(from graph.NodeID, d int32, allowed map[graph.NodeID]bool, seen map[graph.NodeID]bool) []graph.NodeID {
	neighbours := e.neighbours(from)
	e.v.SortByHash(neighbours)
	if e.q.after != nil && d == 1 {
		neighbours = e.v.AfterHash(neighbours, e.q.after.Hash)
	}
	var out []graph.NodeID
	taken, left := 0, 0
	var last graph.NodeID
	for _, n := range neighbours {
		if allowed != nil && !allowed[n] || !e.wanted(n) {
			continue
		}
		if e.shown[n] || e.added[n] {
			if !seen[n] {
				seen[n] = true
				out = append(out, n)
			}
			continue
		}
		if taken >= e.perNode || len(e.fresh) >= e.limit {
			left++
			continue
		}
		taken, last = taken+1, n
		e.added[n], seen[n] = true, true
		s := graph.Spot{ID: uint32(n), Up: graph.Far, Down: d}
		if e.up {
			s.Up, s.Down = d, graph.Far
		}
		e.fresh = append(e.fresh, s)
		out = append(out, n)
	}
	if left > 0 {
		more := lineageapi.More{Node: e.v.KeyOf(from), Side: lineageapi.SideDown, Count: left}
		if e.up {
			more.Side = lineageapi.SideUp
		}
		if taken > 0 {
			more.Cursor = e.v.HashCursor(last).String()
		}
		e.left = append(e.left, more)
	}
	return out
}

// neighbours gives the nodes next to a node on the side; of a task its inputs
// or outputs.
func (e *expansion) neighbours(id graph.NodeID) []graph.NodeID {
	if e.v.Family(id) != name.FamilyTask {
		return e.v.Neighbours(id, e.up)
	}
	inputs, outputs := e.v.TaskEnds(e.v.KeyOf(id))
	if e.up {
		return inputs
	}
	return outputs
}

// render puts the new nodes into the answer, and the edges between them and
// to what is shown.
func (e *expansion) render(id graph.NodeID, columns []graph.ColumnID) {
	for n := range e.shown {
		e.in[n] = graph.Spot{ID: uint32(n)}
	}
	for _, s := range e.fresh {
		e.in[graph.NodeID(s.ID)] = s
	}
	joins := e.joinColumns(id)
	for _, s := range e.fresh {
		e.out.Nodes = append(e.out.Nodes, e.placed(s))
	}
	edges := e.v.Induced(e.fresh, func(n graph.NodeID) bool { _, ok := e.in[n]; return ok })
	edges = append(edges, e.v.EdgesTo(id, e.up, func(n graph.NodeID) bool { return e.shown[n] })...)
	if e.q.byColumn {
		edges = e.columnEdges(id, columns)
	}
	edges = append(edges, joins...)
	e.v.SortEdges(edges)
	for i, edge := range slices.Compact(edges) {
		if i >= e.Limits.Edges {
			e.out.Truncated = lineageapi.Truncated{Reason: lineageapi.TruncatedReasonEdges, EdgesLeft: len(edges) - i, Limit: e.Limits.Edges}
			break
		}
		e.addEdge(edge)
	}
	if len(e.left) > 0 && e.out.Truncated.Reason == "" {
		left := 0
		for _, m := range e.left {
			left += m.Count
		}
		e.out.Truncated = lineageapi.Truncated{Reason: lineageapi.TruncatedReasonNodes, NodesLeft: left, Limit: e.limit}
	}
}

// joinColumns gives, where a caller wants columns beside tables, the column
// edges of the node that was expanded and of the new ones. A column stands
// where its node stands.
func (e *expansion) joinColumns(id graph.NodeID) []graph.Edge {
	if !e.withColumns || e.q.byColumn {
		return nil
	}
	nodes := []graph.NodeID{id}
	for _, s := range e.fresh {
		nodes = append(nodes, graph.NodeID(s.ID))
	}
	edges, joined := e.v.ColumnsJoined(nodes, e.in)
	for n, columns := range joined {
		for _, c := range columns {
			e.columns[n] = append(e.columns[n], graph.Spot{ID: uint32(c), Up: e.in[n].Up, Down: e.in[n].Down})
		}
	}
	return edges
}

// columnEdges gives the column edges between the columns reached, those of the
// node that was expanded included.
func (e *expansion) columnEdges(id graph.NodeID, columns []graph.ColumnID) []graph.Edge {
	in := map[graph.ColumnID]bool{}
	for _, c := range columns {
		in[c] = true
	}
	for n, list := range e.columns {
		if _, ok := e.in[n]; !ok {
			continue
		}
		for _, c := range list {
			in[graph.ColumnID(c.ID)] = true
		}
	}
	nodes := []graph.NodeID{id}
	for _, s := range e.fresh {
		nodes = append(nodes, graph.NodeID(s.ID))
	}
	for n := range e.shown {
		if n != id && len(e.columns[n]) > 0 {
			nodes = append(nodes, n)
		}
	}
	return e.v.ColumnEdgesAmong(nodes, in)
}
