package resolve

import (
	"slices"

	"github.com/tributary-data/tributary/parser/ir"
)

// selects evaluates one SELECT and returns its relation with the scope of its
// clauses.
func (r *resolver) selects(sel *ir.Select, outer *scope) (*relation, *scope) {
	more := sel.Rare()
	tables := len(sel.From) + len(more.Laterals)
	rel := r.newRelation(0, tables+1)
	s := r.newScope(outer, rel)
	s.sources = r.mem.sourceLists.Room(tables)
	r.fromList(sel.From, s)
	r.fromList(more.Laterals, s)
	for _, w := range more.Windows {
		if s.windows == nil {
			s.windows = make(map[string]*ir.Window, len(more.Windows))
		}
		s.windows[r.aliasKey(w.Name)] = w.Window
	}
	r.prepareAliases(sel, s)
	r.items(sel, s)
	r.clauses(sel, s)
	rel.asRow = more.AsStruct
	if more.AsValue {
		rel = asValue(rel)
	}
	if len(more.IntoVars) > 0 {
		r.assignAll(more.IntoVars, rel, s)
	}
	return rel, s
}

// asValue is SELECT AS VALUE: the fields, or the row, of the only column become the
// columns.
func asValue(rel *relation) *relation {
	if len(rel.cols) != 1 {
		return rel
	}
	switch only := rel.cols[0]; {
	case len(only.fields) > 0:
		return &relation{cols: only.fields, deps: []*relation{rel}}
	case only.row != nil:
		return &relation{cols: only.row.cols, deps: []*relation{rel}}
	}
	return rel
}

// prepareAliases makes the names of select items known to the clauses that may use
// them.
func (r *resolver) prepareAliases(sel *ir.Select, s *scope) {
	n := 0
	for i := range sel.Items {
		if sel.Items[i].Alias.Set() {
			n++
		}
	}
	if r.d.aliasAnywhere {
		r.inlineAliases(sel, s)
	}
	if n == 0 {
		return
	}
	entries := r.mem.aliases.Room(n)
	for i := range sel.Items {
		it := &sel.Items[i]
		if it.Alias.Set() {
			entries = append(entries, aliasEntry{expr: it.Expr, item: true})
			s.aliases.add(&r.mem.aliasNames, r.identKey(it.Alias), &entries[len(entries)-1])
		}
	}
}

// inlineAliases are ClickHouse's: WITH expr AS name, and names given to parts of
// expressions.
func (r *resolver) inlineAliases(sel *ir.Select, s *scope) {
	add := func(id ir.Ident, e *ir.Expr) {
		if key := r.identKey(id); s.aliases.get(key) == nil {
			s.aliases.add(&r.mem.aliasNames, key, &aliasEntry{expr: e})
		}
	}
	for c := s.ctes; c != nil; c = c.parent {
		for _, x := range c.exprs {
			add(x.Name, x.Expr)
		}
	}
	var find func(e *ir.Expr)
	find = func(e *ir.Expr) {
		if e == nil {
			return
		}
		if e.Kind == ir.ExprAlias {
			add(e.Name[0], e.Args[0])
		}
		for _, a := range e.Args {
			find(a)
		}
		if c, ok := e.More.(*ir.Case); ok {
			for _, w := range c.Whens {
				find(w.Cond)
				find(w.Then)
			}
		}
	}
	for i := range sel.Items {
		find(sel.Items[i].Expr)
	}
	find(sel.Where)
	find(sel.Rare().Prewhere)
}

// items evaluates the select list.
func (r *resolver) items(sel *ir.Select, s *scope) {
	if sel.Rare().Transform != nil {
		r.transform(sel.Rare().Transform, s)
		return
	}
	if r.passesWhole(sel, s) {
		return
	}
	s.rel.cols = r.mem.columnLists.Room(len(sel.Items))
	s.useAliases, s.aliasFirst = r.d.lateralAlias, r.d.aliasAnywhere
	for i := range sel.Items {
		if r.stop() {
			break
		}
		r.item(&sel.Items[i], i, s)
	}
	s.useAliases, s.aliasFirst = false, false
	s.outputs = s.rel.cols
}

// passesWhole is SELECT * from one relation: the very same columns.
func (r *resolver) passesWhole(sel *ir.Select, s *scope) bool {
	if len(sel.Items) != 1 || len(s.sources) != 1 || len(s.merged) > 0 || s.sources[0].hidden {
		return false
	}
	e := sel.Items[0].Expr
	if e.Kind != ir.ExprStar || len(e.Args) > 0 || e.More != nil || sel.Items[0].Alias.Set() {
		return false
	}
	src := s.sources[0].rel
	if len(e.Name) > 0 || src.make != nil || len(src.cols) == 0 || src.scalar || hasHidden(src) {
		return false
	}
	s.rel.cols = slices.Clip(src.cols)
	s.rel.index = nil
	s.rel.base = src.base
	s.outputs = s.rel.cols
	return true
}

func hasHidden(rel *relation) bool {
	for _, c := range rel.cols {
		if c.hidden {
			return true
		}
	}
	return false
}

// item evaluates one element of the select list.
func (r *resolver) item(it *ir.Item, i int, s *scope) {
	e := it.Expr
	if e == nil {
		return
	}
	if e.Kind == ir.ExprStar || isColumnsCall(e) {
		for _, v := range r.expandStar(e, s) {
			s.rel.add(v)
		}
		return
	}
	if len(it.Aliases) > 0 || r.manyOutputs(e, it) {
		r.generatorItem(it, s)
		return
	}
	var shown string
	if it.Alias.Set() {
		shown = r.shown(it.Alias)
	} else {
		shown = r.outputName(e, i)
	}
	s.rel.add(r.itemValue(it, s, shown))
}

// itemValue is the value of a select item; a clause that used its alias before it
// may have evaluated it.
func (r *resolver) itemValue(it *ir.Item, s *scope, shown string) *value {
	key := r.columnKey(shown)
	a := s.aliases.get(key)
	if a == nil || a.expr != it.Expr || !it.Alias.Set() {
		return r.expression(it.Expr, s, shown, key)
	}
	if a.v == nil {
		a.busy = true
		a.v = r.expression(it.Expr, s, shown, key)
		a.busy = false
	}
	a.ready = true
	a.v.name = shown
	return a.v
}

// clauses collects the conditions of a SELECT.
func (r *resolver) clauses(sel *ir.Select, s *scope) {
	conds := &s.rel.conds
	filter := flow{conds: conds, steering: true, kind: steerFilter}
	group := flow{conds: conds, steering: true, kind: steerGroup}
	s.useAliases, s.aliasFirst = r.d.aliasInWhere, r.d.aliasAnywhere
	more := sel.Rare()
	r.walk(more.Prewhere, s, filter)
	r.walk(sel.Where, s, filter)
	r.walk(more.StartWith, s, filter)
	r.walk(more.Connect, s, filter)
	s.useAliases = r.d.aliasInGroup
	for _, e := range sel.GroupBy {
		r.groupKey(e, sel, s, group)
	}
	if sel.GroupAll {
		r.groupAll(sel, s)
	}
	r.walk(sel.Having, s, filter)
	s.useAliases = true
	r.walk(more.Qualify, s, filter)
	for _, e := range more.SortBy {
		r.orderKey(e, s, flow{conds: conds, steering: true, kind: steerSort})
	}
	for _, e := range more.DistinctOn {
		r.orderKey(e, s, group)
	}
	s.useAliases = false
}

// groupKey is one key of GROUP BY: a position or an expression.
func (r *resolver) groupKey(e *ir.Expr, sel *ir.Select, s *scope, f flow) {
	if n, ok := ordinal(e); ok {
		if n >= 1 && n <= len(sel.Items) && n <= len(s.outputs) && len(sel.Items) == len(s.outputs) {
			r.groupItem(&sel.Items[n-1], s, f)
		} else if n >= 1 && n <= len(s.outputs) && s.outputs[n-1].star == nil {
			f.take(s.outputs[n-1])
		}
		return
	}
	r.walk(e, s, f)
}

// groupItem groups by a select item: its inputs steer by grouping.
func (r *resolver) groupItem(it *ir.Item, s *scope, f flow) {
	for _, o := range s.outputs {
		if o.star == nil && o.at == it.Expr.Start && (r.at < 0) {
			f.take(o)
			return
		}
	}
	r.walk(it.Expr, s, f)
}

// groupAll is GROUP BY ALL: every item without an aggregate.
func (r *resolver) groupAll(sel *ir.Select, s *scope) {
	group := flow{conds: &s.rel.conds, steering: true, kind: steerGroup}
	for i := range sel.Items {
		if e := sel.Items[i].Expr; e != nil && !aggregates(e, 0) && e.Kind != ir.ExprLiteral {
			r.walk(e, s, group)
		}
	}
}

// aggregates reports whether an expression holds an aggregate of this level.
func aggregates(e *ir.Expr, depth int) bool {
	if e == nil || depth > 1000 {
		return false
	}
	if e.Kind == ir.ExprCall && e.CallOf().Over == nil && isAggregate(callName(e)) {
		return true
	}
	if m, ok := e.More.(*ir.StarMods); ok && len(m.Apply) > 0 {
		return true
	}
	if c, ok := e.More.(*ir.Case); ok {
		if aggregates(c.Operand, depth+1) || aggregates(c.Else, depth+1) {
			return true
		}
		for _, w := range c.Whens {
			if aggregates(w.Cond, depth+1) || aggregates(w.Then, depth+1) {
				return true
			}
		}
	}
	for _, a := range e.Args {
		if aggregates(a, depth+1) {
			return true
		}
	}
	return false
}

// transform is Hive's TRANSFORM: a script whose every output may hold every input.
func (r *resolver) transform(t *ir.Transform, s *scope) {
	names := t.Columns
	if len(names) == 0 {
		names = []ir.Ident{{Name: "key"}, {Name: "value"}}
	}
	all := r.newValue("", "", 0)
	for _, a := range t.Args {
		r.walk(a, s, flow{out: all, conds: &all.conds, pass: passTransform})
	}
	for _, n := range names {
		shown := r.shown(n)
		v := r.newValue(shown, r.columnKey(shown), n.Start)
		v.direct(all, passIdentity)
		s.rel.add(v)
	}
	s.outputs = s.rel.cols
}
