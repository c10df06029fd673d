package api

import (
	"context"
	"slices"

	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/name"
)

// reached is one node or column of a closure.
type reached struct {
	node     graph.NodeID
	column   graph.ColumnID
	distance int32
	hash     uint64
}

// hasColumn tells a column from a node that has none.
func (r reached) hasColumn() bool { return r.column != graph.ColumnID(graph.NoID) }

// GetClosure answers with everything up or down, as a list.
func (a *API) GetClosure(ctx context.Context, req lineageapi.GetClosureRequestObject) (lineageapi.GetClosureResponseObject, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Limits.Deadline)
	defer cancel()
	p := req.Params
	q, err := a.ask(ctx, params{
		node: p.Node, column: p.Column, level: p.Level, direction: p.Direction, depth: p.Depth, flow: p.Flow, branch: p.Branch,
		fallback: p.Fallback, asOf: p.AsOf, kinds: p.Kinds, limit: p.Limit, cursor: p.Cursor, position: p.MinPosition, defaultDepth: graph.Unlimited,
	})
	if err != nil {
		return nil, err
	}
	if q.up == q.down {
		return nil, badParameter("direction", "direction must be up or down: a closure goes one way; the graph around a node comes from /api/v1/graph")
	}
	v, err := a.view(ctx, q)
	if err != nil {
		return nil, err
	}
	c, err := a.closure(ctx, v, q)
	if err != nil {
		return nil, err
	}
	return lineageapi.GetClosure200JSONResponse(*c), nil
}

func (a *API) closure(ctx context.Context, v *graph.View, q *asked) (*lineageapi.Closure, error) {
	id, columns, err := a.centre(v, q, q.nodes[0])
	if err != nil {
		return nil, err
	}
	b := a.builder(ctx, v, q)
	all, cut, err := b.reach(id, columns)
	if err != nil {
		return nil, err
	}
	out := &lineageapi.Closure{
		Centre: v.KeyOf(id), Column: q.column, Direction: lineageapi.DirectionDown, Nodes: []lineageapi.ClosureNode{}, ByDistance: []int{}, ByKind: map[string]int{},
		Total: len(all), Branch: q.branch, Chain: q.chain, AsOf: q.asOf, Position: v.Position().String(),
	}
	if q.up {
		out.Direction = lineageapi.DirectionUp
	}
	b.count(out, all)
	page := b.pageOf(all)
	for _, r := range page.list {
		out.Nodes = append(out.Nodes, b.closureNode(r))
	}
	if page.left > 0 && q.limit > 0 {
		out.Truncated = lineageapi.Truncated{Reason: lineageapi.TruncatedReasonNodes, NodesLeft: page.left, Limit: q.limit}
		out.Cursor = page.next.String()
	}
	if cut {
		out.Truncated = lineageapi.Truncated{Reason: lineageapi.TruncatedReasonDeadline, NodesLeft: page.left}
	}
	out.Errors, err = b.closureErrors(id, page.list)
	return out, err
}

// reach walks, and gives what was reached beside the start, in the order of
// distance.
func (b *builder) reach(id graph.NodeID, columns []graph.ColumnID) (all []reached, cut bool, err error) {
	q := graph.Question{Nodes: []graph.NodeID{id}, Columns: columns, ByColumn: b.q.byColumn, Up: b.q.up, Down: b.q.down, Depth: b.q.depth, Flow: b.q.flow}
	var around graph.Around
	if b.v.Family(id) == name.FamilyTask && !b.q.byColumn {
		inputs, outputs := b.v.TaskEnds(b.v.KeyOf(id))
		if inputs, outputs, err = b.extraEnds(b.v.KeyOf(id), inputs, outputs); err != nil {
			return nil, false, err
		}
		around = b.taskReach(q, inputs, outputs)
	} else {
		around = b.v.Around(b.ctx, q)
	}
	if !b.q.byColumn {
		all = make([]reached, 0, len(around.Nodes))
		for _, s := range around.Nodes {
			if s.Distance() > 0 && b.wanted(graph.NodeID(s.ID)) {
				all = append(all, reached{node: graph.NodeID(s.ID), column: graph.ColumnID(graph.NoID), distance: s.Distance(), hash: b.v.Hash(graph.NodeID(s.ID))})
			}
		}
		return all, around.Cut, nil
	}
	return b.reachedColumns(around), around.Cut, nil
}

// reachedColumns lists the columns reached, and nodes without columns that
// indirect edges reach.
func (b *builder) reachedColumns(around graph.Around) []reached {
	var all []reached
	with := map[graph.NodeID]bool{}
	for _, s := range around.Columns {
		node, _ := b.v.ColumnName(graph.ColumnID(s.ID))
		with[node] = true
		if s.Distance() > 0 && b.wanted(node) {
			all = append(all, reached{node: node, column: graph.ColumnID(s.ID), distance: s.Distance(), hash: b.v.ColumnHash(graph.ColumnID(s.ID))})
		}
	}
	for _, s := range around.Nodes {
		if id := graph.NodeID(s.ID); s.Distance() > 0 && !with[id] && b.wanted(id) {
			all = append(all, reached{node: id, column: graph.ColumnID(graph.NoID), distance: s.Distance(), hash: b.v.Hash(id)})
		}
	}
	slices.SortFunc(all, func(x, y reached) int {
		if x.before(y.distance, y.hash) {
			return -1
		}
		return 1
	})
	return all
}

func (r reached) before(distance int32, hash uint64) bool {
	return r.distance < distance || r.distance == distance && r.hash < hash
}

func (b *builder) count(out *lineageapi.Closure, all []reached) {
	for _, r := range all {
		for len(out.ByDistance) < int(r.distance) {
			out.ByDistance = append(out.ByDistance, 0)
		}
		out.ByDistance[r.distance-1]++
		out.ByKind[b.kindOf(r.node)]++
	}
}

// kindOf gives a node's kind, remembering those of the answer.
func (b *builder) kindOf(id graph.NodeID) string { return b.v.Kind(id) }

type closurePage struct {
	list []reached
	left int
	next graph.Cursor
}

func (b *builder) pageOf(all []reached) closurePage {
	start := 0
	if c := b.q.after; c != nil {
		start, _ = slices.BinarySearchFunc(all, *c, func(r reached, c graph.Cursor) int {
			if r.distance > c.Distance || r.distance == c.Distance && r.hash > c.Hash {
				return 1
			}
			return -1
		})
	}
	end := min(start+b.q.limit, len(all))
	p := closurePage{list: all[start:end], left: len(all) - end}
	if end > start {
		last := all[end-1]
		p.next = graph.Cursor{Distance: last.distance, Hash: last.hash}
	}
	return p
}

func (b *builder) closureNode(r reached) lineageapi.ClosureNode {
	key := b.v.KeyOf(r.node)
	k, err := name.ParseKey(key)
	if err != nil {
		k = name.Key{Name: key}
	}
	n := lineageapi.ClosureNode{Key: key, Family: k.Family, Kind: b.kindOf(r.node), Distance: int(r.distance), WithMasked: b.v.WithMasked(r.node)}
	n.Display, _ = b.display(k, b.v.About(r.node).Display)
	if r.hasColumn() {
		_, n.Column = b.v.ColumnName(r.column)
		n.WithMasked = b.v.Masked(r.column)
	}
	return n
}

// maxErrorTasks bounds the tasks whose errors a closure looks up.
const maxErrorTasks = 1000

// closureErrors gives what could not be parsed in the tasks between the nodes
// of a page.
func (b *builder) closureErrors(centre graph.NodeID, page []reached) ([]lineageapi.SQLError, error) {
	if b.Details == nil || len(page) == 0 {
		return nil, nil
	}
	in := map[graph.NodeID]bool{centre: true}
	for _, r := range page {
		in[r.node] = true
	}
	tasks := map[string]bool{}
	for _, r := range page {
		b.v.EachTask(r.node, b.q.down, func(n graph.NodeID) bool { return in[n] }, func(key string) bool {
			if b.sees(key) {
				tasks[key] = true
			}
			return len(tasks) < maxErrorTasks
		})
	}
	return b.errorsOf(tasks)
}
