package api

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/tributary-data/tributary/fold/catalog"
	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// eventSource is the source of events that this API puts into the log.
const eventSource = "tributary/lineage"

// AddEdge draws an edge by hand.
func (a *API) AddEdge(ctx context.Context, req lineageapi.AddEdgeRequestObject) (lineageapi.AddEdgeResponseObject, error) {
	r := req.Body
	d, err := a.drawing(ctx, r.From, r.FromColumn, r.To, r.ToColumn, r.Branch, r.Who, r.Why)
	if err != nil {
		return nil, err
	}
	if d.k.From == d.k.To && d.k.FromColumn == d.k.ToColumn {
		return nil, refuse(http.StatusBadRequest, "SelfEdge", fmt.Sprintf("an edge from %s to itself says nothing", d.k.From))
	}
	if err := d.mayColumns(); err != nil {
		return nil, err
	}
	if d.drawn() {
		return nil, refuse(http.StatusConflict, "EdgeExists", fmt.Sprintf("the edge from %s to %s was drawn by hand already on branch %s", d.k.From, d.k.To, d.branch))
	}
	warnings := d.warnings(ctx)
	changed, err := d.append(ctx, &event.EdgeAdded{Edge: d.edge()}, event.TypeEdgeAdded)
	if err != nil {
		return nil, err
	}
	changed.Warnings = warnings
	return lineageapi.AddEdge200JSONResponse{EdgeChangedJSONResponse: lineageapi.EdgeChangedJSONResponse(*changed)}, nil
}

// RemoveEdge removes what was drawn by hand.
func (a *API) RemoveEdge(ctx context.Context, req lineageapi.RemoveEdgeRequestObject) (lineageapi.RemoveEdgeResponseObject, error) {
	p := req.Params
	d, err := a.drawing(ctx, p.From, p.FromColumn, p.To, p.ToColumn, p.Branch, p.Who, p.Why)
	if err != nil {
		return nil, err
	}
	if !d.drawn() {
		return nil, d.notDrawn()
	}
	changed, err := d.append(ctx, &event.EdgeRemoved{Edge: d.edge()}, event.TypeEdgeRemoved)
	if err != nil {
		return nil, err
	}
	return lineageapi.RemoveEdge200JSONResponse{EdgeChangedJSONResponse: lineageapi.EdgeChangedJSONResponse(*changed)}, nil
}

// drawing is one change by hand.
type drawing struct {
	*API
	v                *graph.View
	q                *asked
	k                graph.EdgeKey
	branch, who, why string
}

func (a *API) drawing(ctx context.Context, from, fromColumn, to, toColumn, branch, who, why string) (*drawing, error) {
	if (fromColumn == "") != (toColumn == "") {
		return nil, badParameter("to_column", "name a column at both ends, or at none")
	}
	q, err := a.ask(ctx, params{node: from, column: fromColumn, branch: branch})
	if err != nil {
		return nil, err
	}
	if r := catalog.CheckBranchName(q.branch); r != nil {
		return nil, refuse(http.StatusBadRequest, string(r.Code), r.Message)
	}
	v, err := a.view(ctx, q)
	if err != nil {
		return nil, err
	}
	d := &drawing{API: a, v: v, q: q, branch: q.branch, who: who, why: why}
	if q.caller.Name != "" {
		d.who = q.caller.Name
	}
	if d.who == "" {
		return nil, badParameter("who", "say who draws or removes the edge")
	}
	if d.k, err = a.edgeKey(v, from, fromColumn, to, toColumn); err != nil {
		return nil, err
	}
	for _, key := range []string{d.k.From, d.k.To} {
		if q.caller.Edit != nil && !q.caller.Edit(key) {
			return nil, refuse(http.StatusForbidden, "Forbidden", "you may not change the edges of "+key)
		}
		if family, _, _ := strings.Cut(key, "|"); family == name.FamilyTask {
			return nil, badParameter("from", "an edge goes between tables, or into an API, a metric, a tag or a dashboard; tasks are put in between by what they do")
		}
	}
	return d, nil
}

// mayColumns refuses a column that nothing is known of, where the table's
// columns are known: it would be a mistype.
func (d *drawing) mayColumns() error {
	if d.k.FromColumn == "" {
		return nil
	}
	for _, end := range [][2]string{{d.k.From, d.k.FromColumn}, {d.k.To, d.k.ToColumn}} {
		id := d.v.Node(end[0])
		about := d.v.About(id)
		if about.Definition == nil || about.Definition.Columns == nil {
			continue
		}
		if c := d.v.ColumnOf(id, end[1]); c == graph.ColumnID(graph.NoID) || !d.v.Live(c) {
			return d.unknownColumn(d.v, id, end[1])
		}
	}
	return nil
}

// drawn reports whether a person drew the edge on the branch.
func (d *drawing) drawn() bool {
	e, ok := d.v.Find(d.k)
	if !ok || !d.v.Has(e) {
		return false
	}
	for _, c := range d.v.Contributors(e) {
		if c.Drawn != nil && c.Drawn.Explicit && c.Owner.Branch == d.branch {
			return true
		}
	}
	return false
}

// notDrawn says why there is nothing to remove: no such edge, or one that is
// not made by hand.
func (d *drawing) notDrawn() error {
	e, ok := d.v.Find(d.k)
	if !ok || !d.v.Has(e) {
		return unknownEdge(d.k)
	}
	edge := d.renderer(d.v, d.q).edge(e)
	if len(edge.Tasks) > 0 {
		r := refuse(http.StatusConflict, "EdgeParsed", fmt.Sprintf("the edge is made by %s; change or remove what makes it", strings.Join(edge.Tasks, ", ")))
		r.body.Details.Tasks = edge.Tasks
		return r
	}
	for _, c := range d.v.Contributors(e) {
		if c.Drawn != nil && !c.Drawn.Explicit {
			return refuse(http.StatusConflict, "EdgeOfColumns", "the edge is there because of column edges drawn by hand; remove those")
		}
	}
	return refuse(http.StatusConflict, "EdgeOnBranch", fmt.Sprintf("the edge was not drawn on branch %s but on %s", d.branch, strings.Join(edge.Branches, ", ")))
}

// warnings tells of what is allowed but may not be meant.
func (d *drawing) warnings(ctx context.Context) []string {
	back := d.v.Ways(ctx, graph.PathQuestion{From: uint32(d.v.Node(d.k.To)), To: uint32(d.v.Node(d.k.From)), Depth: graph.Unlimited})
	if back.Length < 0 || d.k.From == d.k.To {
		return nil
	}
	return []string{fmt.Sprintf("the edge closes a cycle: data goes from %s back to %s in %d hops", d.k.To, d.k.From, back.Length)}
}

func (d *drawing) edge() event.Edge {
	return event.Edge{From: ref(d.k.From), FromColumn: d.k.FromColumn, To: ref(d.k.To), ToColumn: d.k.ToColumn, Branch: d.branch, Who: d.who, Why: d.why}
}

func ref(key string) event.Ref {
	k, err := name.ParseKey(key)
	if err != nil {
		return event.Ref{Name: key}
	}
	return event.Ref{Family: k.Family, Namespace: k.Namespace, Name: k.Name}
}

// append puts the event into the log, and waits until answers show it.
func (d *drawing) append(ctx context.Context, data any, eventType string) (*lineageapi.Changed, error) {
	changed, s, err := d.put(ctx, data, eventType)
	if err != nil || s == nil {
		return changed, err
	}
	v := s.View(d.q.chain...).Permitted(d.q.caller.See)
	if e, ok := v.Find(d.k); ok && v.Has(e) {
		changed.Edge = d.renderer(v, d.q).edge(e)
	}
	return changed, nil
}

// put appends an event and waits for a graph that has it; the snapshot is nil
// if the wait ended first.
func (a *API) put(ctx context.Context, data any, eventType string) (*lineageapi.Changed, *graph.Snapshot, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, nil, fmt.Errorf("making an id: %w", err)
	}
	position, err := a.Log.Append(ctx, event.Event{ID: id.String(), Source: eventSource, Type: eventType, Time: a.Now().UTC(), Data: data})
	if err != nil {
		return nil, nil, fmt.Errorf("putting the change into the log: %w", err)
	}
	changed := &lineageapi.Changed{Position: position}
	p, err := graph.ParsePosition(position)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the log's answer: %w", err)
	}
	leaveTurn(ctx)
	wait, cancel := context.WithTimeout(ctx, a.Limits.Visible)
	defer cancel()
	s, err := a.Live.WaitFor(wait, p)
	if err != nil {
		// The change is in the log all the same, and will be seen.
		return changed, nil, nil
	}
	changed.Visible = true
	return changed, s, nil
}
