package resolve

import "fmt"

// pair is one column of a target with the value that is written to it. A star pair
// carries the whole unexpanded row, of which of tells the columns by name.
type pair struct {
	shown, key string
	at         int32
	v          *value
	star       *value
	of         *star
}

// tableEdge, columnEdge and indirectEdge are edges as they are collected.
type tableEdge struct {
	from, to *Table
	stmts    []int32
	first    [1]int32 // room for the first of stmts
}

type columnEdge struct {
	from, to *value
	// passes is the set of combinations of passes that paths have, one bit each.
	passes uint8
	// steps are where the edge's walks began, one for each statement, if they are to be
	// explained; at is the edge's place in the result.
	steps []*value
	stmts []int32
	at    int
}

type indirectEdge struct {
	from  *value
	to    *Table
	kinds uint8
	steps []*value
	stmts []int32
	at    int
}

type tableKey struct{ from, to *Table }

type columnKey struct{ from, to *value }

type indirectKey struct {
	from *value
	to   *Table
}

// edgeIndex finds the edges that there are already, so that each is there once.
type edgeIndex struct {
	tables   map[tableKey]*tableEdge
	columns  map[columnKey]*columnEdge
	indirect map[indirectKey]*indirectEdge
}

func (x *edgeIndex) clear() {
	x.tables, x.columns, x.indirect = emptiedMap(x.tables), emptiedMap(x.columns), emptiedMap(x.indirect)
}

// columnBlock holds an edge with room for its first step and statement, so that the
// most common edge is one piece of memory.
type columnBlock struct {
	edge  columnEdge
	steps [1]*value
	stmts [1]int32
}

type indirectBlock struct {
	edge  indirectEdge
	steps [1]*value
	stmts [1]int32
}

func (m *memory) newColumn(from, to *value) *columnEdge {
	b := m.columnBlocks.One()
	b.edge = columnEdge{from: from, to: to, steps: b.steps[:0], stmts: b.stmts[:0]}
	m.columnEdges = append(m.columnEdges, &b.edge)
	return &b.edge
}

func (m *memory) newIndirect(from *value, to *Table) *indirectEdge {
	b := m.indirectBlocks.One()
	b.edge = indirectEdge{from: from, to: to, steps: b.steps[:0], stmts: b.stmts[:0]}
	m.indirectEdges = append(m.indirectEdges, &b.edge)
	return &b.edge
}

func (r *resolver) edgeCount() int {
	return len(r.mem.tableList) + len(r.mem.columnEdges) + len(r.mem.indirectEdges)
}

func addStmt(list []int32, n int32) []int32 {
	if len(list) > 0 && list[len(list)-1] == n {
		return list
	}
	return append(list, n)
}

func addStep(list []*value, v *value) []*value {
	if n := len(list); n > 0 && (list[n-1] == v || list[n-1].stmt == v.stmt) {
		return list
	}
	return append(list, v)
}

// full reports whether the bound on edges was reached.
func (r *resolver) full() bool {
	if r.edgeCount() < r.o.Limits.Edges {
		return false
	}
	r.limit(fmt.Sprintf("the script has more than %d edges; those beyond are left out", r.o.Limits.Edges))
	return true
}

func (r *resolver) tableEdge(from, to *Table) {
	if from == to && !from.temp && to.result {
		return
	}
	k := tableKey{from, to}
	e := r.mem.edgeIndex.tables[k]
	if e == nil {
		if r.full() {
			return
		}
		e = r.mem.tableEdges.One()
		e.from, e.to, e.stmts = from, to, e.first[:0]
		r.mem.edgeIndex.tables[k] = e
		r.mem.tableList = append(r.mem.tableList, e)
	}
	e.stmts = addStmt(e.stmts, r.current.n)
}

func (r *resolver) columnEdge(from, to *value, p pass, step *value) {
	k := columnKey{from, to}
	e := r.mem.edgeIndex.columns[k]
	if e == nil {
		if r.full() {
			return
		}
		e = r.mem.newColumn(from, to)
		r.mem.edgeIndex.columns[k] = e
	}
	e.passes |= 1 << p
	if r.o.Explain {
		e.steps = addStep(e.steps, step)
	}
	e.stmts = addStmt(e.stmts, r.current.n)
}

func (r *resolver) indirectEdge(from *value, to *Table, kind steer, step *value) {
	k := indirectKey{from, to}
	e := r.mem.edgeIndex.indirect[k]
	if e == nil {
		if r.full() {
			return
		}
		e = r.mem.newIndirect(from, to)
		r.mem.edgeIndex.indirect[k] = e
	}
	e.kinds |= 1 << kind
	if r.o.Explain {
		e.steps = addStep(e.steps, step)
	}
	e.stmts = addStmt(e.stmts, r.current.n)
}

// read notes that the current statement reads a table.
func (r *resolver) read(t *Table) {
	if t.result {
		return
	}
	t.read = true
	if st := r.current; t.readBy != st.n {
		t.readBy = st.n
		st.reads = r.mem.tableLists.Append(st.reads, t)
	}
}

// wrote notes that the current statement writes a table.
func (r *resolver) wrote(t *Table) {
	if t.result || t.temp && !r.o.KeepTemporary {
		return
	}
	t.written = true
	if st := r.current; t.writtenBy != st.n {
		t.writtenBy = st.n
		st.writes = r.mem.tableLists.Append(st.writes, t)
	}
}

// Columns are remembered from so many on, those whose walk took so many steps, and
// those that reach so few.
const (
	rememberFrom  = 16
	rememberAfter = 8
	rememberMost  = 64
)
