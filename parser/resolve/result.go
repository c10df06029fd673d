package resolve

import (
	"hash/maphash"
	"slices"
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

// result builds what is handed out. Of a big script it gives up what it needs no more
// on the way.
func (r *resolver) result(big bool) *Result {
	lines := r.o.Places
	if lines == nil {
		lines = plainPlaces{ir.NewLines(r.src)}
	}
	out := &Result{Uses: r.catalog.uses}
	if big {
		r.mem.resolved(r.o.Explain)
	}
	for _, t := range r.mem.tables {
		t.printed = t.name()
	}
	r.catalog.noteShared()
	r.resultStatements(out, lines)
	if big {
		r.mem.listed()
	}
	r.resultTables(out)
	r.resultEdges(out)
	for _, p := range r.errors {
		line, column := lines.At(p.at)
		out.Errors = append(out.Errors, Error{p.kind, int(p.n), line, column, p.message})
	}
	if r.o.Explain {
		out.graph = graph{columns: r.mem.columnEdges, indirect: r.mem.indirectEdges, lines: lines}
	}
	return out
}

func (r *resolver) resultStatements(out *Result, lines Places) {
	out.Statements = make([]Statement, 0, len(r.mem.statements))
	for _, s := range r.mem.statements {
		line, column := lines.At(s.span.Start)
		endLine, _ := lines.At(max(s.span.End-1, s.span.Start))
		st := Statement{N: int(s.n), Line: line, Column: column, EndLine: endLine, Kind: s.kind,
			Start: int(lines.Origin(s.span.Start)), End: int(lines.Origin(s.span.End))}
		st.Reads, st.Writes = printed(s.reads), printed(s.writes)
		out.Statements = append(out.Statements, st)
	}
}

// printed are the names of tables.
func printed(tables []*Table) []string {
	if len(tables) == 0 {
		return nil
	}
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = t.printed
	}
	return names
}

func (r *resolver) resultTables(out *Result) {
	out.Datasets = make([]Dataset, 0, len(r.mem.tables))
	seen := r.catalog.nameSet()
	for _, t := range r.mem.tables {
		if len(t.physical) > 0 && !t.temp {
			if out.Physical == nil {
				out.Physical = map[string][]string{}
			}
			out.Physical[t.printed] = t.physical
		}
		if t.temp {
			out.Temps = append(out.Temps, t.printed)
		}
		if !t.read && !t.written && !t.result {
			continue
		}
		if seen.first(t.printed) {
			out.Datasets = append(out.Datasets, Dataset{Name: t.printed, Parts: t.parts, Kind: t.kind(), View: t.view})
		}
	}
	out.Reads = r.namesOf(func(t *Table) bool { return t.read })
	out.Writes = r.namesOf(func(t *Table) bool { return t.written })
	for _, x := range r.targets {
		out.Targets = append(out.Targets, Columns{x.table.printed, x.columns()})
	}
	for _, t := range r.mappings {
		m := Mapping{Table: t.printed, Connector: firstSet(t.options["connector"], t.options["connector.type"]), Physical: t.physical, Source: t.read, Result: t.written}
		if t.known {
			for _, c := range t.rows.cols {
				m.Columns = append(m.Columns, c.name)
			}
		}
		out.Mappings = append(out.Mappings, m)
	}
}

// columns are the names as they are at the end of the script.
func (x targetColumns) columns() []string {
	if !x.table.known {
		return x.names
	}
	names := make([]string, 0, len(x.table.rows.cols))
	for _, c := range x.table.rows.cols {
		names = append(names, c.name)
	}
	return names
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
	n := 0
	for _, t := range r.mem.tables {
		if want(t) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	out := make([]string, 0, n)
	seen := r.catalog.nameSet()
	for _, t := range r.mem.tables {
		if want(t) && !t.result && seen.first(t.printed) {
			out = append(out, t.printed)
		}
	}
	return out
}

// met are the names met so far; nil where no two tables have one name, so that each is
// met once.
type met map[string]bool

func (n met) first(name string) bool {
	if n[name] {
		return false
	}
	if n != nil {
		n[name] = true
	}
	return true
}

func (c *catalog) nameSet() met {
	if !c.shared {
		return nil
	}
	return met{}
}

// fewTables is up to how many tables comparing each with each is quicker than a map.
const fewTables = 16

// noteShared finds out whether two tables ended under one name, or may have.
func (c *catalog) noteShared() {
	all := c.r.mem.tables
	if len(all) > fewTables {
		hashes := make([]uint64, len(all))
		seed := maphash.MakeSeed()
		for i, t := range all {
			hashes[i] = maphash.String(seed, t.printed)
		}
		slices.Sort(hashes)
		c.shared = len(slices.Compact(hashes)) < len(all)
		return
	}
	for i, t := range all {
		for _, u := range all[:i] {
			c.shared = c.shared || t.printed == u.printed
		}
	}
}

// resultEdges prints the edges. Tables that ended under one name are one.
func (r *resolver) resultEdges(out *Result) {
	b := edgePrinter{r: r, out: out, shared: r.catalog.shared}
	b.tables()
	b.columns()
	b.indirect()
}

type edgePrinter struct {
	r      *resolver
	out    *Result
	shared bool // see catalog
	ints   []int
	last   []int // the list that was made last
}

// statements copies a list of statement numbers into one shared block. Edges in a row
// are mostly of the same statements and then have one list, which nobody changes.
func (b *edgePrinter) statements(list []int32) []int {
	if slices.EqualFunc(b.last, list, func(a int, n int32) bool { return a == int(n) }) {
		return b.last
	}
	if len(b.ints) < len(list) {
		b.ints = make([]int, max(16, len(list)))
	}
	out := b.ints[:len(list):len(list)]
	b.ints = b.ints[len(list):]
	for i, n := range list {
		out[i] = int(n)
	}
	b.last = out
	return out
}

func (b *edgePrinter) tables() {
	var at map[[2]string]int
	if b.shared {
		at = map[[2]string]int{}
	}
	b.out.Tables = make([]TableEdge, 0, len(b.r.mem.tableList))
	for _, e := range b.r.mem.tableList {
		k := [2]string{e.from.printed, e.to.printed}
		if b.shared {
			if i, ok := at[k]; ok {
				b.out.Tables[i].Statements = mergeInts(b.out.Tables[i].Statements, e.stmts)
				continue
			}
			at[k] = len(b.out.Tables)
		}
		b.out.Tables = append(b.out.Tables, TableEdge{k[0], k[1], b.statements(e.stmts)})
	}
}

func (b *edgePrinter) columns() {
	var at map[[4]string]int
	if b.shared {
		at = map[[4]string]int{}
	}
	b.out.Columns = make([]ColumnEdge, 0, len(b.r.mem.columnEdges))
	for _, e := range b.r.mem.columnEdges {
		k := [4]string{e.from.owner.printed, e.from.name, e.to.owner.printed, e.to.name}
		e.at = len(b.out.Columns)
		if b.shared {
			if i, ok := at[k]; ok {
				e.at = i
				b.out.Columns[i].Statements = mergeInts(b.out.Columns[i].Statements, e.stmts)
				continue
			}
			at[k] = e.at
		}
		b.out.Columns = append(b.out.Columns, ColumnEdge{k[0], k[1], k[2], k[3], viaPasses[e.passes], b.statements(e.stmts),
			e.from.key == "*" || e.to.key == "*"})
	}
}

func (b *edgePrinter) indirect() {
	var at map[[3]string]int
	if b.shared {
		at = map[[3]string]int{}
	}
	b.out.Indirect = make([]IndirectEdge, 0, len(b.r.mem.indirectEdges))
	for _, e := range b.r.mem.indirectEdges {
		k := [3]string{e.from.owner.printed, e.from.name, e.to.printed}
		e.at = len(b.out.Indirect)
		if b.shared {
			if i, ok := at[k]; ok {
				e.at = i
				b.out.Indirect[i].Statements = mergeInts(b.out.Indirect[i].Statements, e.stmts)
				continue
			}
			at[k] = e.at
		}
		b.out.Indirect = append(b.out.Indirect, IndirectEdge{k[0], k[1], k[2], viaKinds[e.kinds], b.statements(e.stmts)})
	}
}

func mergeInts(a []int, b []int32) []int {
	for _, n := range b {
		a = append(a, int(n))
	}
	sort.Ints(a)
	out := a[:0]
	for i, n := range a {
		if i == 0 || n != a[i-1] {
			out = append(out, n)
		}
	}
	return out
}

// viaPasses and viaKinds are what edges go through by their sets of bits, so that
// the lists are not made anew for each edge.
var (
	viaPasses = everySet(passNames)
	viaKinds  = everySet(kindNames)
)

func everySet(names func(set uint8) []string) (out [256][]string) {
	for set := range out {
		out[set] = slices.Clip(names(uint8(set)))
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

// kindNames names how an edge steers.
func kindNames(set uint8) []string {
	var out []string
	for k := range steerCount {
		if set&(1<<k) != 0 {
			out = append(out, steerNames[k])
		}
	}
	return out
}
