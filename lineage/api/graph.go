package api

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// GetGraph answers with the graph around a node.
func (a *API) GetGraph(ctx context.Context, req lineageapi.GetGraphRequestObject) (lineageapi.GetGraphResponseObject, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Limits.Deadline)
	defer cancel()
	p := req.Params
	q, err := a.ask(ctx, params{
		node: p.Node, column: p.Column, level: p.Level, direction: p.Direction, depth: p.Depth, flow: p.Flow, branch: p.Branch,
		fallback: p.Fallback, asOf: p.AsOf, kinds: p.Kinds, tasks: p.Tasks, temporary: p.Temporary, limit: p.Limit, cursor: p.Cursor, position: p.MinPosition, defaultDepth: 1,
	})
	if err != nil {
		return nil, err
	}
	if q.limit == 0 {
		return nil, badParameter("limit", "limit is 0: a graph holds at least its centre; counts alone come from /api/v1/closure")
	}
	v, err := a.view(ctx, q)
	if err != nil {
		return nil, err
	}
	g, err := a.around(ctx, v, q)
	if err != nil {
		return nil, err
	}
	return lineageapi.GetGraph200JSONResponse{GraphAnswerJSONResponse: lineageapi.GraphAnswerJSONResponse(*g)}, nil
}

// around answers a question about one node with a page.
func (a *API) around(ctx context.Context, v *graph.View, q *asked) (*lineageapi.Graph, error) {
	id, columns, err := a.centre(v, q, q.nodes[0])
	if err != nil {
		return nil, err
	}
	b := a.builder(ctx, v, q)
	question := graph.Question{Nodes: []graph.NodeID{id}, Columns: columns, ByColumn: q.byColumn, Up: q.up, Down: q.down, Depth: q.depth, Flow: q.flow}
	if v.Family(id) == name.FamilyTask {
		return b.aroundTask(question, id)
	}
	b.centres = []lineageapi.Centre{{Key: v.KeyOf(id), Column: q.column}}
	b.page(v.Around(ctx, question))
	return b.finish()
}

// builder puts an answer together.
type builder struct {
	*API
	*renderer
	ctx     context.Context //nolint:containedctx // lives as long as its request
	centres []lineageapi.Centre
	in      map[graph.NodeID]graph.Spot
	columns map[graph.NodeID][]graph.Spot
	out     lineageapi.Graph
	tasks   map[string]bool
	between map[string]*between
}

func (a *API) builder(ctx context.Context, v *graph.View, q *asked) *builder {
	return &builder{
		API: a, renderer: a.renderer(v, q), ctx: ctx, in: map[graph.NodeID]graph.Spot{}, columns: map[graph.NodeID][]graph.Spot{}, tasks: map[string]bool{}, between: map[string]*between{},
		out: lineageapi.Graph{
			Nodes: []lineageapi.Node{}, Edges: []lineageapi.Edge{}, Level: lineageapi.LevelTable,
			Branch: q.branch, Chain: q.chain, AsOf: q.asOf, Position: v.Position().String(),
		},
	}
}

// page puts a page of what was reached into the answer.
func (b *builder) page(all graph.Around) {
	hidden := b.hide(&all)
	page := b.v.Page(all, b.q.byColumn, b.q.after, graph.Limits{Nodes: b.q.limit, Edges: b.Limits.Edges})
	for _, s := range all.Nodes[:len(all.Nodes)-page.NodesLeft] {
		b.in[graph.NodeID(s.ID)] = s
	}
	for _, c := range page.Columns {
		node, _ := b.v.ColumnName(graph.ColumnID(c.ID))
		b.columns[node] = append(b.columns[node], c)
	}
	for _, s := range page.Nodes {
		b.out.Nodes = append(b.out.Nodes, b.placed(s))
	}
	for _, e := range page.Edges {
		b.addEdge(e)
	}
	b.bridge(page.Nodes, hidden)
	b.truncated(page, all.Cut)
}

func (b *builder) truncated(page graph.Page, cut bool) {
	if page.Next != nil {
		b.out.Cursor = page.Next.String()
	}
	switch {
	case cut:
		b.out.Truncated = lineageapi.Truncated{Reason: lineageapi.TruncatedReasonDeadline, NodesLeft: page.NodesLeft}
	case page.EdgesLeft > 0:
		b.out.Truncated = lineageapi.Truncated{Reason: lineageapi.TruncatedReasonEdges, NodesLeft: page.NodesLeft, EdgesLeft: page.EdgesLeft, Limit: b.Limits.Edges}
	case page.NodesLeft > 0:
		b.out.Truncated = lineageapi.Truncated{Reason: lineageapi.TruncatedReasonNodes, NodesLeft: page.NodesLeft, Limit: b.q.limit}
	}
}

// placed renders a node with its place in the answer.
func (b *builder) placed(s graph.Spot) lineageapi.Node {
	id := graph.NodeID(s.ID)
	n := b.node(id)
	n.Distance, n.Side = int(s.Distance()), lineageapi.NodeSide(s.Side())
	n.UpDistance, n.DownDistance = distanceOf(s.Up), distanceOf(s.Down)
	n.Centre = slices.ContainsFunc(b.centres, func(c lineageapi.Centre) bool { return c.Key == n.Key })
	n.IsOpen = b.isOpen(id, s)
	n.Cycle = s.Up > 0 && s.Down > 0
	var ids []graph.ColumnID
	places := map[graph.ColumnID]graph.Spot{}
	for _, c := range b.columns[id] {
		ids = append(ids, graph.ColumnID(c.ID))
		places[graph.ColumnID(c.ID)] = c
	}
	for _, c := range b.v.Describe(id, ids) {
		place := places[c.ID]
		col := b.column(c)
		col.Distance, col.Side = int(place.Distance()), lineageapi.ColumnSide(place.Side())
		col.Centre = place.Distance() == 0
		n.Columns = append(n.Columns, col)
	}
	return n
}

func distanceOf(d int32) int {
	if d == graph.Far {
		return 0
	}
	return int(d)
}

// isOpen reports whether a node has neighbours on its reverse side that are
// not in the answer: upstream of what lies downstream, and the other way round.
func (b *builder) isOpen(id graph.NodeID, s graph.Spot) bool {
	in := func(n graph.NodeID) bool { _, ok := b.in[n]; return ok }
	return s.Down > 0 && b.v.AnyOutside(id, true, in) || s.Up > 0 && b.v.AnyOutside(id, false, in)
}

// addEdge renders an edge, and puts in between the tasks that are shown.
func (b *builder) addEdge(e graph.Edge) {
	by := b.v.Contributors(e)
	out := b.edgeBy(e, by)
	out.Cycle = out.From == out.To && out.FromColumn == out.ToColumn
	if out.From == out.To && out.Level == lineageapi.EdgeLevelTable {
		b.markCycle(out.From)
	}
	for _, t := range out.Tasks {
		b.tasks[t] = true
	}
	if !e.Column() {
		b.noteBetween(&out, by)
	}
	b.out.Edges = append(b.out.Edges, out)
}

func (b *builder) markCycle(key string) {
	for i := range b.out.Nodes {
		if b.out.Nodes[i].Key == key {
			b.out.Nodes[i].Cycle = true
		}
	}
}

// between is a task put in between the nodes that its statements connect:
// for each node that it reads or writes, the statements.
type between struct{ in, out map[string]map[int]bool }

// noteBetween notes the tasks of an edge that are shown. They count no hop.
func (b *builder) noteBetween(e *lineageapi.Edge, by []graph.Contributor) {
	for _, c := range by {
		// An edge into an API, a metric, … is made by that node itself.
		if c.Drawn != nil || c.Node == "" || c.Node == e.To || !b.showsTask(c) {
			continue
		}
		t := b.between[c.Node]
		if t == nil {
			t = &between{in: map[string]map[int]bool{}, out: map[string]map[int]bool{}}
			b.between[c.Node] = t
		}
		noteStatements(t.in, e.From, c.Statements)
		noteStatements(t.out, e.To, c.Statements)
	}
}

func noteStatements(m map[string]map[int]bool, key string, list []int) {
	if m[key] == nil {
		m[key] = map[int]bool{}
	}
	for _, n := range list {
		m[key][n] = true
	}
}

// betweens puts the tasks that were noted into the answer.
func (b *builder) betweens() {
	for _, key := range slices.Sorted(maps.Keys(b.between)) {
		b.putTask(key, b.between[key].in, b.between[key].out)
	}
}

// showsTask reports whether a contributor's task is a node of the answer.
func (b *builder) showsTask(c graph.Contributor) bool {
	return b.sees(c.Node) && (b.q.allTasks || c.Kind == event.KindRealtime)
}

// putTask puts one task into the answer with its edges.
func (b *builder) putTask(key string, in, out map[string]map[int]bool) {
	id := b.v.Node(key)
	if id == graph.NodeID(graph.NoID) {
		return
	}
	ends := func(m map[string]map[int]bool, edge func(key string) (from, to string)) {
		keys := make([]string, 0, len(m))
		for k := range m {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			from, to := edge(k)
			list := make([]int, 0, len(m[k]))
			for n := range m[k] {
				list = append(list, n)
			}
			slices.Sort(list)
			b.out.Edges = append(b.out.Edges, lineageapi.Edge{
				From: from, To: to, Level: lineageapi.EdgeLevelTable, Direct: true, Kind: lineageapi.EdgeKindTask,
				Origins: []string{}, Tasks: []string{key}, Statements: list,
			})
		}
	}
	if !slices.ContainsFunc(b.out.Nodes, func(n lineageapi.Node) bool { return n.Key == key }) {
		b.out.Nodes = append(b.out.Nodes, b.taskBetween(id, in, out))
	}
	ends(in, func(k string) (string, string) { return k, key })
	ends(out, func(k string) (string, string) { return key, k })
}

// taskBetween renders a task between datasets. Its distance is that of its farther
// end; all that it reads and writes in all are its neighbours.
func (b *builder) taskBetween(id graph.NodeID, in, out map[string]map[int]bool) lineageapi.Node {
	n := b.node(id)
	inputs, outputs := b.v.TaskEnds(n.Key)
	up, down := 0, 0
	for _, m := range []map[string]map[int]bool{in, out} {
		for key := range m {
			s, ok := b.in[b.v.Node(key)]
			if ok {
				up, down = max(up, int(s.Up)), max(down, int(s.Down))
			}
		}
	}
	n.UpDistance, n.DownDistance = up, down
	n.Distance = max(up, down)
	switch {
	case up > down:
		n.Side = lineageapi.NodeSide(-1)
	case down > up:
		n.Side = lineageapi.NodeSide(1)
	}
	reverse := inputs
	if up > down {
		reverse = outputs
	}
	n.IsOpen = slices.ContainsFunc(reverse, func(end graph.NodeID) bool { _, ok := b.in[end]; return !ok })
	return n
}

// finish adds what depends on the whole page.
func (b *builder) finish() (*lineageapi.Graph, error) {
	b.out.Centres = b.centres
	if b.q.byColumn {
		b.out.Level = lineageapi.LevelColumn
	}
	b.betweens()
	if err := b.temporaries(); err != nil {
		return nil, err
	}
	if err := b.describeTasks(); err != nil {
		return nil, err
	}
	return &b.out, nil
}

// describeTasks adds, in one look-up, what could not be parsed in the tasks
// that the answer passes, and the mapping tables of Flink's.
func (b *builder) describeTasks() error {
	if b.Details == nil {
		return nil
	}
	for i := range b.out.Nodes {
		if f := b.out.Nodes[i].Family; f != lineageapi.NodeFamilyDataset {
			b.tasks[b.out.Nodes[i].Key] = true
		}
	}
	errs, err := b.errorsOf(b.tasks)
	if err != nil {
		return err
	}
	b.out.Errors = errs
	for i := range b.out.Nodes {
		n := &b.out.Nodes[i]
		for _, e := range errs {
			if e.Task == n.Key {
				n.Unparsed++
			}
		}
		if n.Kind == event.KindRealtime {
			if err := b.addFlink(n); err != nil {
				return err
			}
		}
	}
	return nil
}

// errorsOf gives what could not be parsed in tasks, by their nodes' keys.
func (b *builder) errorsOf(tasks map[string]bool) ([]lineageapi.SQLError, error) {
	var ask []TaskOn
	for key := range tasks {
		if branch := b.v.TaskBranch(key); branch != "" {
			ask = append(ask, TaskOn{Task: recordsKey(key), Branch: branch})
		}
	}
	if len(ask) == 0 {
		return nil, nil
	}
	slices.SortFunc(ask, compareTasks)
	errs, err := b.Details.Errors(b.ctx, ask)
	if err != nil {
		return nil, fmt.Errorf("looking up what could not be parsed: %w", err)
	}
	for i := range errs {
		errs[i].Task = taskNode(b.v, errs[i].Task)
	}
	return errs, nil
}

func compareTasks(x, y TaskOn) int {
	switch {
	case x == y:
		return 0
	case x.Task < y.Task || x.Task == y.Task && x.Branch < y.Branch:
		return -1
	}
	return 1
}

func (b *builder) addFlink(n *lineageapi.Node) error {
	d, err := b.Details.Task(b.ctx, recordsKey(n.Key), n.Branch)
	if err != nil {
		return fmt.Errorf("looking up task %s: %w", n.Key, err)
	}
	if d != nil && d.Flink != nil {
		n.Flink = lineageapi.Flink{Sources: b.mappingTables(d.Flink.Sources), Results: b.mappingTables(d.Flink.Results)}
	}
	return nil
}

func (b *builder) mappingTables(tables []event.FlinkTable) []lineageapi.FlinkTable {
	out := make([]lineageapi.FlinkTable, 0, len(tables))
	for _, t := range tables {
		row := lineageapi.FlinkTable{Name: t.Name, Connector: t.Connector}
		physical := b.Live.Sources().Canonical(t.Physical)
		if b.sees(physical) {
			row.Physical = physical
			if k, err := name.ParseKey(physical); err == nil {
				row.Display, _ = b.display(k, "")
			}
		}
		out = append(out, row)
	}
	return out
}

// aroundTask answers a question whose centre is a task: it stands for all of
// its statements, with its inputs at distance 1 on one side and its outputs at
// distance 1 on the other.
func (b *builder) aroundTask(q graph.Question, id graph.NodeID) (*lineageapi.Graph, error) {
	key := b.v.KeyOf(id)
	inputs, outputs := b.v.TaskEnds(key)
	inputs, outputs, err := b.extraEnds(key, inputs, outputs)
	if err != nil {
		return nil, err
	}
	if b.q.byColumn {
		return b.aroundTaskColumns(q, key, outputs)
	}
	b.centres = []lineageapi.Centre{{Key: key}}
	all := b.taskReach(q, inputs, outputs)
	limit := b.q.limit
	b.q.limit = max(limit-1, 1)
	b.page(all)
	centre := b.node(id)
	centre.Centre, centre.UpstreamCount, centre.DownstreamCount = true, len(inputs), len(outputs)
	if b.q.after == nil {
		b.out.Nodes = slices.Insert(b.out.Nodes, 0, centre)
	}
	b.taskEdges(key, inputs, outputs)
	delete(b.between, key)
	return b.finish()
}

// taskReach walks from a task's inputs and outputs, which are one hop away.
func (b *builder) taskReach(q graph.Question, inputs, outputs []graph.NodeID) graph.Around {
	depth := q.Depth
	if depth > 0 {
		depth--
	}
	var up, down graph.Around
	if q.Up && q.Depth != 0 {
		up = b.v.Around(b.ctx, graph.Question{Nodes: inputs, Up: true, Depth: depth})
	}
	if q.Down && q.Depth != 0 {
		down = b.v.Around(b.ctx, graph.Question{Nodes: outputs, Down: true, Depth: depth})
	}
	return b.v.Join(up, down, 1)
}

// taskEdges draws the edges of the task at the centre.
func (b *builder) taskEdges(key string, inputs, outputs []graph.NodeID) {
	in, out := map[string]map[int]bool{}, map[string]map[int]bool{}
	add := func(m map[string]map[int]bool, ends []graph.NodeID) {
		for _, id := range ends {
			if _, shown := b.in[id]; shown {
				m[b.v.KeyOf(id)] = map[int]bool{}
			}
		}
	}
	add(in, inputs)
	add(out, outputs)
	b.statementsOf(key, in, out)
	b.putTask(key, in, out)
}

// statementsOf notes the statements that connect a task with its ends.
func (b *builder) statementsOf(key string, in, out map[string]map[int]bool) {
	for _, e := range b.v.TaskEdges(key) {
		k := b.v.Key(e)
		for _, c := range b.v.Contributors(e) {
			if c.Node != key {
				continue
			}
			for _, n := range c.Statements {
				if m := in[k.From]; m != nil {
					m[n] = true
				}
				if m := out[k.To]; m != nil {
					m[n] = true
				}
			}
		}
	}
}

// extraEnds adds what statements of the task read or write without deriving
// one from the other, which makes no edge.
func (b *builder) extraEnds(key string, inputs, outputs []graph.NodeID) (in, out []graph.NodeID, err error) {
	if b.Details == nil {
		return inputs, outputs, nil
	}
	d, err := b.Details.Task(b.ctx, recordsKey(key), b.v.TaskBranch(key))
	if err != nil {
		return nil, nil, fmt.Errorf("looking up task %s: %w", key, err)
	}
	if d == nil {
		return inputs, outputs, nil
	}
	add := func(list []graph.NodeID, keys []string) []graph.NodeID {
		for _, k := range keys {
			if id := b.v.Node(k); id != graph.NodeID(graph.NoID) {
				list = append(list, id)
			}
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	for _, s := range d.Statements {
		inputs, outputs = add(inputs, s.Reads), add(outputs, s.Writes)
	}
	return inputs, outputs, nil
}

// aroundTaskColumns asks by column about a task: its result tables are the
// centres, each with all of its columns.
func (b *builder) aroundTaskColumns(q graph.Question, key string, outputs []graph.NodeID) (*lineageapi.Graph, error) {
	if b.q.column != "" {
		return nil, badParameter("column", "a task has no columns; name a column of one of the tables that it writes")
	}
	q.Nodes = outputs
	for _, id := range outputs {
		b.centres = append(b.centres, lineageapi.Centre{Key: b.v.KeyOf(id), Task: key})
		for _, c := range b.v.Columns(id) {
			q.Columns = append(q.Columns, c.ID)
		}
	}
	if len(outputs) == 0 {
		return nil, refuse(http.StatusBadRequest, "NoResultTable", fmt.Sprintf("task %s writes no table, so it has no lineage of columns", key))
	}
	b.page(b.v.Around(b.ctx, q))
	return b.finish()
}
