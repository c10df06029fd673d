package resolve

import (
	"slices"

	"github.com/tributary-data/tributary/parser/ir"
)

// change is the state of an UPDATE, DELETE or MERGE: the target is in scope without
// being read.
type change struct {
	rel *relation
	s   *scope
	// targets are the tables that may be changed, by the source that they are in scope
	// as.
	targets []changed
}

type changed struct {
	src   *source
	table *Table
}

// newChange opens the scope of a change.
func (r *resolver) newChange(outer *scope) *change {
	c := &change{rel: &relation{}}
	c.s = &scope{parent: outer, rel: c.rel}
	if outer != nil {
		c.s.ctes = outer.ctes
	}
	return c
}

// addTarget brings the target into scope. Its table is not a dependency. A CTE,
// view or subquery in its place is read, and changes its base table.
func (r *resolver) addTarget(c *change, f *ir.From) *changed {
	deps := len(c.rel.deps)
	src := r.fromItem(f, c.s)
	if src == nil {
		return nil
	}
	t := r.changedTable(src)
	if t == nil {
		return nil
	}
	if src.table != nil || f.Rare().Path != "" {
		c.rel.deps = c.rel.deps[:deps]
	}
	c.targets = append(c.targets, changed{src, t})
	return &c.targets[len(c.targets)-1]
}

// changedTable is the table that a change of a source changes.
func (r *resolver) changedTable(src *source) *Table {
	if src.table != nil {
		return src.table
	}
	return r.baseOf(src.rel)
}

// update resolves UPDATE and returns what RETURNING hands on.
func (r *resolver) update(n *ir.Update, outer *scope) *relation {
	outer = r.stmtScope(n.With, outer)
	c := r.newChange(outer)
	switch {
	case len(n.From) > 0 && len(n.Tables) == 1 && r.namesFrom(n.Tables[0], n.From):
		r.updateAlias(c, n)
	case len(n.Tables) > 1 || len(n.Tables) == 1 && n.Tables[0].Kind == ir.FromGroup:
		r.updateJoin(c, n.Tables)
		r.fromList(n.From, c.s)
	case len(n.Tables) == 1:
		r.addTarget(c, n.Tables[0])
		r.fromList(n.From, c.s)
	}
	r.fromList(n.Laterals, c.s)
	if len(c.targets) == 0 {
		r.noteAll(c.rel)
		return &relation{}
	}
	r.prove(c, n.Set)
	pairs := r.assignments(c, n.Set)
	r.walk(n.Where, c.s, flow{conds: &c.rel.conds, steering: true, kind: steerFilter})
	for _, o := range n.OrderBy {
		r.walk(o.Expr, c.s, flow{conds: &c.rel.conds, steering: true, kind: steerSort})
	}
	first := r.emitChange(c, pairs)
	if n.Output != nil {
		return r.output(n.Output, first, c.rel, c.s)
	}
	return r.returning(n.Returning, n.ReturningVars, first, c.s, outer)
}

// namesFrom reports whether UPDATE's target is an alias or table of its FROM.
func (r *resolver) namesFrom(f *ir.From, from []*ir.From) bool {
	if f.Kind != ir.FromTable || f.Alias.Set() || !r.d.fromHasTarget && len(f.Name.Parts) != 1 {
		return false
	}
	return r.find(f.Name, from) != nil
}

// find looks an alias or table name up in a FROM list.
func (r *resolver) find(n ir.Name, from []*ir.From) *ir.From {
	key := r.aliasKey(n.Last())
	for _, x := range from {
		if x.Kind == ir.FromGroup {
			if y := r.find(n, x.Rare().Group); y != nil {
				return y
			}
			continue
		}
		if x.Alias.Set() {
			if len(n.Parts) == 1 && r.aliasKey(x.Alias) == key {
				return x
			}
			continue
		}
		if r.d.fromHasTarget && x.Kind == ir.FromTable && x.Name.Set() && r.aliasKey(x.Name.Last()) == key {
			return x
		}
	}
	return nil
}

// updateAlias is T-SQL's UPDATE a … FROM t AS a.
func (r *resolver) updateAlias(c *change, n *ir.Update) {
	r.fromList(n.From, c.s)
	key := r.aliasKey(n.Tables[0].Name.Last())
	src := c.s.sourceOf(key)
	if src == nil {
		return
	}
	t := r.changedTable(src)
	if t == nil {
		return
	}
	c.targets = append(c.targets, changed{src, t})
	r.dropDep(c, src)
}

// dropDep takes a target's own row out of what is read, unless the table stands
// there twice.
func (r *resolver) dropDep(c *change, src *source) {
	n := 0
	for _, x := range c.s.sources {
		if x.rel == src.rel {
			n++
		}
	}
	if n > 1 || src.table == nil {
		return
	}
	deps := c.rel.deps[:0]
	for _, d := range c.rel.deps {
		if d != src.rel {
			deps = append(deps, d)
		}
	}
	c.rel.deps = deps
}

// updateJoin is MySQL's UPDATE a JOIN b: whichever is assigned to is a target.
func (r *resolver) updateJoin(c *change, tables []*ir.From) {
	r.fromList(tables, c.s)
	for _, src := range c.s.sources {
		if t := r.changedTable(src); t != nil {
			c.targets = append(c.targets, changed{src, t})
		}
	}
}

// prove notes what SET says of the targets: they have the columns that are assigned to.
// A name without a qualifier behind it then means theirs.
func (r *resolver) prove(c *change, set []ir.Assignment) {
	for i := range set {
		for _, n := range set[i].Columns {
			if len(c.targets) > 1 && len(n.Parts) < 2 {
				continue
			}
			src := c.targets[r.assignedTarget(c, &set[i])].src
			if src.proven == nil {
				src.proven = map[string]bool{}
			}
			id := r.assignedColumn(n, c.s)
			src.proven[r.identKey(id)] = true
		}
	}
}

// assignments evaluates SET: a list of pairs for each target.
func (r *resolver) assignments(c *change, set []ir.Assignment) [][]pair {
	pairs := make([][]pair, len(c.targets))
	for i := range set {
		a := &set[i]
		at := r.assignedTarget(c, a)
		got := r.assignment(a, c.s)
		if at >= 0 {
			throughView(&c.targets[at], got)
			pairs[at] = append(pairs[at], got...)
			if r.d.setLeftToRight {
				r.overlay(c.targets[at].src, got)
			}
		}
	}
	return pairs
}

// throughView turns assigned columns of an inline view or a CTE into those of the table
// below, whose names may be others.
func throughView(t *changed, got []pair) {
	if t.src.table != nil {
		return
	}
	for i := range got {
		at := t.src.rel.find(got[i].key)
		if at < 0 {
			continue
		}
		v := t.src.rel.cols[at]
		for v.owner == nil && len(v.inputs) == 1 {
			v = v.inputs[0].from
		}
		if v.owner != nil {
			t.table, got[i].shown, got[i].key = v.owner, v.name, v.key
		}
	}
}

// overlay lets later assignments see the values that earlier ones gave (MySQL).
func (r *resolver) overlay(src *source, got []pair) {
	rel := &relation{table: src.rel.table, deps: slices.Clip(src.rel.deps), conds: slices.Clip(src.rel.conds), make: src.rel.make}
	rel.cols = append(rel.cols, src.rel.cols...)
	for i := range got {
		if got[i].v == nil {
			continue
		}
		v := r.newValue(got[i].shown, got[i].key, got[i].at)
		v.direct(got[i].v, passIdentity)
		if at := rel.find(v.key); at >= 0 {
			rel.cols[at] = v
		} else {
			rel.cols = append(rel.cols, v)
		}
	}
	src.rel = rel
}

// assignedTarget finds which target an assignment changes: by its qualifier, else
// the one that has the column.
func (r *resolver) assignedTarget(c *change, a *ir.Assignment) int {
	if len(c.targets) == 1 || len(a.Columns) == 0 {
		return 0
	}
	n := a.Columns[0]
	if len(n.Parts) > 1 {
		src := c.s.sourceOf(r.aliasKey(n.Parts[len(n.Parts)-2]))
		for i := range c.targets {
			if c.targets[i].src == src {
				return i
			}
		}
	}
	key := r.identKey(n.Last())
	for want := holdsYes; want > holdsNo; want-- {
		for i := range c.targets {
			if c.targets[i].src.rel.holds(key) == want {
				return i
			}
		}
	}
	return 0
}

// assignment evaluates `column = value`, or `(a, b) = (…)` by position.
func (r *resolver) assignment(a *ir.Assignment, s *scope) []pair {
	if a.Var != "" {
		v := r.expression(a.Value, s, a.Var, a.Var)
		r.assign(a.Var, v, s.rel)
	}
	if len(a.Columns) == 0 || a.Value == nil {
		return nil
	}
	if len(a.Columns) == 1 {
		shown := r.shown(r.assignedColumn(a.Columns[0], s))
		return []pair{{shown: shown, key: r.columnKey(shown), at: a.Columns[0].Start, v: r.expression(a.Value, s, shown, r.columnKey(shown))}}
	}
	var rel *relation
	if a.Value.Query != nil {
		rel = r.subquery(a.Value.Query, s)
		r.depend(s, rel)
	}
	var out []pair
	for i, n := range a.Columns {
		shown := r.shown(r.assignedColumn(n, s))
		p := pair{shown: shown, key: r.columnKey(shown), at: n.Start}
		switch {
		case rel != nil && i < len(rel.cols):
			p.v = rel.cols[i]
			if p.v.star != nil {
				p.v = r.wholeOf(p.v.star)
			}
		case rel == nil && i < len(a.Value.Args):
			p.v = r.expression(a.Value.Args[i], s, shown, p.key)
		}
		out = append(out, p)
	}
	return out
}

// assignedColumn is the column that a dotted name on the left of `=` means: behind
// a table's name if it begins with one, else its first part, a struct whose field is
// set.
func (r *resolver) assignedColumn(n ir.Name, s *scope) ir.Ident {
	if len(n.Parts) < 2 {
		return n.Last()
	}
	keys := make([]string, len(n.Parts))
	for i, p := range n.Parts {
		keys[i] = r.aliasKey(p)
	}
	for ; s != nil; s = s.parent {
		if s.sourceOf(keys[0]) != nil {
			return n.Parts[1]
		}
		for k := len(keys) - 1; k > 1; k-- {
			if s.sourceOfPath(keys[:k]) != nil {
				return n.Parts[k]
			}
		}
	}
	if r.d.catalogs && len(n.Parts) == 2 {
		return n.Parts[0]
	}
	return n.Last()
}

// emitChange writes each target's pairs. Where several tables are joined in place,
// each is a source of the others.
func (r *resolver) emitChange(c *change, pairs [][]pair) *Table {
	var first *Table
	for i := range c.targets {
		if len(pairs[i]) == 0 && len(c.targets) > 1 {
			continue
		}
		t := c.targets[i]
		rel := c.rel
		if len(c.targets) > 1 {
			rel = r.others(c, t)
		}
		if first == nil {
			first = t.table
		}
		r.emit(t.table, pairs[i], rel, false)
	}
	if first == nil {
		first = c.targets[0].table
	}
	return first
}

// others is what a target of a join reads: all but its own row.
func (r *resolver) others(c *change, t changed) *relation {
	rel := &relation{conds: c.rel.conds}
	n := 0
	for _, x := range c.s.sources {
		if x.table == t.table {
			n++
		}
	}
	for _, d := range c.rel.deps {
		if d == t.table.rows && n < 2 {
			continue
		}
		rel.deps = append(rel.deps, d)
	}
	return rel
}

// delete resolves DELETE.
func (r *resolver) delete(n *ir.Delete, outer *scope) *relation {
	outer = r.stmtScope(n.With, outer)
	c := r.newChange(outer)
	switch {
	case len(n.Targets) > 0:
		r.fromList(n.From, c.s)
		r.fromList(n.Using, c.s)
		r.deleteTargets(c, n.Targets)
	case len(n.From) > 0 && len(n.Using) > 0 && r.namesFrom(n.From[0], n.Using):
		r.fromList(n.Using, c.s)
		r.deleteTargets(c, []ir.Name{n.From[0].Name})
	case len(n.From) > 0:
		r.addTarget(c, n.From[0])
		r.fromList(n.From[1:], c.s)
		r.fromList(n.Using, c.s)
	}
	if len(c.targets) == 0 {
		r.noteAll(c.rel)
		return &relation{}
	}
	r.walk(n.Where, c.s, flow{conds: &c.rel.conds, steering: true, kind: steerFilter})
	for _, o := range n.OrderBy {
		r.walk(o.Expr, c.s, flow{conds: &c.rel.conds, steering: true, kind: steerSort})
	}
	for _, t := range c.targets {
		rel := c.rel
		if len(c.targets) > 1 {
			rel = r.others(c, t)
		}
		r.emit(t.table, nil, rel, false)
	}
	first := c.targets[0].table
	if n.Output != nil {
		return r.output(n.Output, first, c.rel, c.s)
	}
	rel := r.returning(n.Returning, n.ReturningVars, first, c.s, outer)
	if len(n.Returning) > 0 {
		rel.deps = append(rel.deps, c.rel)
	}
	return rel
}

// deleteTargets finds the named targets among what is in scope.
func (r *resolver) deleteTargets(c *change, names []ir.Name) {
	for _, n := range names {
		src := c.s.sourceOf(r.aliasKey(n.Last()))
		if src == nil {
			t := r.namedTarget(n, c.s)
			c.targets = append(c.targets, changed{&source{rel: r.content(t)}, t})
			continue
		}
		if t := r.changedTable(src); t != nil {
			c.targets = append(c.targets, changed{src, t})
		}
	}
	if len(c.targets) == 1 {
		r.dropDep(c, c.targets[0].src)
	}
}
