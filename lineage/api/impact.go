package api

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// PostImpact answers what breaks if a node, a column or some SQL changes.
func (a *API) PostImpact(ctx context.Context, req lineageapi.PostImpactRequestObject) (lineageapi.PostImpactResponseObject, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Limits.Deadline)
	defer cancel()
	r := req.Body
	withSQL := r.Sql.Sql != ""
	if withSQL == (r.Node != "") {
		return nil, badParameter("node", "name the node that changes, or give the changed sql: one of the two")
	}
	if withSQL && r.Column != "" || !withSQL && r.Task != "" {
		return nil, badParameter("column", "column goes with node, task goes with sql")
	}
	p := params{
		node: r.Node, column: r.Column, direction: lineageapi.DirectionDown, depth: r.Depth, branch: r.Branch, fallback: r.Fallback,
		kinds: r.Kinds, limit: r.Limit, cursor: r.Cursor, position: r.MinPosition, defaultDepth: graph.Unlimited, flow: r.Flow,
	}
	if withSQL {
		p.level = lineageapi.LevelColumn
	}
	q, err := a.ask(ctx, p)
	if err != nil {
		return nil, err
	}
	v, err := a.view(ctx, q)
	if err != nil {
		return nil, err
	}
	i := &impact{builder: a.builder(ctx, v, q), reached: map[graph.NodeID]*lineageapi.ImpactNode{}}
	i.result = lineageapi.Impact{Affected: []lineageapi.ImpactNode{}, Position: v.Position().String(), Branch: q.branch, Chain: q.chain}
	if withSQL {
		err = i.ofSQL(r)
	} else {
		err = i.ofNode(r.Node)
	}
	if err != nil {
		return nil, err
	}
	i.list()
	i.name()
	return lineageapi.PostImpact200JSONResponse(i.result), nil
}

// impact is one assessment under way.
type impact struct {
	*builder
	reached map[graph.NodeID]*lineageapi.ImpactNode
	result  lineageapi.Impact
}

// ofNode assesses the change of a node or of one of its columns.
func (i *impact) ofNode(node string) error {
	id, columns, err := i.centre(i.v, i.q, node)
	if err != nil {
		return err
	}
	key := i.v.KeyOf(id)
	if !i.q.byColumn {
		start := []graph.NodeID{id}
		if i.v.Family(id) == name.FamilyTask {
			_, start = i.v.TaskEnds(key)
			for _, n := range start {
				i.affect(n, 1, true, key)
			}
		}
		i.follow(start, key)
		i.readers(start)
		return nil
	}
	i.followColumns(columns, name.ColumnKey(key, i.q.column))
	i.readers([]graph.NodeID{id})
	return nil
}

// follow marks all nodes downstream of some.
func (i *impact) follow(start []graph.NodeID, because string) {
	all := i.v.Around(i.ctx, graph.Question{Nodes: start, Down: true, Depth: i.q.depth})
	for _, s := range all.Nodes {
		if s.Distance() > 0 {
			i.affect(graph.NodeID(s.ID), int(s.Distance()), true, because)
		}
	}
	i.cut(all)
}

func (i *impact) cut(all graph.Around) {
	if all.Cut {
		i.result.Truncated = lineageapi.Truncated{Reason: lineageapi.TruncatedReasonDeadline}
	}
}

// followColumns marks what columns reach; by direct edges a value comes along,
// otherwise they decide rows, order or groups.
func (i *impact) followColumns(columns []graph.ColumnID, because string) {
	direct := map[graph.ColumnID]bool{}
	values := i.v.Around(i.ctx, graph.Question{Columns: columns, ByColumn: true, Down: true, Depth: i.q.depth, Flow: graph.FlowDirect})
	for _, c := range values.Columns {
		direct[graph.ColumnID(c.ID)] = true
	}
	all := i.v.Around(i.ctx, graph.Question{Columns: columns, ByColumn: true, Down: true, Depth: i.q.depth, Flow: i.q.flow})
	for _, c := range all.Columns {
		id := graph.ColumnID(c.ID)
		if c.Distance() == 0 {
			continue
		}
		node, col := i.v.ColumnName(id)
		n := i.affect(node, int(c.Distance()), direct[id] && i.q.flow != graph.FlowIndirect, because)
		if n != nil && len(n.Columns) < maxImpactColumns && !slices.Contains(n.Columns, col) {
			n.Columns = append(n.Columns, col)
		}
	}
	for _, s := range all.Nodes {
		if s.Distance() > 0 {
			i.affect(graph.NodeID(s.ID), int(s.Distance()), false, because)
		}
	}
	i.cut(all)
}

// maxImpactColumns bounds the columns listed of one node.
const maxImpactColumns = 1000

// affect marks a node; the least distance and any direct way count. It gives
// nil for a node that the kinds filter does not want.
func (i *impact) affect(id graph.NodeID, distance int, direct bool, because string) *lineageapi.ImpactNode {
	if !i.wanted(id) {
		return nil
	}
	n := i.reached[id]
	if n == nil {
		key := i.v.KeyOf(id)
		k, err := name.ParseKey(key)
		if err != nil {
			k = name.Key{Name: key}
		}
		n = &lineageapi.ImpactNode{Key: key, Family: k.Family, Kind: i.v.Kind(id), Distance: distance, Because: because}
		n.Display, _ = i.display(k, i.v.About(id).Display)
		i.reached[id] = n
	}
	if distance < n.Distance {
		n.Distance, n.Because = distance, because
	}
	n.Direct = n.Direct || direct
	return n
}

// name tells what people call the keys of the answer; a key may be a column's.
func (i *impact) name() {
	i.result.Display = map[string]string{}
	add := func(key string) {
		if id := i.v.Node(key); id != graph.NodeID(graph.NoID) {
			i.result.Display[key] = i.node(id).Display
			return
		}
		node, col, err := name.SplitColumnKey(key)
		if id := i.v.Node(node); err == nil && id != graph.NodeID(graph.NoID) {
			i.result.Display[key] = i.node(id).Display + "." + col
		}
	}
	for _, n := range i.result.Affected {
		add(n.Because)
	}
	for _, task := range i.result.Tasks {
		add(task)
	}
	for _, e := range slices.Concat(i.result.Lost, i.result.Gained) {
		add(e.From)
		add(e.To)
	}
}

// readers names the tasks that read what changes.
func (i *impact) readers(start []graph.NodeID) {
	tasks := map[string]bool{}
	for _, id := range start {
		i.v.EachTask(id, false, func(graph.NodeID) bool { return true }, func(key string) bool {
			if i.sees(key) {
				tasks[key] = true
			}
			return len(tasks) < maxErrorTasks
		})
	}
	i.result.Tasks = slices.Sorted(maps.Keys(tasks))
}

// ofSQL assesses what other SQL for a task would do: edges that only the old
// SQL makes are lost, and what hangs on them is affected. Without a task
// nothing is lost, and what the SQL writes is affected.
func (i *impact) ofSQL(r *lineageapi.ImpactRequest) error {
	x, old, err := i.extract(r)
	if err != nil {
		return err
	}
	for _, e := range x.Errors {
		i.result.Errors = append(i.result.Errors, lineageapi.SQLError{Kind: e.Kind, Statement: e.Statement, Line: e.Line, Column: e.Column, Message: e.Message})
	}
	fresh := i.edgesOf(x)
	for k := range old {
		if !fresh[k] {
			i.result.Lost = append(i.result.Lost, i.named(k))
		}
	}
	for k := range fresh {
		if !old[k] {
			i.result.Gained = append(i.result.Gained, i.named(k))
		}
	}
	for _, list := range [][]lineageapi.Edge{i.result.Lost, i.result.Gained} {
		slices.SortFunc(list, func(x, y lineageapi.Edge) int { return keyOf(x).Compare(keyOf(y)) })
		for _, e := range list {
			i.affectEdge(e)
		}
	}
	return nil
}

func keyOf(e lineageapi.Edge) graph.EdgeKey {
	return graph.EdgeKey{From: e.From, FromColumn: e.FromColumn, To: e.To, ToColumn: e.ToColumn, Direct: e.Direct}
}

// extract reads the new SQL as the task's, and gives the edges that the task's
// SQL of now makes.
func (i *impact) extract(r *lineageapi.ImpactRequest) (*event.LineageExtracted, map[graph.EdgeKey]bool, error) {
	if i.Extract == nil {
		return nil, nil, refuse(http.StatusNotImplemented, "NoParser", "this server has no parser")
	}
	if len(r.Sql.Sql) > i.Limits.SQL {
		return nil, nil, badParameter("sql", fmt.Sprintf("the SQL has %d bytes; this server takes %d", len(r.Sql.Sql), i.Limits.SQL))
	}
	task := event.TaskDefined{
		Task: event.Task{ID: "impact", Branch: i.q.branch}, SQL: r.Sql.Sql, Dialect: r.Sql.Dialect, DefaultSource: r.Sql.DefaultSource,
		DefaultCatalog: r.Sql.DefaultCatalog, DefaultSchema: r.Sql.DefaultSchema,
	}
	old := map[graph.EdgeKey]bool{}
	if r.Task != "" {
		key, err := i.resolve(i.v, r.Task)
		if err != nil {
			return nil, nil, err
		}
		if old, err = i.replaces(&task, key); err != nil {
			return nil, nil, err
		}
	}
	x, err := i.Extract(i.ctx, task, false)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the SQL: %w", err)
	}
	return x, old, nil
}

// replaces fills in what the task of a key has set and the request leaves out,
// and gives the edges that it makes.
func (i *impact) replaces(task *event.TaskDefined, key string) (map[graph.EdgeKey]bool, error) {
	branch := i.v.TaskBranch(key)
	if branch == "" {
		return nil, badParameter("task", key+" is no task that is defined on "+strings.Join(i.q.chain, " → "))
	}
	if i.Details != nil {
		definition, err := i.definition(key, branch)
		if err != nil {
			return nil, err
		}
		was := *definition
		was.SQL = task.SQL
		was.Dialect = cmp.Or(task.Dialect, was.Dialect)
		was.DefaultSource = cmp.Or(task.DefaultSource, was.DefaultSource)
		was.DefaultCatalog, was.DefaultSchema = cmp.Or(task.DefaultCatalog, was.DefaultCatalog), cmp.Or(task.DefaultSchema, was.DefaultSchema)
		*task = was
	}
	old := map[graph.EdgeKey]bool{}
	for _, e := range i.v.OwnEdges(key) {
		old[i.v.Key(e)] = true
	}
	return old, nil
}

// definition looks the definition of a task up that the graph has. The graph
// follows the log by itself and may be ahead of the rows: without its source
// and schema the SQL would mean other tables, so it is waited for.
func (i *impact) definition(key, branch string) (*event.TaskDefined, error) {
	const again = 50 * time.Millisecond
	for {
		d, err := i.Details.Task(i.ctx, recordsKey(key), branch)
		if err != nil {
			return nil, fmt.Errorf("looking up task %s: %w", key, err)
		}
		if d != nil && d.Definition != nil {
			return d.Definition, takeTurn(i.ctx)
		}
		leaveTurn(i.ctx)
		select {
		case <-i.ctx.Done():
			return nil, refuse(http.StatusServiceUnavailable, "NotStored", "the definition of "+key+" is in the log and not yet in the tables; ask again soon")
		case <-time.After(again):
		}
	}
}

// edgesOf gives the edges of an extraction by canonical keys.
func (i *impact) edgesOf(x *event.LineageExtracted) map[graph.EdgeKey]bool {
	sources := i.Live.Sources()
	out := map[graph.EdgeKey]bool{}
	for _, e := range x.Edges {
		k := graph.EdgeKey{From: sources.Canonical(e.From), FromColumn: e.FromColumn, To: sources.Canonical(e.To), ToColumn: e.ToColumn, Direct: e.Direct || e.FromColumn == ""}
		if i.sees(k.From) && i.sees(k.To) {
			out[k] = true
		}
	}
	return out
}

func (i *impact) named(k graph.EdgeKey) lineageapi.Edge {
	e := lineageapi.Edge{
		From: k.From, FromColumn: k.FromColumn, To: k.To, ToColumn: k.ToColumn, Direct: k.Direct,
		Level: lineageapi.EdgeLevelTable, Kind: lineageapi.EdgeKindData, Origins: []string{"parsed"},
	}
	if k.FromColumn != "" {
		e.Level = lineageapi.EdgeLevelColumn
	}
	return e
}

// affectEdge marks the end of an edge that comes or goes, and what is
// downstream of it.
func (i *impact) affectEdge(e lineageapi.Edge) {
	id := i.v.Node(e.To)
	if id == graph.NodeID(graph.NoID) {
		return // a table that the SQL makes anew: nothing hangs on it
	}
	because := e.From
	if e.FromColumn != "" {
		because = name.ColumnKey(e.From, e.FromColumn)
	}
	n := i.affect(id, 1, e.Direct, because)
	if e.Level == lineageapi.EdgeLevelTable {
		return // its column edges say what hangs on it
	}
	var columns []graph.ColumnID
	if e.ToColumn != "" {
		if c := i.v.ColumnOf(id, e.ToColumn); c != graph.ColumnID(graph.NoID) {
			columns = []graph.ColumnID{c}
		}
		if n != nil && !slices.Contains(n.Columns, e.ToColumn) {
			n.Columns = append(n.Columns, e.ToColumn)
		}
	} else {
		for _, c := range i.v.Columns(id) {
			columns = append(columns, c.ID)
		}
	}
	i.followColumns(columns, because)
	i.readers([]graph.NodeID{id})
}

// list puts the affected nodes into the answer, nearest first, a page of them.
func (i *impact) list() {
	all := slices.Collect(maps.Values(i.reached))
	slices.SortFunc(all, func(x, y *lineageapi.ImpactNode) int {
		return cmp.Or(cmp.Compare(x.Distance, y.Distance), strings.Compare(x.Key, y.Key))
	})
	start := 0
	if i.q.after != nil {
		start = min(i.q.after.Edges, len(all))
	}
	end := min(start+i.q.limit, len(all))
	for _, n := range all[start:end] {
		slices.Sort(n.Columns)
		i.result.Affected = append(i.result.Affected, *n)
	}
	i.result.Total, i.result.Breaks = len(all), len(all) > 0
	if end < len(all) {
		i.result.Cursor = graph.Cursor{Edges: end}.String()
		if i.result.Truncated.Reason == "" {
			i.result.Truncated = lineageapi.Truncated{Reason: lineageapi.TruncatedReasonNodes, NodesLeft: len(all) - end, Limit: i.q.limit}
		}
	}
}
