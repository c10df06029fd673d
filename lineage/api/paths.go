package api

import (
	"context"
	"fmt"

	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/name"
)

// waysListed is the number of ways listed unless a limit is named, waysMost
// the most that may be.
const (
	waysListed = 20
	waysMost   = 1000
)

// GetPaths answers with the ways from one node or column to another.
func (a *API) GetPaths(ctx context.Context, req lineageapi.GetPathsRequestObject) (lineageapi.GetPathsResponseObject, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Limits.Deadline)
	defer cancel()
	p := req.Params
	if (p.FromColumn == "") != (p.ToColumn == "") {
		return nil, badParameter("to_column", "name a column at both ends, or at none")
	}
	if p.Slack < 0 || p.Slack > 10 {
		return nil, badParameter("slack", "slack is from 0 to 10 hops")
	}
	q, err := a.ask(ctx, params{
		node: p.From, column: p.FromColumn, direction: lineageapi.DirectionDown, depth: p.Depth, flow: p.Flow, branch: p.Branch, fallback: p.Fallback,
		asOf: p.AsOf, tasks: p.Tasks, temporary: p.Temporary, position: p.MinPosition, defaultDepth: graph.Unlimited,
	})
	if err != nil {
		return nil, err
	}
	list := waysListed
	if p.Limit != nil {
		list = min(*p.Limit, waysMost)
	}
	if list < 0 {
		return nil, badParameter("limit", fmt.Sprintf("limit is %d; it is how many ways are listed", list))
	}
	v, err := a.view(ctx, q)
	if err != nil {
		return nil, err
	}
	question := graph.PathQuestion{ByColumn: q.byColumn, Flow: q.flow, Depth: q.depth, Slack: p.Slack, List: list}
	if question.From, err = a.end(v, q, p.From, p.FromColumn); err != nil {
		return nil, err
	}
	if question.To, err = a.end(v, q, p.To, p.ToColumn); err != nil {
		return nil, err
	}
	out, err := a.ways(ctx, v, q, question)
	if err != nil {
		return nil, err
	}
	return lineageapi.GetPaths200JSONResponse(*out), nil
}

// end gives the id of one end of a way.
func (a *API) end(v *graph.View, q *asked, node, column string) (uint32, error) {
	at := *q
	at.column = column
	id, columns, err := a.centre(v, &at, node)
	if err != nil {
		return 0, err
	}
	if q.byColumn {
		return uint32(columns[0]), nil
	}
	if v.Family(id) == name.FamilyTask {
		return 0, badParameter("from", "a way begins and ends at a table, an API, a metric, a tag or a dashboard, not at a task")
	}
	return uint32(id), nil
}

func (a *API) ways(ctx context.Context, v *graph.View, q *asked, question graph.PathQuestion) (*lineageapi.Paths, error) {
	w := v.Ways(ctx, question)
	b := a.builder(ctx, v, q)
	for _, id := range []uint32{question.From, question.To} {
		b.centres = append(b.centres, b.spotOf(id))
	}
	b.page(w.Around)
	g, err := b.finish()
	if err != nil {
		return nil, err
	}
	out := &lineageapi.Paths{Found: w.Length >= 0, Length: max(w.Length, 0), WaysTotal: w.Total, Graph: *g}
	for _, way := range w.Listed {
		var steps []lineageapi.Centre
		for _, id := range way {
			steps = append(steps, b.spotOf(id))
		}
		out.Ways = append(out.Ways, steps)
	}
	if w.Cut {
		out.Graph.Truncated = lineageapi.Truncated{Reason: lineageapi.TruncatedReasonDeadline}
	}
	return out, nil
}

// spotOf names a node or, at column level, a column.
func (b *builder) spotOf(id uint32) lineageapi.Centre {
	if !b.q.byColumn {
		return lineageapi.Centre{Key: b.v.KeyOf(graph.NodeID(id))}
	}
	node, col := b.v.ColumnName(graph.ColumnID(id))
	return lineageapi.Centre{Key: b.v.KeyOf(node), Column: col}
}
