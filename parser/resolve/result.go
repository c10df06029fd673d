package resolve

import (
	"sort"

	"github.com/tributary-data/tributary/parser/ir"
)

// Result is what a script does: its edges, what it reads and writes, and what could
// not be resolved. Names are as the dialect stores them, in the order first seen.
type Result struct {
	Statements []Statement
	Reads      []string
	Writes     []string
	Tables     []TableEdge
	Columns    []ColumnEdge
	Indirect   []IndirectEdge
	// Physical lists, for tables that only stand for others (Flink mappings,
	// ClickHouse engines, views over files), the places behind them.
	Physical map[string][]string
	Errors   []Error
	// Temps are the session tables that the script made.
	Temps []string
	// Targets are the columns that CREATE … AS and views give what they make.
	Targets []Columns
	// Uses are the tables that the schema source was asked for.
	Uses []Use
	// Mappings are the mapping tables of a Flink script.
	Mappings []Mapping
	// Datasets describes each name above.
	Datasets []Dataset

	graph graph
}

// Statement is one leaf statement, numbered in the order of the script. Lines and
// columns are 1-based, columns in characters.
type Statement struct {
	N                     int
	Line, Column, EndLine int
	// Start and End are byte offsets.
	Start, End    int
	Kind          string
	Reads, Writes []string
}

// TableEdge says that data of From goes into To.
type TableEdge struct {
	From, To   string
	Statements []int
}

// ColumnEdge says that a value of FromTable.FromColumn goes into ToTable.ToColumn.
// A column "*" is the whole row of a table whose columns are not known; the edge is
// then unexpanded.
type ColumnEdge struct {
	FromTable, FromColumn string
	ToTable, ToColumn     string
	// Via lists what values go through: identity, transformation, aggregation,
	// masking.
	Via        []string
	Statements []int
	Unexpanded bool
}

// IndirectEdge says that FromTable.FromColumn decides rows, order or groups of To.
type IndirectEdge struct {
	FromTable, FromColumn string
	To                    string
	// Via lists how: filter, join, group_by, sort, window, conditional.
	Via        []string
	Statements []int
}

// Error is a place that could not be resolved or parsed.
type Error struct {
	Kind                    ir.ErrorKind
	Statement, Line, Column int
	Message                 string
}

// Columns are the columns of a table that the script made.
type Columns struct {
	Table string
	Names []string
}

// Use is a table whose columns were looked up.
type Use struct {
	Parts []string
	Found bool
}

// Mapping is a table of a Flink script with the physical tables behind it.
type Mapping struct {
	Table     string
	Connector string
	Physical  []string
	Columns   []string
	// Source and Result say whether the script reads or writes it.
	Source, Result bool
}

// DatasetKind says what a name of the result stands for.
type DatasetKind string

// The kinds of dataset.
const (
	// DatasetTable is a table or view of the script's own namespace.
	DatasetTable DatasetKind = "table"
	// DatasetPlace is a file, stage, URL or a table of another system.
	DatasetPlace DatasetKind = "place"
	// DatasetTemporary is a session table, shown if asked for.
	DatasetTemporary DatasetKind = "temporary"
	// DatasetResult is <result>.
	DatasetResult DatasetKind = "result"
)

// Dataset describes one name of the result.
type Dataset struct {
	Name  string
	Parts []string
	Kind  DatasetKind
	View  bool
}

// result builds what is handed out.
func (r *resolver) result() *Result {
	lines := r.o.Places
	if lines == nil {
		lines = plainPlaces{ir.NewLines(r.src)}
	}
	out := &Result{Uses: r.catalog.uses}
	r.resultStatements(out, lines)
	r.resultTables(out)
	r.resultEdges(out)
	for _, p := range r.errors {
		line, column := lines.At(p.at)
		out.Errors = append(out.Errors, Error{p.kind, int(p.n), line, column, p.message})
	}
	out.graph = graph{r: r, lines: lines}
	return out
}

func (r *resolver) resultStatements(out *Result, lines Places) {
	for i := range r.statements {
		s := &r.statements[i]
		line, column := lines.At(s.span.Start)
		endLine, _ := lines.At(max(s.span.End-1, s.span.Start))
		st := Statement{N: int(s.n), Line: line, Column: column, EndLine: endLine, Kind: s.kind,
			Start: int(lines.Origin(s.span.Start)), End: int(lines.Origin(s.span.End))}
		for _, t := range s.readOrder {
			st.Reads = append(st.Reads, t.name())
		}
		for _, t := range s.writeOrder {
			st.Writes = append(st.Writes, t.name())
		}
		out.Statements = append(out.Statements, st)
	}
}

func (r *resolver) resultTables(out *Result) {
	seen := map[string]int{}
	for _, t := range r.catalog.all {
		if len(t.physical) > 0 && !t.temp {
			if out.Physical == nil {
				out.Physical = map[string][]string{}
			}
			out.Physical[t.name()] = t.physical
		}
		if t.temp {
			out.Temps = append(out.Temps, t.name())
		}
		if !t.read && !t.written && !t.result {
			continue
		}
		n := t.name()
		if at, ok := seen[n]; !ok {
			seen[n] = 0
			out.Datasets = append(out.Datasets, Dataset{Name: n, Parts: t.parts, Kind: t.kind(), View: t.view})
		} else {
			seen[n] = at
		}
	}
	out.Reads = r.namesOf(func(t *Table) bool { return t.read })
	out.Writes = r.namesOf(func(t *Table) bool { return t.written })
	for _, x := range r.targets {
		out.Targets = append(out.Targets, Columns{x.table.name(), x.names})
	}
	for _, t := range r.mappings {
		m := Mapping{Table: t.name(), Connector: t.options["connector"], Physical: t.physical, Source: t.read, Result: t.written}
		if t.known {
			for _, c := range t.rel.cols {
				m.Columns = append(m.Columns, c.name)
			}
		}
		out.Mappings = append(out.Mappings, m)
	}
}

func (t *Table) kind() DatasetKind {
	switch {
	case t.result:
		return DatasetResult
	case t.place:
		return DatasetPlace
	case t.temp:
		return DatasetTemporary
	}
	return DatasetTable
}

func (r *resolver) namesOf(want func(*Table) bool) []string {
	var out []string
	seen := map[string]bool{}
	for _, t := range r.catalog.all {
		if !want(t) || t.result {
			continue
		}
		if n := t.name(); !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// resultEdges prints the edges. Tables that ended under one name are one.
func (r *resolver) resultEdges(out *Result) {
	tables := map[[2]string]int{}
	for _, e := range r.edges.tableList {
		k := [2]string{e.from.name(), e.to.name()}
		if at, ok := tables[k]; ok {
			out.Tables[at].Statements = mergeInts(out.Tables[at].Statements, e.stmts)
			continue
		}
		tables[k] = len(out.Tables)
		out.Tables = append(out.Tables, TableEdge{k[0], k[1], ints(e.stmts)})
	}
	names := map[*Table]string{}
	nameOf := func(t *Table) string {
		n, ok := names[t]
		if !ok {
			n = t.name()
			names[t] = n
		}
		return n
	}
	columns := make(map[[4]string]int, len(r.edges.columnList))
	for _, e := range r.edges.columnList {
		k := [4]string{nameOf(e.from.owner), e.from.name, nameOf(e.to.owner), e.to.name}
		if at, ok := columns[k]; ok {
			e.at = at
			out.Columns[at].Statements = mergeInts(out.Columns[at].Statements, e.stmts)
			continue
		}
		e.at = len(out.Columns)
		columns[k] = e.at
		out.Columns = append(out.Columns, ColumnEdge{k[0], k[1], k[2], k[3], passNames(e.passes), ints(e.stmts),
			e.from.key == "*" || e.to.key == "*"})
	}
	indirect := make(map[[3]string]int, len(r.edges.indirectList))
	for _, e := range r.edges.indirectList {
		k := [3]string{nameOf(e.from.owner), e.from.name, nameOf(e.to)}
		if at, ok := indirect[k]; ok {
			e.at = at
			out.Indirect[at].Statements = mergeInts(out.Indirect[at].Statements, e.stmts)
			continue
		}
		e.at = len(out.Indirect)
		indirect[k] = e.at
		out.Indirect = append(out.Indirect, IndirectEdge{k[0], k[1], k[2], kindNames(e.kinds), ints(e.stmts)})
	}
}

func ints(list []int32) []int {
	out := make([]int, len(list))
	for i, n := range list {
		out[i] = int(n)
	}
	return out
}

func mergeInts(a []int, b []int32) []int {
	a = append(a, ints(b)...)
	sort.Ints(a)
	out := a[:0]
	for i, n := range a {
		if i == 0 || n != a[i-1] {
			out = append(out, n)
		}
	}
	return out
}

// passNames names what the paths of an edge go through.
func passNames(set uint8) []string {
	var bits pass
	for p := range pass(8) {
		if set&(1<<p) != 0 {
			bits |= p
		}
	}
	var out []string
	if set&1 != 0 {
		out = append(out, "identity")
	}
	if bits&passTransform != 0 {
		out = append(out, "transformation")
	}
	if bits&passAggregate != 0 {
		out = append(out, "aggregation")
	}
	if bits&passMask != 0 {
		out = append(out, "masking")
	}
	return out
}

func kindNames(set uint8) []string {
	var out []string
	for k := range steerCount {
		if set&(1<<k) != 0 {
			out = append(out, steerNames[k])
		}
	}
	return out
}
