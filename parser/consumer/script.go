package consumer

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/parser"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// script turns the names of one task's SQL into keys.
type script struct {
	task   *event.TaskDefined
	lookup *lookup
	// namespace is that of names without a catalog of their own.
	namespace string
	catalogs  map[string]string
	// own is the task's node if it is of a family that is a result itself: an
	// API, a metric, a tag, a dashboard.
	own string

	// keys holds the keys of each name of the result; most have one.
	keys map[string][]string
	// columns give the names of columns as those keys have them.
	columns map[string]func(string) string
	// stands are the tables of the SQL that only stand for others.
	stands []*event.SourceMerged
	// keepTemporary shows session tables instead of seeing through them.
	keepTemporary bool
}

// noSource is the namespace of names in SQL that no source was named for.
const noSource = "default"

func newScript(d *event.TaskDefined, l *lookup) *script {
	s := &script{task: d, lookup: l, namespace: noSource, catalogs: d.Catalogs, keys: map[string][]string{}, columns: map[string]func(string) string{}}
	if d.DefaultSource != "" {
		s.namespace = l.namespace(d.DefaultSource)
		if source := l.source(d.DefaultSource); source != nil && len(source.Catalogs) > 0 {
			s.catalogs = map[string]string{}
			for _, m := range []map[string]string{source.Catalogs, d.Catalogs} {
				maps.Copy(s.catalogs, m)
			}
		}
	}
	if key := d.NodeKey(); key.Family != name.FamilyTask {
		s.own = key.String()
	}
	return s
}

// dialect gives the dialect that the event or its source names; empty if
// neither does, and then it is guessed.
func (s *script) dialect() string {
	if s.task.Dialect != "" {
		return strings.ToLower(s.task.Dialect)
	}
	dialects := parser.Dialects()
	if s.task.DefaultSource == "" {
		return ""
	}
	if source := s.lookup.source(s.task.DefaultSource); source != nil && slices.Contains(dialects, strings.ToLower(source.Engine)) {
		return strings.ToLower(source.Engine)
	}
	if platform := name.PlatformOf(s.namespace).Name; slices.Contains(dialects, platform) {
		return platform
	}
	return ""
}

// key gives the key of a table by the parts of its name.
func (s *script) key(parts []string) name.Key {
	if len(parts) > 1 {
		for catalog, source := range s.catalogs {
			if strings.EqualFold(catalog, parts[0]) {
				return name.DatasetFromPath(s.lookup.namespace(source), parts[1:])
			}
		}
	}
	return name.DatasetFromPath(s.namespace, parts)
}

// Columns answers the parser's question for the columns of a table.
func (s *script) Columns(parts []string) ([]string, bool) {
	return s.lookup.columns(s.key(parts).String())
}

// place gives the key of a foreign place: a URL, a path, a stage.
func (s *script) place(text string) name.Key {
	scheme, rest, ok := strings.Cut(text, "://")
	switch {
	case ok:
		authority, path, _ := strings.Cut(rest, "/")
		if path == "" {
			return name.NewKey(name.FamilyDataset, scheme+"://"+authority, "/")
		}
		return name.NewKey(name.FamilyDataset, scheme+"://"+authority, path)
	case strings.HasPrefix(text, "/"), strings.HasPrefix(text, "./"):
		return name.NewKey(name.FamilyDataset, "file", text)
	}
	return name.NewKey(name.FamilyDataset, s.namespace, text)
}

// name notes the keys of all names in the result. Of Flink's mapping tables
// those are the keys of the physical tables behind them.
func (s *script) name(res *parser.Result) []event.Node {
	physical := map[string][]string{}
	for _, m := range res.Mappings {
		if len(m.Physical) > 0 {
			physical[m.Table] = m.Physical
		}
	}
	var nodes []event.Node
	for _, d := range res.Datasets {
		switch {
		case d.Kind == datasetResult:
			if s.own != "" {
				s.keys[d.Name] = []string{s.own}
			}
			continue
		case len(physical[d.Name]) > 0:
			for _, p := range physical[d.Name] {
				key := s.place(p)
				s.keys[d.Name] = append(s.keys[d.Name], key.String())
				nodes = append(nodes, event.Node{Key: key.String(), Kind: kindOf(key, false)})
			}
			continue
		}
		key := s.key(d.Parts)
		if d.Kind == datasetPlace {
			key = s.place(d.Name)
		}
		s.keys[d.Name] = []string{key.String()}
		kind := kindOf(key, d.View)
		if d.Kind == datasetTemporary {
			kind = KindTemporary
		}
		nodes = append(nodes, event.Node{Key: key.String(), Kind: kind, Display: display(key, d)})
	}
	return nodes
}

// stand notes the tables of ClickHouse's that stand for others, which is so for
// the SQL of other tasks too. Flink's tables last as long as their session.
func (s *script) stand(res *parser.Result) {
	if res.Dialect != "clickhouse" {
		return
	}
	task := s.task.TaskKey()
	for _, table := range slices.Sorted(maps.Keys(res.Physical)) {
		if len(res.Physical[table]) != 1 {
			continue
		}
		from, to := s.place(table), s.place(res.Physical[table][0])
		if from == to {
			continue
		}
		s.stands = append(s.stands, &event.SourceMerged{
			ID: "stands:" + task + ":" + from.String(), Exact: true, DerivedBy: task,
			From: event.Place{Namespace: from.Namespace, Prefix: from.Name}, To: event.Place{Namespace: to.Namespace, Prefix: to.Name},
		})
	}
}

// Kinds of datasets in the parser's result.
const (
	datasetPlace     = "place"
	datasetResult    = "result"
	datasetTemporary = "temporary"
)

// KindTemporary is the kind of a script's session tables, where an extraction
// keeps them.
const KindTemporary = "temporary"

// kindOf gives the kind that a mention tells of a dataset; empty for a table.
func kindOf(key name.Key, view bool) string {
	switch platform := name.PlatformOf(key.Namespace).Name; {
	case view:
		return "view"
	case slices.Contains([]string{"kafka", "pulsar", "kinesis", "pubsub"}, platform):
		return "topic"
	case slices.Contains([]string{"s3", "gs", "hdfs", "file", "abfss", "abfs", "wasbs", "wasb", "dbfs", "oss", "cos", "obs"}, platform):
		return "file_set"
	case strings.HasPrefix(key.Name, "@"):
		return "stage"
	}
	return ""
}

// display gives the name as the SQL writes it, if the key has another.
func display(key name.Key, d parser.Dataset) string {
	written := name.JoinPath(d.Parts...)
	if len(d.Parts) == 0 || written == key.Name || !strings.EqualFold(written, key.Name) {
		return ""
	}
	return written
}

func (s *script) all(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, s.keys[n]...)
	}
	return out
}

// column gives a column's name as keys have it.
func column(key, col string) string {
	k, err := name.ParseKey(key)
	if err != nil {
		return col
	}
	return lineage.ColumnName(k, col)
}

// column is the same for the keys of the result, each of which is looked at once.
func (s *script) column(key, col string) string {
	as, ok := s.columns[key]
	if !ok {
		k, _ := name.ParseKey(key) // no column of what is no key has another name
		as = lineage.ColumnNamesOf(k)
		s.columns[key] = as
	}
	return as(col)
}

// pairs calls with every combination of the keys of two names.
func (s *script) pairs(from, to string, fn func(from, to string)) {
	for _, f := range s.keys[from] {
		for _, t := range s.keys[to] {
			fn(f, t)
		}
	}
}

// extract parses the task's SQL into the extraction.
func (s *script) extract(ctx context.Context, limits parser.Limits, x *event.LineageExtracted) {
	res := parser.Extract(ctx, []byte(s.task.SQL), parser.Options{
		Dialect: s.dialect(), DefaultCatalog: s.task.DefaultCatalog, DefaultSchema: s.task.DefaultSchema,
		Schema: s, Variables: s.task.Variables, Limits: limits, KeepTemporary: s.keepTemporary,
		Explain: true,
	})
	x.Dialect, x.DialectGuessed, x.Confidence = res.Dialect, res.Guessed, res.Confidence
	for _, e := range res.Errors {
		x.Errors = append(x.Errors, event.SQLError{Kind: string(e.Kind), Statement: e.Statement, Line: e.Line, Column: e.Column, Message: e.Message})
	}
	x.Nodes = append(x.Nodes, s.name(&res)...)
	s.stand(&res)
	s.edges(&res, x)
	for _, st := range res.Statements {
		x.Statements = append(x.Statements, event.Statement{
			N: st.N, Line: st.Line, Column: st.Column, EndLine: st.EndLine, Kind: st.Kind, Reads: s.all(st.Reads), Writes: s.all(st.Writes),
		})
	}
	for _, t := range res.Targets {
		for _, key := range s.keys[t.Table] {
			x.Columns = append(x.Columns, event.NodeColumns{Key: key, Names: t.Names})
		}
	}
	x.Flink = s.flink(&res)
	x.Steps = s.steps(&res, x)
	res.Release()
}

func (s *script) edges(res *parser.Result, x *event.LineageExtracted) {
	for _, e := range res.Tables {
		s.pairs(e.From, e.To, func(from, to string) {
			x.Edges = append(x.Edges, event.LineageEdge{From: from, To: to, Level: event.LevelTable, Direct: true, Statements: e.Statements})
		})
	}
	for _, e := range res.Columns {
		s.pairs(e.FromTable, e.ToTable, func(from, to string) {
			x.Edges = append(x.Edges, event.LineageEdge{
				From: from, FromColumn: s.column(from, e.FromColumn), To: to, ToColumn: s.column(to, e.ToColumn),
				Level: event.LevelColumn, Direct: true, Via: e.Via, Statements: e.Statements, Unexpanded: e.Unexpanded,
			})
		})
	}
	for _, e := range res.Indirect {
		s.pairs(e.FromTable, e.To, func(from, to string) {
			x.Edges = append(x.Edges, event.LineageEdge{
				From: from, FromColumn: s.column(from, e.FromColumn), To: to, Level: event.LevelColumn, Via: e.Via, Statements: e.Statements,
			})
		})
	}
	if s.own == "" {
		return
	}
	// A query without a target is what an API and its like are made from: what
	// it reads goes into the node.
	for _, st := range res.Statements {
		if len(st.Writes) > 0 {
			continue
		}
		for _, from := range s.all(st.Reads) {
			x.Edges = append(x.Edges, event.LineageEdge{From: from, To: s.own, Level: event.LevelTable, Direct: true, Statements: []int{st.N}})
		}
	}
}

func (s *script) flink(res *parser.Result) *event.Flink {
	if len(res.Mappings) == 0 {
		return nil
	}
	out := &event.Flink{}
	for _, m := range res.Mappings {
		tables := []event.FlinkTable{}
		for _, p := range m.Physical {
			tables = append(tables, event.FlinkTable{Name: m.Table, Connector: m.Connector, Physical: s.place(p).String(), Columns: namedColumns(m.Columns)})
		}
		if len(m.Physical) == 0 {
			tables = append(tables, event.FlinkTable{Name: m.Table, Connector: m.Connector, Columns: namedColumns(m.Columns)})
		}
		if m.Source {
			out.Sources = append(out.Sources, tables...)
		}
		if m.Result {
			out.Results = append(out.Results, tables...)
		}
	}
	return out
}

func namedColumns(names []string) []event.Column {
	out := make([]event.Column, len(names))
	for i, n := range names {
		out[i] = event.Column{Name: n}
	}
	return out
}

// step is one step between columns, as it is stored.
type step struct {
	n                   int
	kind, label, column string
	statement, line, at int
}

// Kinds of steps.
const (
	stepSource     = "source"
	stepExpression = "expression"
	stepTarget     = "target"
)

// stepGraph is the graph of steps: values flow along the edges, from the
// columns that they come from to those that they go into.
type stepGraph struct {
	nodes []step
	edges [][2]int
}

// json gives the graph as it is stored: {"nodes":[…],"edges":[[from,to],…]}.
// It is written by hand because every column of every script passes here, and
// writing it by reflection took a quarter of what finding the steps took.
func (g *stepGraph) json() json.RawMessage {
	out := make([]byte, 0, 16+100*len(g.nodes)+8*len(g.edges))
	out = append(out, `{"nodes":[`...)
	for i := range g.nodes {
		if i > 0 {
			out = append(out, ',')
		}
		out = g.nodes[i].append(out)
	}
	out = append(out, `],"edges":[`...)
	for i, e := range g.edges {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(append(out, '['), int64(e[0]), 10)
		out = append(strconv.AppendInt(append(out, ','), int64(e[1]), 10), ']')
	}
	return append(out, "]}"...)
}

// append adds the step as JSON. What is empty is left out.
func (s *step) append(out []byte) []byte {
	number := func(name string, n int) {
		out = strconv.AppendInt(append(append(out, name...), ':'), int64(n), 10)
	}
	text := func(name, value string) {
		if value != "" {
			out = event.AppendText(append(append(out, name...), ':'), value)
		}
	}
	number(`{"n"`, s.n)
	text(`,"kind"`, s.kind)
	text(`,"label"`, s.label)
	text(`,"column"`, s.column)
	for _, p := range [...]struct {
		name string
		n    int
	}{{`,"statement"`, s.statement}, {`,"line"`, s.line}, {`,"at"`, s.at}} {
		if p.n != 0 {
			number(p.name, p.n)
		}
	}
	return append(out, '}')
}

// maxStepBytes bounds the stored graph of steps.
const maxStepBytes = 2 << 20

// steps gives the graph of steps as JSON; none for a script without columns. A
// graph beyond the bound is left out, and an error of kind limit says so.
func (s *script) steps(res *parser.Result, x *event.LineageExtracted) json.RawMessage {
	if len(res.Columns) == 0 {
		return nil
	}
	graph := res.Steps()
	out := stepGraph{nodes: make([]step, 0, len(graph.Steps)+len(res.Columns)), edges: make([][2]int, 0, 2*len(graph.Steps))}
	for i := range graph.Steps {
		st := &graph.Steps[i]
		n := step{n: i, kind: stepExpression, label: st.Name, statement: st.Statement, line: st.Line, at: st.Column}
		if st.Table != "" {
			n.kind, n.column = stepSource, s.columnKey(st.Table, st.Name)
		}
		out.nodes = append(out.nodes, n)
		for _, in := range st.Inputs {
			out.edges = append(out.edges, [2]int{in.Step, i})
		}
	}
	targets := map[string]int{}
	for i, e := range res.Columns {
		key := s.columnKey(e.ToTable, e.ToColumn)
		n, ok := targets[key]
		if !ok {
			n = len(out.nodes)
			targets[key] = n
			out.nodes = append(out.nodes, step{n: n, kind: stepTarget, label: e.ToColumn, column: key})
		}
		for _, root := range graph.Columns[i] {
			out.edges = append(out.edges, [2]int{root, n})
		}
	}
	raw := out.json()
	if len(raw) > maxStepBytes {
		x.Errors = append(x.Errors, event.SQLError{Kind: "limit", Message: "the steps between columns take more than " + strconv.Itoa(maxStepBytes) + " bytes and are left out; the edges are whole"})
		return nil
	}
	return raw
}

func (s *script) columnKey(table, col string) string {
	keys := s.keys[table]
	if len(keys) == 0 {
		return name.JoinPath(table, col)
	}
	return name.ColumnKey(keys[0], s.column(keys[0], col))
}
