package api

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// Bounds of what a node's page lists.
const (
	nodeRuns         = 20
	nodeTransactions = 50
	nodeTasks        = 200
)

// GetNode answers with all that is known of one node.
func (a *API) GetNode(ctx context.Context, req lineageapi.GetNodeRequestObject) (lineageapi.GetNodeResponseObject, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Limits.Deadline)
	defer cancel()
	p := req.Params
	q, err := a.ask(ctx, params{node: p.Node, branch: p.Branch, fallback: p.Fallback, asOf: p.AsOf, position: p.MinPosition, defaultDepth: 1})
	if err != nil {
		return nil, err
	}
	v, err := a.view(ctx, q)
	if err != nil {
		return nil, err
	}
	key, err := a.resolve(v, p.Node)
	if err != nil {
		return nil, err
	}
	b := a.builder(ctx, v, q)
	out, err := b.details(v.Node(key))
	if err != nil {
		return nil, err
	}
	return lineageapi.GetNode200JSONResponse(*out), nil
}

func (b *builder) details(id graph.NodeID) (*lineageapi.NodeDetails, error) {
	n := b.node(id)
	for _, c := range b.v.Columns(id) {
		n.Columns = append(n.Columns, b.column(c))
	}
	out := &lineageapi.NodeDetails{Node: n, Keys: append([]string{n.Key}, n.Aliases...), Position: b.v.Position().String()}
	about := b.v.About(id)
	if d := about.Definition; d != nil {
		out.Owner, out.Labels, out.Comment = d.Owner, d.Labels, d.Description
	}
	b.neighbourTasks(out, id)
	if b.Details == nil {
		return out, nil
	}
	var err error
	if n.Family == lineageapi.NodeFamilyDataset {
		err = b.datasetDetails(out)
	} else {
		err = b.taskDetails(out)
	}
	return out, err
}

// neighbourTasks lists the tasks that make edges into a node and out of it.
func (b *builder) neighbourTasks(out *lineageapi.NodeDetails, id graph.NodeID) {
	all := func(graph.NodeID) bool { return true }
	for _, up := range []bool{true, false} {
		refs, more := map[string]*lineageapi.TaskRef{}, false
		for _, e := range b.v.EdgesTo(id, up, all) {
			for _, c := range b.v.Contributors(e) {
				switch {
				case c.Drawn != nil || c.Node == "" || c.Node == out.Node.Key || !b.sees(c.Node):
				case len(refs) == nodeTasks && refs[c.Node] == nil:
					more = true
				default:
					b.refTo(refs, c)
				}
			}
			if more {
				break
			}
		}
		list := make([]lineageapi.TaskRef, 0, len(refs))
		for _, r := range refs {
			slices.Sort(r.Statements)
			r.Statements = slices.Compact(r.Statements)
			list = append(list, *r)
		}
		slices.SortFunc(list, func(x, y lineageapi.TaskRef) int { return strings.Compare(x.Key, y.Key) })
		if up {
			out.Producers, out.MoreProducers = list, more
		} else {
			out.Consumers, out.MoreConsumers = list, more
		}
	}
}

func (b *builder) refTo(refs map[string]*lineageapi.TaskRef, c graph.Contributor) {
	r := refs[c.Node]
	if r == nil {
		k, err := name.ParseKey(c.Node)
		if err != nil {
			k = name.Key{Name: c.Node}
		}
		r = &lineageapi.TaskRef{Key: c.Node, Kind: c.Kind, Branch: c.Owner.Branch, Origin: c.Origin.String()}
		r.Name, _ = b.display(k, "")
		refs[c.Node] = r
	}
	r.Statements = append(r.Statements, c.Statements...)
}

func (b *builder) datasetDetails(out *lineageapi.NodeDetails) error {
	var tasks []string
	for _, t := range out.Producers {
		tasks = append(tasks, recordsKey(t.Key))
	}
	d, err := b.Details.Dataset(b.ctx, b.dataset(out.Node.Key))
	if err != nil {
		return fmt.Errorf("looking up dataset %s: %w", out.Node.Key, err)
	}
	out.Branches, out.Transactions = d.Branches, d.Transactions
	if len(tasks) == 0 {
		return nil
	}
	runs, err := b.Details.Runs(b.ctx, tasks, nodeRuns)
	if err != nil {
		return fmt.Errorf("looking up runs: %w", err)
	}
	out.Runs = runs
	return nil
}

// dataset asks for what the catalog knows of a dataset under any of its keys,
// those under the id of its source among them.
func (b *builder) dataset(key string) DatasetQuestion {
	q := DatasetQuestion{Keys: append([]string{key}, b.v.About(b.v.Node(key)).Aliases...), Limit: nodeTransactions}
	q.Is = func(other string) bool { return b.Live.Sources().Canonical(other) == b.Live.Sources().Canonical(key) }
	k, err := name.ParseKey(key)
	if err != nil {
		return q
	}
	for _, s := range b.Live.Sources().Registered() {
		if slices.ContainsFunc(s.Addresses, func(a string) bool { return name.Namespace(a) == k.Namespace }) {
			q.Keys = append(q.Keys, name.NewKey(k.Family, s.ID, k.Name).String())
		}
	}
	return q
}

func (b *builder) taskDetails(out *lineageapi.NodeDetails) error {
	task := recordsKey(out.Node.Key)
	runs, err := b.Details.Runs(b.ctx, []string{task}, nodeRuns)
	if err != nil {
		return fmt.Errorf("looking up runs: %w", err)
	}
	out.Runs = runs
	branch := b.v.TaskBranch(out.Node.Key)
	d, err := b.Details.Task(b.ctx, task, branch)
	if err != nil {
		return fmt.Errorf("looking up task %s: %w", task, err)
	}
	if d == nil {
		return nil
	}
	out.Owner, out.Labels, out.FirstSeen, out.LastSeen = d.Owner, d.Labels, d.FirstSeen, d.Defined
	if d.SQL != "" {
		out.Sql = b.taskSQL(d, branch)
	}
	if d.Flink != nil {
		out.Node.Flink = lineageapi.Flink{Sources: b.mappingTables(d.Flink.Sources), Results: b.mappingTables(d.Flink.Results)}
	}
	out.Errors, err = b.errorsOf(map[string]bool{out.Node.Key: true})
	out.Node.Unparsed = len(out.Errors)
	return err
}

// taskSQL gives a task's SQL with its statements and steps; names of nodes
// that the caller may not see stand in the text, so a caller who may not see
// all of them gets no text.
func (b *builder) taskSQL(d *TaskDetails, branch string) lineageapi.TaskSQL {
	out := lineageapi.TaskSQL{Dialect: d.Dialect, DialectGuessed: d.Guessed, Branch: branch, Parser: d.Parser, Statements: []lineageapi.Statement{}}
	if !b.seesAll(d.Statements) {
		return out
	}
	out.Text = d.SQL
	lines := strings.SplitAfter(d.SQL, "\n")
	for _, s := range d.Statements {
		out.Statements = append(out.Statements, statement(s, lines))
	}
	out.Steps = steps(d.Steps)
	return out
}

func (b *builder) seesAll(statements []event.Statement) bool {
	for _, s := range statements {
		for _, key := range slices.Concat(s.Reads, s.Writes) {
			if !b.sees(b.Live.Sources().Canonical(key)) {
				return false
			}
		}
	}
	return true
}

// statement renders a statement with its text, which it cuts out of the
// script's lines.
func statement(s event.Statement, lines []string) lineageapi.Statement {
	out := lineageapi.Statement{N: s.N, Kind: s.Kind, Line: s.Line, Column: s.Column, EndLine: s.EndLine, Reads: s.Reads, Writes: s.Writes}
	end := max(s.EndLine, s.Line)
	if s.Line >= 1 && end <= len(lines) {
		text := strings.Join(lines[s.Line-1:end], "")
		if runes := []rune(text); s.Column > 1 && s.Column <= len(runes) {
			text = string(runes[s.Column-1:])
		}
		out.Text = strings.TrimSpace(text)
	}
	return out
}

// steps reads the stored graph of steps; what is not of its form is left out.
func steps(raw json.RawMessage) lineageapi.Steps {
	var s lineageapi.Steps
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return lineageapi.Steps{}
	}
	return s
}

// GetEdge answers with those who make an edge.
func (a *API) GetEdge(ctx context.Context, req lineageapi.GetEdgeRequestObject) (lineageapi.GetEdgeResponseObject, error) {
	ctx, cancel := context.WithTimeout(ctx, a.Limits.Deadline)
	defer cancel()
	p := req.Params
	q, err := a.ask(ctx, params{node: p.From, column: p.FromColumn, branch: p.Branch, fallback: p.Fallback, asOf: p.AsOf, direction: lineageapi.DirectionDown, defaultDepth: 1})
	if err != nil {
		return nil, err
	}
	v, err := a.view(ctx, q)
	if err != nil {
		return nil, err
	}
	b := a.builder(ctx, v, q)
	k, err := a.edgeKey(v, p.From, p.FromColumn, p.To, p.ToColumn)
	if err != nil {
		return nil, err
	}
	e, ok := v.Find(k)
	if !ok || !v.Has(e) {
		return nil, unknownEdge(k)
	}
	out := lineageapi.GetEdge200JSONResponse{Edge: b.edge(e), Contributors: []lineageapi.Contributor{}, Position: v.Position().String()}
	if out.Contributors, err = b.contributors(e, k); err != nil {
		return nil, err
	}
	return out, nil
}

// edgeKey resolves the ends of an edge.
func (a *API) edgeKey(v *graph.View, from, fromColumn, to, toColumn string) (graph.EdgeKey, error) {
	f, err := a.resolve(v, from)
	if err != nil {
		return graph.EdgeKey{}, err
	}
	t, err := a.resolve(v, to)
	if err != nil {
		return graph.EdgeKey{}, err
	}
	return graph.EdgeKey{From: f, FromColumn: fromColumn, To: t, ToColumn: toColumn, Direct: fromColumn == "" || toColumn != ""}, nil
}

func unknownEdge(k graph.EdgeKey) error {
	from, to := k.From, k.To
	if k.FromColumn != "" {
		from = name.ColumnKey(from, k.FromColumn)
	}
	if k.ToColumn != "" {
		to = name.ColumnKey(to, k.ToColumn)
	}
	return refuse(404, "UnknownEdge", fmt.Sprintf("there is no edge from %s to %s", from, to))
}

func (b *builder) contributors(e graph.Edge, k graph.EdgeKey) ([]lineageapi.Contributor, error) {
	var seen map[SeenBy]SeenSpan
	if b.Details != nil {
		var err error
		if seen, err = b.Details.Seen(b.ctx, k); err != nil {
			return nil, fmt.Errorf("looking up since when the edge is there: %w", err)
		}
	}
	out := []lineageapi.Contributor{}
	for _, c := range b.v.Contributors(e) {
		if c.Drawn == nil && c.Node != "" && !b.sees(c.Node) {
			continue
		}
		r := lineageapi.Contributor{Origin: c.Origin.String(), Branch: c.Owner.Branch, Via: c.Via.Names()}
		if c.Drawn != nil {
			r.Person, r.Why, r.FirstSeen = c.Drawn.Who, c.Drawn.Why, c.Drawn.At
		} else {
			r.Task = c.Node
		}
		if s, ok := seen[SeenBy{Contributor: c.Owner.Task, Branch: c.Owner.Branch, Origin: r.Origin}]; ok {
			r.FirstSeen, r.LastSeen = s.First, s.Last
		}
		if err := b.addSQL(&r, c); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// addSQL adds the statements that make an edge, and the task's last run.
func (b *builder) addSQL(r *lineageapi.Contributor, c graph.Contributor) error {
	if b.Details == nil || c.Drawn != nil {
		return nil
	}
	d, err := b.Details.Task(b.ctx, c.Owner.Task, c.Owner.Branch)
	if err != nil {
		return fmt.Errorf("looking up task %s: %w", c.Owner.Task, err)
	}
	if d != nil && b.seesAll(d.Statements) {
		lines := strings.SplitAfter(d.SQL, "\n")
		for _, s := range d.Statements {
			if slices.Contains(c.Statements, s.N) {
				r.Statements = append(r.Statements, statement(s, lines))
			}
		}
		r.Steps = steps(d.Steps)
	}
	runs, err := b.Details.Runs(b.ctx, []string{c.Owner.Task}, 1)
	if err != nil {
		return fmt.Errorf("looking up runs: %w", err)
	}
	if len(runs) > 0 {
		r.LastRun = runs[0]
	}
	return nil
}
