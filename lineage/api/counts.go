package api

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// GetCounts answers with how much there is.
func (a *API) GetCounts(ctx context.Context, _ lineageapi.GetCountsRequestObject) (lineageapi.GetCountsResponseObject, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Limits.Deadline)
	defer cancel()
	s := a.Live.Current()
	v := s.View().Permitted(a.Caller(ctx).See)
	c := v.SeenCounts(ctx)
	out := lineageapi.GetCounts200JSONResponse{
		Nodes: map[string]int{}, Columns: c.Columns, Branches: len(s.Branches()), Sources: len(a.Live.Sources().Registered()),
		Edges:    map[string]int{"table": c.Table, "column_direct": c.Direct, "column_indirect": c.Indirect},
		Position: s.Position().String(),
	}
	v.EachNode(func(id graph.NodeID) bool {
		out.Nodes[v.Kind(id)]++
		return ctx.Err() == nil
	})
	if a.Details == nil {
		return out, nil
	}
	var err error
	if out.UnparsedStatements, out.UnparsedTasks, err = a.Details.Unparseds(ctx, seenTasks(v)); err != nil {
		return nil, fmt.Errorf("counting what could not be parsed: %w", err)
	}
	return out, nil
}

// GetRecent answers with the latest changes.
func (a *API) GetRecent(ctx context.Context, req lineageapi.GetRecentRequestObject) (lineageapi.GetRecentResponseObject, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Limits.Deadline)
	defer cancel()
	p := req.Params
	out := lineageapi.GetRecent200JSONResponse{Changes: []lineageapi.RecentChange{}}
	if a.Details == nil {
		return out, nil
	}
	caller := a.Caller(ctx)
	var keys []string
	v := a.Live.Current().View().Permitted(caller.See)
	if p.Node != "" {
		key, err := a.resolve(v, p.Node)
		if err != nil {
			return nil, err
		}
		for _, m := range v.Members(v.Node(key)) {
			keys = append(keys, v.KeyOf(m))
		}
	}
	limit, err := listed(p.Limit, 50, 500)
	if err != nil {
		return nil, err
	}
	recent, err := a.Details.Recent(ctx, keys, limit, p.Cursor)
	if err != nil {
		return nil, err
	}
	r := a.renderer(v, &asked{caller: caller})
	for _, c := range recent.Changes {
		id := v.Node(c.Node)
		if id == graph.NodeID(graph.NoID) {
			continue
		}
		c.Display, c.Kind = r.node(id).Display, v.Kind(id)
		out.Changes = append(out.Changes, c)
	}
	out.Cursor = recent.Cursor
	return out, nil
}

// GetUnparsed answers with statements that could not be parsed.
func (a *API) GetUnparsed(ctx context.Context, req lineageapi.GetUnparsedRequestObject) (lineageapi.GetUnparsedResponseObject, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Limits.Deadline)
	defer cancel()
	p := req.Params
	if a.Details == nil {
		return lineageapi.GetUnparsed200JSONResponse{Errors: []lineageapi.SQLError{}}, nil
	}
	limit, err := listed(p.Limit, 100, 1000)
	if err != nil {
		return nil, err
	}
	q := UnparsedQuestion{Kind: p.Kind, Limit: limit, Cursor: p.Cursor}
	v := a.Live.Current().View().Permitted(a.Caller(ctx).See)
	q.See = seenTasks(v)
	if p.Node != "" {
		key, err := a.resolve(v, p.Node)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(key, "dataset|") {
			return nil, badParameter("node", "a dataset has no SQL of its own; name a task")
		}
		q.Task = recordsKey(key)
	}
	out, err := a.Details.Unparsed(ctx, q)
	if err != nil {
		return nil, err
	}
	for i := range out.Errors {
		out.Errors[i].Task = taskNode(v, out.Errors[i].Task)
	}
	out.Errors = slices.DeleteFunc(out.Errors, func(e lineageapi.SQLError) bool { return v.Node(e.Task) == graph.NodeID(graph.NoID) })
	return lineageapi.GetUnparsed200JSONResponse(out), nil
}

// seenTasks says which tasks the caller may see; nil is all.
func seenTasks(v *graph.View) func(task string) bool {
	if v.SeesAll() {
		return nil
	}
	return func(task string) bool { return v.Node(taskNode(v, task)) != graph.NodeID(graph.NoID) }
}

// GetLineageBranches answers with the branches that lineage is defined on.
func (a *API) GetLineageBranches(ctx context.Context, _ lineageapi.GetLineageBranchesRequestObject) (lineageapi.GetLineageBranchesResponseObject, error) {
	s := a.Live.Current()
	out := lineageapi.GetLineageBranches200JSONResponse{}
	for _, b := range s.Branches() {
		_, chain, err := a.chain(ctx, b, nil)
		if err != nil {
			return nil, err
		}
		row := lineageapi.LineageBranch{Name: b, Chain: chain}
		if b != event.MasterBranch {
			row.Definitions = s.OwnersOn(b)
		}
		out.Branches = append(out.Branches, row)
	}
	return out, nil
}
