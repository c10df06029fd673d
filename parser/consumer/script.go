package consumer

import (
	"context"
	"maps"
	"slices"
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

	// home are the datasets of the namespace.
	home name.Datasets
	// nodes holds the nodes of each name of the result; most have one.
	nodes map[string][]node
	// near is the namespace of the last dataset, and nearColumn how columns are named
	// there: most names are of one namespace.
	near       string
	nearColumn func(column string) string
	// stands are the tables of the SQL that only stand for others.
	stands []*event.SourceMerged
	// keepTemporary shows session tables instead of seeing through them.
	keepTemporary bool
}

// node is a node that a name of the result stands for.
type node struct {
	key string
	// column gives the name of a column as keys have it.
	column func(column string) string
}

func nodeOf(key string) node {
	k, _ := name.ParseKey(key) // no column of what is no key has another name
	return node{key, lineage.ColumnNamesOf(k)}
}

// dataset gives the node of a dataset.
func (s *script) dataset(key name.Key) node {
	text := key.String()
	if key.Name == "" {
		return nodeOf(text)
	}
	if s.nearColumn == nil || s.near != key.Namespace {
		s.near, s.nearColumn = key.Namespace, lineage.ColumnNamesOf(key)
	}
	return node{text, s.nearColumn}
}

// noSource is the namespace of names in SQL that no source was named for.
const noSource = "default"

func newScript(d *event.TaskDefined, l *lookup) *script {
	s := &script{task: d, lookup: l, namespace: noSource, catalogs: d.Catalogs, nodes: map[string][]node{}}
	if d.DefaultSource != "" {
		s.namespace = l.namespace(d.DefaultSource)
		if source := l.source(d.DefaultSource); source != nil && len(source.Catalogs) > 0 {
			s.catalogs = map[string]string{}
			for _, m := range []map[string]string{source.Catalogs, d.Catalogs} {
				maps.Copy(s.catalogs, m)
			}
		}
	}
	s.home = name.DatasetsOf(s.namespace)
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
	return s.home.Key(parts)
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
	var physical map[string][]string
	for _, m := range res.Mappings {
		if len(m.Physical) > 0 {
			if physical == nil {
				physical = map[string][]string{}
			}
			physical[m.Table] = m.Physical
		}
	}
	nodes := make([]event.Node, 0, len(res.Datasets))
	for _, d := range res.Datasets {
		switch {
		case d.Kind == datasetResult:
			if s.own != "" {
				s.nodes[d.Name] = []node{nodeOf(s.own)}
			}
			continue
		case len(physical[d.Name]) > 0:
			for _, p := range physical[d.Name] {
				key := s.place(p)
				n := s.dataset(key)
				s.nodes[d.Name] = append(s.nodes[d.Name], n)
				nodes = append(nodes, event.Node{Key: n.key, Kind: kindOf(key, false)})
			}
			continue
		}
		key := s.key(d.Parts)
		if d.Kind == datasetPlace {
			key = s.place(d.Name)
		}
		n := s.dataset(key)
		s.nodes[d.Name] = []node{n}
		kind := kindOf(key, d.View)
		if d.Kind == datasetTemporary {
			kind = KindTemporary
		}
		nodes = append(nodes, event.Node{Key: n.key, Kind: kind, Display: display(key, d)})
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
	return own(written)
}

// own copies a text that may be a part of the SQL: what was extracted is handed on to
// readers, and must not keep the SQL in memory.
func own(text string) string { return strings.Clone(text) }

func ownList(texts []string) []string {
	if texts == nil {
		return nil
	}
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = own(t)
	}
	return out
}

func (s *script) all(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	out := make([]string, 0, len(names))
	for _, n := range names {
		for i := range s.nodes[n] {
			out = append(out, s.nodes[n][i].key)
		}
	}
	return out
}

// column gives a column's name as keys have it.
func column(key, col string) string { return nodeOf(key).column(col) }

// pairs calls with every combination of the nodes of two names.
func (s *script) pairs(from, to string, fn func(from, to *node)) {
	tos := s.nodes[to]
	for i, froms := 0, s.nodes[from]; i < len(froms); i++ {
		for j := range tos {
			fn(&froms[i], &tos[j])
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
	x.Nodes = s.name(&res)
	s.stand(&res)
	s.edges(&res, x)
	x.Statements = make([]event.Statement, 0, len(res.Statements))
	for _, st := range res.Statements {
		x.Statements = append(x.Statements, event.Statement{
			N: st.N, Line: st.Line, Column: st.Column, EndLine: st.EndLine, Kind: st.Kind, Reads: s.all(st.Reads), Writes: s.all(st.Writes),
		})
	}
	for _, t := range res.Targets {
		for _, n := range s.nodes[t.Table] {
			x.Columns = append(x.Columns, event.NodeColumns{Key: n.key, Names: ownList(t.Names)})
		}
	}
	x.Flink = s.flink(&res)
	x.Steps = s.steps(&res, x)
	res.Release()
}

func (s *script) edges(res *parser.Result, x *event.LineageExtracted) {
	x.Edges = make([]event.LineageEdge, 0, len(res.Tables)+len(res.Columns)+len(res.Indirect)) // most have one pair
	for i := range res.Tables {
		e := &res.Tables[i]
		s.pairs(e.From, e.To, func(from, to *node) {
			x.Edges = append(x.Edges, event.LineageEdge{From: from.key, To: to.key, Level: event.LevelTable, Direct: true, Statements: e.Statements})
		})
	}
	for i := range res.Columns {
		e := &res.Columns[i]
		s.pairs(e.FromTable, e.ToTable, func(from, to *node) {
			x.Edges = append(x.Edges, event.LineageEdge{
				From: from.key, FromColumn: own(from.column(e.FromColumn)), To: to.key, ToColumn: own(to.column(e.ToColumn)),
				Level: event.LevelColumn, Direct: true, Via: e.Via, Statements: e.Statements, Unexpanded: e.Unexpanded,
			})
		})
	}
	for i := range res.Indirect {
		e := &res.Indirect[i]
		s.pairs(e.FromTable, e.To, func(from, to *node) {
			x.Edges = append(x.Edges, event.LineageEdge{
				From: from.key, FromColumn: own(from.column(e.FromColumn)), To: to.key, Level: event.LevelColumn, Via: e.Via, Statements: e.Statements,
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
