package resolve

import (
	"github.com/tributary-data/tributary/parser/ir"
)

// mergeInto resolves MERGE.
func (r *resolver) mergeInto(n *ir.Merge, outer *scope) *relation {
	outer = r.stmtScope(n.With, outer)
	c := r.newChange(outer)
	if n.Target == nil || r.addTarget(c, n.Target) == nil {
		return &relation{}
	}
	target := c.targets[0]
	var src *source
	if n.Source != nil {
		src = r.fromItem(n.Source, c.s)
	}
	if src != nil {
		r.mergeUsing(n.Source.Using, target.src, src, c.rel)
	}
	conds := flow{conds: &c.rel.conds, steering: true, kind: steerJoin}
	for _, w := range n.Whens {
		r.prove(c, w.Set)
	}
	r.walk(n.On, c.s, conds)
	conds.kind = steerFilter
	var pairs []pair
	for _, w := range n.Whens {
		in := branchScope(w, c.s, target.src, src)
		r.walk(w.Cond, in, conds)
		r.walk(w.Where, in, conds)
		r.walk(w.DeleteWhere, in, conds)
		pairs = append(pairs, r.mergeBranchPairs(w, target, src, in)...)
	}
	r.emit(target.table, pairs, c.rel, false)
	if n.Output != nil {
		return r.output(n.Output, target.table, c.rel, c.s)
	}
	return r.returning(n.Returning, nil, target.table, c.s, outer)
}

// mergeUsing is DuckDB's MERGE .. USING s USING (c): both sides' columns decide which rows
// match.
func (r *resolver) mergeUsing(ids []ir.Ident, target, src *source, rel *relation) {
	for _, id := range ids {
		key := r.identKey(id)
		addCondition(&rel.conds, r.columnOf(target.rel, id, key), steerJoin)
		addCondition(&rel.conds, r.columnOf(src.rel, id, key), steerJoin)
	}
}

// branchScope is what a WHEN sees: both sides where rows match, else the only side
// that there is.
func branchScope(w *ir.MergeWhen, both *scope, target, src *source) *scope {
	side := src
	if w.BySource {
		side = target
	}
	if w.Matched || side == nil {
		return both
	}
	in := &scope{parent: both.parent, ctes: both.ctes, rel: both.rel}
	in.addSource(side)
	return in
}

// mergeBranchPairs are the values of one WHEN.
func (r *resolver) mergeBranchPairs(w *ir.MergeWhen, target changed, src *source, s *scope) []pair {
	var pairs []pair
	if w.Star && src != nil {
		return r.mergeStar(w, target, src)
	}
	for i := range w.Set {
		pairs = append(pairs, r.assignment(&w.Set[i], s)...)
	}
	if !w.Insert {
		return pairs
	}
	var names []ir.Ident
	for i := range w.Columns {
		names = append(names, w.Columns[i].Name.Last())
	}
	if len(names) == 0 {
		for _, c := range r.knownColumns(target.table) {
			names = append(names, ir.Ident{Name: c.name, Quote: '"'})
		}
	}
	rel := &relation{}
	for i, e := range w.Values {
		if e == nil {
			continue
		}
		shown := r.outputName(e, i)
		rel.cols = append(rel.cols, r.expression(e, s, shown, r.columnKey(shown)))
	}
	return append(pairs, r.byPosition(rel, names)...)
}

// mergeStar is UPDATE SET *, INSERT * and INSERT ROW: columns by name.
func (r *resolver) mergeStar(w *ir.MergeWhen, target changed, src *source) []pair {
	except := map[string]bool{}
	for _, x := range w.Except {
		except[r.identKey(x)] = true
	}
	known := r.knownColumns(target.table)
	var out []pair
	for _, p := range r.byOutput(&relation{cols: r.columnsOf(src, nil), make: src.rel.make}) {
		if p.star != nil && known != nil {
			out = append(out, r.starByName(known, except, src)...)
			continue
		}
		if p.star == nil && (except[p.key] || known != nil && !hasColumn(known, p.key)) {
			continue
		}
		out = append(out, p)
	}
	return out
}

// starByName takes a target's known columns out of a source of unknown ones.
func (r *resolver) starByName(known []*value, except map[string]bool, src *source) []pair {
	var out []pair
	for _, c := range known {
		if except[c.key] || c.star != nil {
			continue
		}
		v := r.columnOf(src.rel, ir.Ident{Name: c.name, Quote: '"'}, c.key)
		if v != nil {
			out = append(out, pair{shown: c.name, key: c.key, v: v})
		}
	}
	return out
}

func hasColumn(cols []*value, key string) bool {
	for _, c := range cols {
		if c.key == key {
			return true
		}
	}
	return false
}
