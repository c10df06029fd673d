package resolve

import (
	"github.com/tributary-data/tributary/parser/ir"
)

// stmtScope is the scope around a statement's own query: its WITH.
func (r *resolver) stmtScope(w *ir.With, outer *scope) *scope {
	if w == nil {
		return outer
	}
	return r.with(w, outer)
}

// insert resolves INSERT in all forms and returns what RETURNING hands on.
func (r *resolver) insert(n *ir.Insert, outer *scope) *relation {
	s := r.stmtScope(n.With, outer)
	var source *relation
	if n.Source != nil {
		source = r.query(n.Source, s)
	}
	var out *relation
	for _, into := range n.Into {
		if r.stop() {
			break
		}
		if source != nil {
			r.insertFrom(into, source, s)
			continue
		}
		out = r.insertInto(into, s)
	}
	if n.First || source != nil {
		r.insertConditions(n, source, s)
	}
	return out
}

// insertConditions: in INSERT FIRST, and for ELSE, every condition decides about
// every target.
func (r *resolver) insertConditions(n *ir.Insert, from *relation, s *scope) {
	conditional := false
	for _, into := range n.Into {
		conditional = conditional || into.When != nil
	}
	if !conditional {
		return
	}
	for _, into := range n.Into {
		if !n.First && into.When != nil {
			continue
		}
		t := r.target(&into.Target, s)
		if t == nil {
			continue
		}
		rel := &relation{deps: []*relation{from}}
		in := r.rowScope(from, rel, s)
		for _, other := range n.Into {
			r.walk(other.When, in, flow{conds: &rel.conds, steering: true, kind: steerFilter})
		}
		r.emit(t, nil, rel, false)
	}
}

// rowScope sees the columns of one relation without a qualifier.
func (r *resolver) rowScope(from, rel *relation, s *scope) *scope {
	in := &scope{parent: s, rel: rel}
	if s != nil {
		in.ctes = s.ctes
	}
	in.addSource(&source{rel: from, alias: "\x00"})
	return in
}

// insertFrom is one INTO of INSERT ALL | FIRST over the shared query.
func (r *resolver) insertFrom(into *ir.InsertInto, source *relation, s *scope) {
	rel := &relation{deps: []*relation{source}}
	in := r.rowScope(source, rel, s)
	r.walk(into.When, in, flow{conds: &rel.conds, steering: true, kind: steerFilter})
	if into.Values == nil {
		rel.cols = source.cols
	}
	for i, e := range into.Values {
		shown := r.outputName(e, i)
		rel.add(r.expression(e, in, shown, r.columnKey(shown)))
	}
	t := r.target(&into.Target, s)
	if t == nil {
		return
	}
	r.emit(t, r.targetColumns(t, into, rel), rel, into.Overwrite)
}

// insertInto is one ordinary insert.
func (r *resolver) insertInto(into *ir.InsertInto, s *scope) *relation {
	var rel *relation
	switch {
	case into.Query != nil:
		rel = r.query(into.Query, s)
	case len(into.Set) > 0:
		rel = r.insertSet(into, s)
	case into.Exec != nil:
		rel = r.executed(into.Exec)
	default:
		rel = &relation{}
	}
	t := r.target(&into.Target, s)
	if t == nil {
		r.noteAll(rel)
		return &relation{}
	}
	pairs := r.targetColumns(t, into, rel)
	r.nameValues(into, t, pairs)
	if len(into.OnConflict) > 0 {
		pairs, rel = r.onConflict(into, t, pairs, rel, s)
	}
	r.emit(t, pairs, rel, into.Overwrite)
	if into.Output != nil {
		r.output(into.Output, t, rel, s)
	}
	return r.returning(into.Returning, into.ReturningVars, t, nil, s)
}

// nameValues names what VALUES puts into unknown columns after what stands there: the
// position says nothing.
func (r *resolver) nameValues(into *ir.InsertInto, t *Table, pairs []pair) {
	q := unwrap(into.Query)
	if q == nil || q.Values == nil || len(q.Values.Rows) == 0 || len(q.Values.Rows[0]) == 1 && len(pairs) > 1 {
		return
	}
	if _, exact := r.targetNames(t, into); exact {
		return
	}
	for i, e := range q.Values.Rows[0] {
		if e == nil || i >= len(pairs) {
			continue
		}
		if id := nameOf(e); id.Set() {
			pairs[i].shown = r.shown(id)
			pairs[i].key = r.columnKey(pairs[i].shown)
		}
	}
}

// insertSet is INSERT … SET a = x.
func (r *resolver) insertSet(into *ir.InsertInto, s *scope) *relation {
	rel := &relation{}
	in := &scope{parent: s, rel: rel}
	if s != nil {
		in.ctes = s.ctes
	}
	for i := range into.Set {
		a := &into.Set[i]
		if len(a.Columns) != 1 {
			continue
		}
		shown := r.shown(a.Columns[0].Last())
		rel.add(r.expression(a.Value, in, shown, r.columnKey(shown)))
	}
	return rel
}

// targetColumns pairs what is inserted with the target's columns: the list, else
// the known columns by position, else the output names.
func (r *resolver) targetColumns(t *Table, into *ir.InsertInto, rel *relation) []pair {
	names, exact := r.targetNames(t, into)
	switch {
	case into.ByName || len(into.Set) > 0:
		return r.byOutput(rel)
	case !exact:
		return r.namedByOutput(rel, r.dynamicPartitions(into))
	}
	return r.byPosition(rel, names)
}

// targetNames lists the columns that an insert fills, in order; exact is false
// where they are not known.
func (r *resolver) targetNames(t *Table, into *ir.InsertInto) ([]ir.Ident, bool) {
	var names []ir.Ident
	starred := len(into.Columns) == 0
	except := map[string]bool{}
	for i := range into.Columns {
		c := &into.Columns[i]
		if !c.Star {
			names = append(names, c.Name.Last())
			continue
		}
		starred = true
		for _, x := range c.Except {
			except[r.identKey(x)] = true
		}
	}
	if !starred {
		return append(names, r.dynamicPartitions(into)...), true
	}
	known := r.knownColumns(t)
	if known == nil {
		return nil, false
	}
	for _, p := range into.Partition {
		if p.Value != nil || !r.d.partitionNames {
			except[r.identKey(p.Name)] = true
		}
	}
	for _, c := range known {
		if !except[c.key] && !c.hidden && !c.derived {
			names = append(names, ir.Ident{Name: c.name, Start: c.at, Quote: '"'})
		}
	}
	return append(names, r.dynamicPartitions(into)...), true
}

// knownColumns lists a target's columns if all are known.
func (r *resolver) knownColumns(t *Table) []*value {
	if t.temp && !r.o.KeepTemporary {
		if t.rows == nil || t.rows.open() || len(t.rows.cols) == 0 {
			return nil
		}
		return t.rows.cols
	}
	if !t.known {
		return nil
	}
	return t.rows.cols
}

// dynamicPartitions are the partition columns that the last select items fill.
func (r *resolver) dynamicPartitions(into *ir.InsertInto) []ir.Ident {
	if r.d.partitionNames {
		return nil
	}
	var names []ir.Ident
	for _, p := range into.Partition {
		if p.Value == nil && p.Name.Set() {
			names = append(names, p.Name)
		}
	}
	return names
}

// byPosition pairs columns with names in order. What comes behind a star of unknown
// width keeps its own name.
func (r *resolver) byPosition(rel *relation, names []ir.Ident) []pair {
	out := r.mem.pairs.Room(len(rel.cols) + 1)
	lost := false
	for i, c := range rel.cols {
		switch {
		case c.star != nil:
			lost = true
			out = append(out, pair{star: r.wholeOf(c.star), of: c.star})
		case !lost && i < len(names):
			shown := r.shown(names[i])
			out = append(out, pair{shown: shown, key: r.columnKey(shown), at: names[i].Start, v: c})
		default:
			out = append(out, pair{shown: c.name, key: c.key, at: c.at, v: c})
		}
	}
	if len(rel.cols) == 0 && rel.make != nil {
		s := &star{of: rel}
		out = append(out, pair{star: r.wholeOf(s), of: s})
	}
	return out
}

// namedByOutput pairs columns with their own names, the last ones with those of
// dynamic partitions.
func (r *resolver) namedByOutput(rel *relation, partitions []ir.Ident) []pair {
	out := r.byOutput(rel)
	for i, id := range partitions {
		at := len(out) - len(partitions) + i
		if at < 0 || out[at].star != nil {
			continue
		}
		out[at].shown = r.shown(id)
		out[at].key = r.columnKey(out[at].shown)
	}
	return out
}

// proposedRow are the rows that an insert proposes, under the target's names.
func (r *resolver) proposedRow(pairs []pair) *relation {
	rel := &relation{}
	for i := range pairs {
		p := &pairs[i]
		if p.star != nil {
			rel.cols = append(rel.cols, r.newStar(r.namedStar(p)))
			continue
		}
		v := r.newValue(p.shown, p.key, p.at)
		v.direct(p.v, passIdentity)
		rel.add(v)
	}
	return rel
}

// onConflict adds the assignments of ON DUPLICATE KEY UPDATE and ON CONFLICT DO
// UPDATE. They see the target's old row, the proposed one, and the sources of the
// insert's own query.
func (r *resolver) onConflict(into *ir.InsertInto, t *Table, pairs []pair, rel *relation, s *scope) ([]pair, *relation) {
	wrapped := &relation{deps: []*relation{rel}}
	in := &scope{parent: s, rel: wrapped}
	if s != nil {
		in.ctes = s.ctes
	}
	proposed := r.proposedRow(pairs)
	in.proposed = proposed
	in.addSource(&source{rel: r.content(t), alias: r.targetAlias(&into.Target, t)})
	quiet := &scope{parent: in, ctes: in.ctes, rel: wrapped}
	quiet.proposed = proposed
	quiet.addSource(&source{rel: proposed, alias: "excluded", hidden: true})
	if into.RowAlias.Set() {
		row := r.renamed(proposed, into.RowColumns)
		quiet.addSource(&source{rel: row, alias: r.aliasKey(into.RowAlias)})
	}
	if sel := firstSelect(into.Query); sel != nil {
		// The query's own tables can be named; they are evaluated once more, quietly.
		r.fromList(sel.From, quiet)
		quiet.addSource(&source{rel: r.assignedColumns(into.OnConflict, t), alias: "\x00"})
	}
	out := append([]pair(nil), pairs...)
	for i := range into.OnConflict {
		out = append(out, r.assignment(&into.OnConflict[i], quiet)...)
	}
	r.walk(into.Where, quiet, flow{conds: &wrapped.conds, steering: true, kind: steerFilter})
	return out, wrapped
}

// assignedColumns are the target's columns that an update assigns to: a bare name that
// is one of them means the target's, not one of the query's tables.
func (r *resolver) assignedColumns(set []ir.Assignment, t *Table) *relation {
	rel := &relation{}
	for i := range set {
		for _, n := range set[i].Columns {
			id := n.Last()
			if v := r.columnOf(r.content(t), id, r.identKey(id)); v != nil && rel.find(v.key) < 0 {
				rel.add(v)
			}
		}
	}
	return rel
}

// targetAlias is the name under which a target's row is seen.
func (r *resolver) targetAlias(target *ir.Target, t *Table) string {
	if target.Alias.Set() {
		return r.aliasKey(target.Alias)
	}
	return r.aliasKey(ir.Ident{Name: t.parts[len(t.parts)-1], Quote: '"'})
}

// returning is RETURNING: columns of the changed table's rows.
func (r *resolver) returning(items []ir.Item, vars []*ir.Expr, t *Table, in *scope, s *scope) *relation {
	if len(items) == 0 {
		return r.mem.relations.One()
	}
	rel := &relation{deps: []*relation{r.content(t)}, base: t}
	x := &scope{parent: in, rel: rel}
	if s != nil {
		x.ctes = s.ctes
		if in == nil {
			x.parent = s
		}
	}
	x.addSource(&source{rel: t.rows, alias: "\x00"})
	last := r.aliasKey(ir.Ident{Name: t.parts[len(t.parts)-1], Quote: '"'})
	x.addSource(&source{rel: t.rows, alias: last, hidden: true})
	for i := range items {
		r.item(&items[i], i, x)
	}
	if len(vars) > 0 {
		r.assignAll(vars, rel, x)
	}
	return rel
}

// output is T-SQL's OUTPUT: items over the changed table's rows, before and after,
// going to a table. below is what the statement reads.
func (r *resolver) output(o *ir.Output, t *Table, below *relation, s *scope) *relation {
	rel := &relation{deps: []*relation{below, r.content(t)}, base: t}
	in := &scope{parent: s, rel: rel}
	if s != nil {
		in.ctes = s.ctes
	}
	in.addSource(&source{rel: t.rows, alias: "inserted"})
	in.addSource(&source{rel: t.rows, alias: "deleted"})
	for i := range o.Items {
		r.item(&o.Items[i], i, in)
	}
	if o.Into == nil {
		return rel
	}
	to := r.target(o.Into, s)
	if to == nil {
		return rel
	}
	r.emit(to, r.targetColumns(to, &ir.InsertInto{Columns: o.Columns}, rel), rel, false)
	return rel
}

// dmlQuery is a statement used as a query: a data-modifying CTE.
func (r *resolver) dmlQuery(st *ir.Statement, outer *scope) *relation {
	switch n := st.Node.(type) {
	case *ir.Insert:
		return r.insert(n, outer)
	case *ir.Update:
		return r.update(n, outer)
	case *ir.Delete:
		return r.delete(n, outer)
	case *ir.Merge:
		return r.mergeInto(n, outer)
	case *ir.QueryStmt:
		return r.query(n.Query, outer)
	}
	return &relation{}
}
