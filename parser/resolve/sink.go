package resolve

import (
	"fmt"
	"sync"
)

// pair is one column of a target with the value that is written to it. A star pair
// carries the whole unexpanded row.
type pair struct {
	shown, key string
	at         int32
	v          *value
	star       *value
}

// tableEdge, columnEdge and indirectEdge are edges as they are collected.
type tableEdge struct {
	from, to *Table
	stmts    []int32
}

type columnEdge struct {
	from, to *value
	// passes is the set of combinations of passes that paths have, one bit each.
	passes uint8
	// steps are where the edge's walks began, one for each statement; at is the edge's
	// place in the result.
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

// edges collects what a script's statements do, each edge once.
type edges struct {
	*edgeIndex

	tableList    []*tableEdge
	columnList   []*columnEdge
	indirectList []*indirectEdge

	columnBlocks   []columnBlock
	indirectBlocks []indirectBlock
}

// edgeIndex finds the edges that there are already. It is used by one script after
// another.
type edgeIndex struct {
	tables   map[tableKey]*tableEdge
	columns  map[columnKey]*columnEdge
	indirect map[indirectKey]*indirectEdge
}

// indexes are those that no script uses now.
var indexes = sync.Pool{New: func() any {
	return &edgeIndex{map[tableKey]*tableEdge{}, map[columnKey]*columnEdge{}, map[indirectKey]*indirectEdge{}}
}}

// maxIndexed is how many edges an index may have had to be used again: emptying one
// takes time for all that it ever had.
const maxIndexed = 1 << 10

// borrow gets an index.
func (e *edges) borrow() {
	e.edgeIndex, _ = indexes.Get().(*edgeIndex)
}

// giveBack ends looking for edges.
func (e *edges) giveBack() {
	if e.count() <= maxIndexed {
		clear(e.tables)
		clear(e.columns)
		clear(e.indirect)
		indexes.Put(e.edgeIndex)
	}
	e.edgeIndex = nil
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

const edgeBlock = 16

func (e *edges) newColumn(from, to, step *value, n int32) *columnEdge {
	if len(e.columnBlocks) == 0 {
		e.columnBlocks = make([]columnBlock, edgeBlock)
	}
	b := &e.columnBlocks[0]
	e.columnBlocks = e.columnBlocks[1:]
	b.steps[0], b.stmts[0] = step, n
	b.edge = columnEdge{from: from, to: to, steps: b.steps[:], stmts: b.stmts[:]}
	return &b.edge
}

func (e *edges) newIndirect(from *value, to *Table, step *value, n int32) *indirectEdge {
	if len(e.indirectBlocks) == 0 {
		e.indirectBlocks = make([]indirectBlock, edgeBlock)
	}
	b := &e.indirectBlocks[0]
	e.indirectBlocks = e.indirectBlocks[1:]
	b.steps[0], b.stmts[0] = step, n
	b.edge = indirectEdge{from: from, to: to, steps: b.steps[:], stmts: b.stmts[:]}
	return &b.edge
}

func (e *edges) count() int { return len(e.tableList) + len(e.columnList) + len(e.indirectList) }

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
	if r.edges.count() < r.o.Limits.Edges {
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
	e := r.edges.tables[k]
	if e == nil {
		if r.full() {
			return
		}
		e = &tableEdge{from: from, to: to}
		r.edges.tables[k] = e
		r.edges.tableList = append(r.edges.tableList, e)
	}
	e.stmts = addStmt(e.stmts, r.current.n)
}

func (r *resolver) columnEdge(from, to *value, p pass, step *value) {
	k := columnKey{from, to}
	e := r.edges.columns[k]
	if e == nil {
		if r.full() {
			return
		}
		e = r.edges.newColumn(from, to, step, r.current.n)
		r.edges.columns[k] = e
		r.edges.columnList = append(r.edges.columnList, e)
	}
	e.passes |= 1 << p
	e.steps = addStep(e.steps, step)
	e.stmts = addStmt(e.stmts, r.current.n)
}

func (r *resolver) indirectEdge(from *value, to *Table, kind steer, step *value) {
	k := indirectKey{from, to}
	e := r.edges.indirect[k]
	if e == nil {
		if r.full() {
			return
		}
		e = r.edges.newIndirect(from, to, step, r.current.n)
		r.edges.indirect[k] = e
		r.edges.indirectList = append(r.edges.indirectList, e)
	}
	e.kinds |= 1 << kind
	e.steps = addStep(e.steps, step)
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
		st.reads = append(st.reads, t)
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
		st.writes = append(st.writes, t)
	}
}

// Columns are remembered from so many on, those whose walk took so many steps, and
// those that reach so few.
const (
	rememberFrom  = 16
	rememberAfter = 8
	rememberMost  = 64
)
