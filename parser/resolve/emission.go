package resolve

import (
	"slices"

	"github.com/tributary-data/tributary/parser/ir"
)

// emission is the state of writing one relation to one target.
type emission struct {
	r      *resolver
	target *Table
	// mark is the number of this emission: values carry it once their conditions
	// have been collected.
	mark int32
	// walk is the number of the current column's walk.
	walk    int32
	pending []condition
	// own is true if the target is itself among what is read.
	own   bool
	stack []visit
	// leaves remembers, where there are many columns, which table columns each of those
	// done reaches, if it took long to find them: a select item that is built on another
	// one ends its walk there.
	leaves   map[*value][]visit
	remember bool
	found    []visit
}

type visit struct {
	v *value
	p pass
}

// readAll finds the tables below a relation and notes them as read; with a sink it
// also collects the conditions on the way.
func (r *resolver) readAll(rel *relation, e *emission) []*Table {
	if rel == nil {
		return nil
	}
	r.visit++
	var tables []*Table
	r.mem.below = append(r.mem.below[:0], rel)
	stack := r.mem.below
	defer func() { r.mem.below = stack[:0] }()
	rel.visit = r.visit
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if x.table != nil && (!x.table.temp || r.o.KeepTemporary) {
			r.read(x.table)
			tables = r.mem.readLists.Append(tables, x.table)
			continue
		}
		if e != nil {
			e.pending = append(e.pending, x.conds...)
		}
		for _, d := range slices.Backward(x.deps) {
			if d != nil && d.visit != r.visit {
				d.visit = r.visit
				stack = append(stack, d)
			}
		}
	}
	return tables
}

// emit writes pairs of columns and values, out of a relation, to a target: as edges,
// or as the new content of a session table.
func (r *resolver) emit(t *Table, pairs []pair, rel *relation, overwrite bool) {
	if t.temp && !r.o.KeepTemporary {
		r.tempWrite(t, pairs, rel, overwrite)
		return
	}
	r.wrote(t)
	r.visit++
	e := &r.mem.emission
	*e = emission{r: r, target: t, pending: e.pending[:0], stack: e.stack[:0], found: e.found[:0]}
	r.walks++
	e.mark = r.walks
	for _, from := range r.readAll(rel, e) {
		if from == t {
			e.own = true
		}
		if !t.result {
			r.tableEdge(from, t)
		}
	}
	e.remember = len(pairs) >= rememberFrom
	for i := range pairs {
		if r.stop() {
			return
		}
		e.column(&pairs[i])
	}
	e.conditions()
}

// column emits the direct edges of one target column.
func (e *emission) column(p *pair) {
	r := e.r
	v, shown, key := p.v, p.shown, p.key
	if p.star != nil {
		v, shown, key = p.star, "*", "*"
	}
	if v == nil {
		return
	}
	to := r.catalog.column(e.target, shown, key)
	r.walks++
	e.walk = r.walks
	e.found = e.found[:0]
	e.stack = append(e.stack[:0], visit{v, passIdentity})
	walked := 0
	for ; len(e.stack) > 0; walked++ {
		x := e.stack[len(e.stack)-1]
		e.stack = e.stack[:len(e.stack)-1]
		if known, ok := e.leaves[x.v]; ok {
			for _, l := range known {
				e.reached(visit{l.v, l.p | x.p}, to, v)
			}
			continue
		}
		if x.v.owner != nil {
			e.reached(x, to, v)
			continue
		}
		if !e.first(x) {
			continue
		}
		e.collect(x.v)
		if x.v.star != nil {
			e.stack = append(e.stack, visit{r.wholeOf(x.v.star), x.p})
		}
		for i := len(x.v.inputs) - 1; i >= 0; i-- {
			in := &x.v.inputs[i]
			e.stack = append(e.stack, visit{in.from, x.p | in.pass})
		}
		if r.ticks += len(x.v.inputs); r.ticks > 1<<20 {
			r.ticks = 1023
			if r.stop() {
				return
			}
		}
	}
	if e.remember && walked >= rememberAfter && len(e.found) <= rememberMost {
		if e.leaves == nil {
			e.leaves = map[*value][]visit{}
		}
		e.leaves[v] = slices.Clone(e.found)
	}
}

// first reports whether the current walk comes to a value with these passes for the
// first time.
func (e *emission) first(x visit) bool {
	if x.v.walk != e.walk {
		x.v.walk, x.v.reach = e.walk, 0
	}
	if x.v.reach&(1<<x.p) != 0 {
		return false
	}
	x.v.reach |= 1 << x.p
	return true
}

// reached notes a table's column at the end of a walk.
func (e *emission) reached(x visit, to, step *value) {
	if !e.first(x) {
		return
	}
	if e.remember && len(e.found) <= rememberMost {
		e.found = append(e.found, x)
	}
	e.direct(x.v, to, x.p, step)
}

// direct emits one edge. A column changed in place is no source of itself, nor its
// table one, unless the table is read too.
func (e *emission) direct(from, to *value, p pass, step *value) {
	inPlace := from.owner == e.target && !e.own
	if inPlace && from == to {
		return
	}
	if !inPlace {
		e.r.read(from.owner)
		if !e.target.result {
			e.r.tableEdge(from.owner, e.target)
		}
	}
	e.r.columnEdge(from, to, p, step)
}

const collected = 1 << 7

// collect takes a value's own conditions, once in an emission.
func (e *emission) collect(v *value) {
	if v.mark != e.mark {
		v.mark, v.kinds = e.mark, 0
	}
	if v.kinds&collected == 0 {
		v.kinds |= collected
		e.pending = append(e.pending, v.conds...)
	}
}

// conditions emits the indirect edges of all conditions that were collected.
func (e *emission) conditions() {
	for len(e.pending) > 0 && !e.r.stopped {
		c := e.pending[len(e.pending)-1]
		e.pending = e.pending[:len(e.pending)-1]
		e.condition(c)
	}
}

func (e *emission) condition(c condition) {
	e.stack = append(e.stack[:0], visit{v: c.from})
	bit := uint8(1) << c.kind
	for len(e.stack) > 0 {
		v := e.stack[len(e.stack)-1].v
		e.stack = e.stack[:len(e.stack)-1]
		if v.owner != nil {
			if v.owner != e.target || e.own {
				e.r.indirectEdge(v, e.target, c.kind, c.from)
			}
			continue
		}
		e.collect(v)
		if v.kinds&bit != 0 {
			continue
		}
		v.kinds |= bit
		if v.star != nil {
			e.stack = append(e.stack, visit{v: e.r.wholeOf(v.star)})
		}
		for i := range v.inputs {
			e.stack = append(e.stack, visit{v: v.inputs[i].from})
		}
	}
}

// tempWrite makes the next version of a session table's content. Those who read an
// earlier version keep it.
func (r *resolver) tempWrite(t *Table, pairs []pair, rel *relation, overwrite bool) {
	if rel != nil {
		r.noteReads(rel)
	}
	old := t.rows
	if old == nil {
		old = &relation{}
	}
	next := &relation{deps: []*relation{old, rel}}
	if overwrite && r.conditional == 0 {
		next.deps = []*relation{rel}
	}
	next.cols = append(make([]*value, 0, len(old.cols)+len(pairs)), old.cols...)
	if row := r.wholeRow(pairs, rel); row != nil {
		r.tempStar(next, row, namesGiven(pairs), !overwrite || r.conditional > 0)
	}
	for i := range pairs {
		p := &pairs[i]
		if p.v == nil || p.star != nil {
			continue
		}
		v := r.newValue(p.shown, p.key, p.at)
		at := next.find(p.key)
		if at >= 0 && (!overwrite || r.conditional > 0) {
			v.direct(next.cols[at], passIdentity)
		}
		v.direct(p.v, passIdentity)
		v.parts = p.v.parts
		if at < 0 {
			next.add(v)
			continue
		}
		next.cols[at] = v
	}
	t.rows = next
}

// wholeRow is the pair of the unexpanded rest of a row, nil if it is known whole. Of
// several stars the relation tells which one has a column.
func (r *resolver) wholeRow(pairs []pair, rel *relation) *pair {
	var row *pair
	for i := range pairs {
		switch p := &pairs[i]; {
		case p.star == nil:
		case row == nil:
			row = p
		default:
			whole := r.newValue("*", "*", 0)
			whole.direct(row.star, passIdentity)
			whole.direct(p.star, passIdentity)
			row = &pair{star: whole, of: &star{of: rel}}
		}
	}
	return row
}

// namesGiven are the columns of a row that stand beside its stars.
func namesGiven(pairs []pair) map[string]bool {
	given := map[string]bool{}
	for i := range pairs {
		if pairs[i].star == nil && pairs[i].v != nil {
			given[pairs[i].key] = true
		}
	}
	return given
}

// tempStar adds an unexpanded row to a session table: each of the columns known so far
// may come from the column of its name, unless it is given beside, and names that are
// not known too.
func (r *resolver) tempStar(next *relation, p *pair, given map[string]bool, keep bool) {
	row := r.namedStar(p)
	open := len(next.cols) == 0
	for i, c := range next.cols {
		switch {
		case c.star != nil && keep:
			next.cols[i] = r.newStar(r.eitherStar(c.star, row))
		case c.star != nil:
			next.cols[i] = r.newStar(row)
		case !given[c.key]:
			v := r.newValue(c.name, c.key, c.at)
			if keep {
				v.direct(c, passIdentity)
				v.parts = c.parts
			}
			v.direct(r.throughStar(row, ir.Ident{Name: c.name, Start: c.at, Quote: '"'}, c.key), passIdentity)
			next.cols[i] = v
		}
	}
	if open {
		next.cols = append(next.cols, r.newStar(row))
	}
}

// namedStar gives a column of a row by its name; a name that the row is not known to
// have may be any of it.
func (r *resolver) namedStar(p *pair) *star {
	whole, of := p.star, p.of
	return &star{whole: whole, of: &relation{make: func(id ir.Ident, key string) *value {
		v := r.newValue(r.shown(id), key, id.Start)
		var c *value
		if of != nil && of.holds(key) != holdsNo {
			c = r.throughStar(of, id, key)
		}
		if c == nil {
			c = whole
		}
		v.direct(c, passIdentity)
		return v
	}}}
}

// eitherStar is the remainder of rows that were written one after the other.
func (r *resolver) eitherStar(old, row *star) *star {
	whole := r.newValue("*", "*", 0)
	whole.direct(r.wholeOf(old), passIdentity)
	whole.direct(row.whole, passIdentity)
	return &star{whole: whole, of: &relation{make: func(id ir.Ident, key string) *value {
		v := r.newValue(r.shown(id), key, id.Start)
		if old.holds(key) != holdsNo {
			v.direct(r.throughStar(old, id, key), passIdentity)
		}
		v.direct(r.throughStar(row, id, key), passIdentity)
		return v
	}}}
}

// noteReads notes what a statement reads that emits no edges of its own. What an
// earlier statement read already is not walked again.
func (r *resolver) noteReads(rel *relation) {
	stack := []*relation{rel}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if x == nil || x.counted {
			continue
		}
		if x.table != nil && (!x.table.temp || r.o.KeepTemporary) {
			r.read(x.table)
			continue
		}
		x.counted = true
		stack = append(stack, x.deps...)
	}
}
