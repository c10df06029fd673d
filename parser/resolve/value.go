package resolve

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// pass says what a value went through on its way along one input, as bits.
type pass uint8

const (
	passIdentity  pass = 0
	passTransform pass = 1 << (iota - 1)
	passAggregate
	passMask
)

// steer is the kind of an indirect influence.
type steer uint8

const (
	steerFilter steer = iota
	steerJoin
	steerGroup
	steerSort
	steerWindow
	steerConditional
	steerCount
)

var steerNames = [steerCount]string{"filter", "join", "group_by", "sort", "window", "conditional"}

// input is one value that flows into another.
type input struct {
	from *value
	pass pass
}

// condition is one value that only decides rows, order or groups.
type condition struct {
	from *value
	kind steer
}

// value is one step of the lineage graph: a column of some relation, or an
// expression that feeds one. Values share their inputs; the graph may have cycles
// (recursive CTEs) and is never walked along paths.
type value struct {
	name string // as shown
	key  string // as compared
	// at is the offset in the script that the step is explained with, stmt the
	// statement it belongs to (1-based).
	at     int32
	stmt   int32
	inputs []input
	conds  []condition
	// owner is set on a column of a table, which ends the walk. name is then the
	// column's name, "*" for the whole row of a table with unknown columns.
	owner *Table
	// star is set on a symbolic star in a relation's column list.
	star *star
	*parts
	// walk is the number of the last walk that reached the value, reach which passes
	// it came with; mark and kinds are the same for the conditions of an emission.
	walk, mark int32
	// step is the value's place in the step graph, if the graph has it there.
	step         int32
	reach, kinds uint8
	hidden       bool // never part of a star (ClickHouse's MATERIALIZED and ALIAS)
	derived      bool // computed by the engine: never part of what is inserted
}

// parts is what is known of a value's inner structure.
type parts struct {
	// fields are the parts of a struct that was built in the query, row the columns of
	// a whole row used as a value.
	fields []*value
	row    *relation
	// text is the value of a constant, for dynamic SQL and names built from variables.
	text *string
}

// noParts stands for values without known parts; it is never changed.
var noParts parts

func (p *parts) empty() bool { return p.fields == nil && p.row == nil && p.text == nil }

// setText makes a value a constant.
func (v *value) setText(t *string) {
	if t != nil {
		v.parts = &parts{text: t}
	}
}

// star is the symbolic remainder of a relation whose columns are not all known.
type star struct {
	of *relation
	// except are names that the star leaves out; rename maps new names to old ones,
	// and renamed holds the old names, which are then gone.
	except  map[string]bool
	rename  map[string]string
	renamed map[string]bool
	// whole is the value of everything that the star stands for, for the edge `t.*`.
	whole *value
	// lead, if set, is what the names of all of its columns begin with: no others do.
	lead string
}

// relation is a list of columns with what it was made from.
type relation struct {
	cols []*value
	// index finds columns by key, once there are many.
	index map[string]int32
	// table is set for tables that lineage ends at.
	table *Table
	// deps are the relations that this one reads, conds what decides its rows.
	deps  []*relation
	conds []condition
	// derived are columns looked up through a star, by key.
	derived names[*value]
	// make, if set, makes a column of any name: table functions of unknown output.
	make func(name ir.Ident, key string) *value
	// weak marks such relations: they own a bare name only if no other can.
	weak bool
	// scalar marks a relation whose alias is itself its only column (UNNEST in
	// BigQuery, a scalar function in FROM).
	scalar bool
	// asRow marks SELECT AS STRUCT: used as a value, the whole row is one struct.
	asRow bool
	// visit is the number of the walk that saw the relation last; counted: what it
	// reads has been noted.
	visit   int32
	counted bool
	// base is the updatable table behind a view or CTE, for UPDATE through it.
	base *Table
}

const indexFrom = 16

// find returns the position of a named column, or -1.
func (r *relation) find(key string) int {
	if len(r.cols) <= indexFrom {
		for i, c := range r.cols {
			if c.key == key && c.star == nil {
				return i
			}
		}
		return r.findLoosely(key)
	}
	if r.index == nil {
		r.index = make(map[string]int32, len(r.cols))
		for i, c := range r.cols {
			if c.star != nil {
				continue
			}
			if _, ok := r.index[c.key]; !ok {
				r.index[c.key] = int32(i)
			}
		}
	}
	if i, ok := r.index[key]; ok {
		return int(i)
	}
	return r.findLoosely(key)
}

// findLoosely finds a column of a table whose list somebody gave with other letters
// than the engine stores: the only one that differs in case alone.
func (r *relation) findLoosely(key string) int {
	if r.table == nil || !r.table.loose {
		return -1
	}
	if r.table.lowered == nil {
		r.table.lowered = make(map[string]int32, len(r.cols))
		for i, c := range r.cols {
			low := strings.ToLower(c.key)
			if _, twice := r.table.lowered[low]; twice {
				i = -1
			}
			r.table.lowered[low] = int32(i)
		}
	}
	if i, ok := r.table.lowered[strings.ToLower(key)]; ok {
		return int(i)
	}
	return -1
}

// add appends a column.
func (r *relation) add(v *value) {
	if r.index != nil && v.star == nil {
		if _, ok := r.index[v.key]; !ok {
			r.index[v.key] = int32(len(r.cols))
		}
	}
	r.cols = append(r.cols, v)
}

// open reports whether the relation may have columns beyond those listed.
func (r *relation) open() bool {
	if r.make != nil {
		return true
	}
	for _, c := range r.cols {
		if c.star != nil {
			return true
		}
	}
	return false
}

// holds says how sure it is that the relation has a column.
type holds uint8

const (
	holdsNo holds = iota
	holdsWeak
	holdsMaybe
	holdsYes
)

// holds reports whether the relation has a column of that key.
func (r *relation) holds(key string) holds {
	if r.find(key) >= 0 {
		return holdsYes
	}
	if r.make != nil {
		if r.weak {
			return holdsWeak
		}
		return holdsMaybe
	}
	best := holdsNo
	for _, c := range r.cols {
		if c.star != nil {
			best = max(best, c.star.holds(key))
		}
	}
	return best
}

// used reports whether the script has taken the column from the relation already:
// it is then a column even if the list is not known.
func (r *relation) used(key string) bool {
	return r.derived.get(key) != nil || r.table != nil && r.table.column(key) != nil
}

func (s *star) holds(key string) holds {
	switch {
	case s.except[key], s.lead != "" && !strings.HasPrefix(key, s.lead):
		return holdsNo
	case s.lead != "":
		return holdsYes
	}
	if old, ok := s.rename[key]; ok {
		key = old
	} else if s.renamed[key] {
		return holdsNo
	}
	if s.of.table != nil {
		return holdsMaybe
	}
	return s.of.holds(key)
}

// field finds a part of a struct value by its compared name, else by the name as
// written (keys of objects keep their case); nil if it is not known.
func (v *value) field(key, written string) *value {
	for _, f := range v.fields {
		if f.key == key {
			return f
		}
	}
	for _, f := range v.fields {
		if f.name == written {
			return f
		}
	}
	return nil
}

// direct adds a flowing input.
func (v *value) direct(from *value, p pass) {
	if from == nil || from == v {
		return
	}
	if n := len(v.inputs); n > 0 && v.inputs[n-1].from == from && v.inputs[n-1].pass == p {
		return
	}
	v.inputs = append(v.inputs, input{from, p})
}

// constText returns the constant that the value is, if it is one.
func (v *value) constText() (string, bool) {
	if v == nil || v.text == nil || len(v.inputs) > 0 {
		return "", false
	}
	return *v.text, true
}

// upperASCII is strings.ToUpper that keeps what is upper case already without
// looking at it twice.
func upperASCII(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= 'a' && c <= 'z' || c >= 0x80 {
			return strings.ToUpper(s)
		}
	}
	return s
}
