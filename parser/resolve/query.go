package resolve

import (
	"strconv"

	"github.com/tributary-data/tributary/parser/ir"
)

// queryKey names an evaluation of a subquery.
type queryKey struct {
	q *ir.Query
	s *scope
}

// subquery evaluates a query inside an expression, once for each scope.
func (r *resolver) subquery(q *ir.Query, s *scope) *relation {
	key := queryKey{q, s}
	if rel := r.mem.queries[key]; rel != nil {
		return rel
	}
	rel := r.query(q, s)
	r.mem.queries[key] = rel
	return rel
}

// depend records that the relation under construction reads another.
func (r *resolver) depend(s *scope, rel *relation) {
	if s == nil || s.rel == nil || rel == nil {
		return
	}
	if n := len(s.rel.deps); n > 0 && s.rel.deps[n-1] == rel {
		return
	}
	s.rel.deps = append(s.rel.deps, rel)
}

// query evaluates a query expression. outer is the scope around it: nil for a
// statement's own query without CTEs around.
func (r *resolver) query(q *ir.Query, outer *scope) *relation {
	if q == nil || r.stop() {
		return &relation{}
	}
	r.depth++
	if q.With != nil {
		outer = r.with(q.With, outer)
	}
	rel, inner := r.body(q, outer)
	rel = r.tail(q, rel, inner, outer)
	r.depth--
	return rel
}

// body evaluates what a query is made of, and returns the scope that ORDER BY sees.
func (r *resolver) body(q *ir.Query, outer *scope) (*relation, *scope) {
	switch {
	case q.Select != nil:
		return r.selects(q.Select, outer)
	case q.SetOp != nil:
		return r.setOp(q.SetOp, outer), nil
	case q.Values != nil:
		return r.valuesList(q.Values, outer), nil
	case q.Nested != nil:
		return r.query(q.Nested, outer), nil
	case q.Table != nil:
		s := &scope{parent: outer, rel: &relation{}}
		if outer != nil {
			s.ctes = outer.ctes
		}
		if src := r.fromItem(q.Table, s); src != nil {
			return src.rel, nil
		}
	case q.DML != nil:
		return r.dmlQuery(q.DML, outer), nil
	}
	return &relation{}, nil
}

// tail adds ORDER BY and LIMIT, which only steer.
func (r *resolver) tail(q *ir.Query, rel *relation, inner, outer *scope) *relation {
	if len(q.OrderBy) == 0 && q.Limits == nil {
		return rel
	}
	if inner == nil {
		// Behind a set operation names are output columns. The relation may be shared,
		// so it gets a wrapper of its own.
		wrapped := &relation{cols: rel.cols, deps: []*relation{rel}, make: rel.make, weak: rel.weak, scalar: rel.scalar}
		inner = &scope{parent: outer, rel: wrapped, outputs: rel.cols}
		if outer != nil {
			inner.ctes = outer.ctes
		}
		inner.addSource(&source{rel: rel, alias: "\x00"})
		rel = wrapped
	}
	steerBy := flow{conds: &rel.conds, steering: true, kind: steerSort}
	for _, o := range q.OrderBy {
		r.orderKey(o.Expr, inner, steerBy)
	}
	if q.Limits == nil {
		return rel
	}
	for _, e := range q.Limits.Counts {
		r.walk(e, inner, flow{conds: &rel.conds, steering: true, kind: steerFilter})
	}
	for _, e := range q.Limits.By {
		r.orderKey(e, inner, flow{conds: &rel.conds, steering: true, kind: steerGroup})
	}
	return rel
}

// orderKey is a sort or group key: a position, an output's name, or an expression.
func (r *resolver) orderKey(e *ir.Expr, s *scope, f flow) {
	if e == nil {
		return
	}
	if n, ok := ordinal(e); ok {
		if n >= 1 && n <= len(s.outputs) && s.outputs[n-1].star == nil {
			f.take(s.outputs[n-1])
		}
		return
	}
	if e.Kind == ir.ExprColumn && len(e.Name) == 1 && f.kind == steerSort {
		key := r.identKey(e.Name[0])
		for _, o := range s.outputs {
			if o.star == nil && o.key == key {
				f.take(o)
				return
			}
		}
	}
	was := s.useAliases
	s.useAliases = true
	r.walk(e, s, f)
	s.useAliases = was
}

// ordinal reads a literal position.
func ordinal(e *ir.Expr) (int, bool) {
	if e.Kind != ir.ExprLiteral || e.IsString {
		return 0, false
	}
	n, err := strconv.Atoi(e.Text)
	return n, err == nil
}

// renamed gives a relation's columns other names, by position.
func (r *resolver) renamed(rel *relation, names []ir.Ident) *relation {
	if len(names) == 0 {
		return rel
	}
	out := &relation{deps: []*relation{rel}, scalar: rel.scalar}
	closed := !rel.open()
	for i, id := range names {
		shown := r.shown(id)
		v := r.newValue(shown, r.columnKey(shown), id.Start)
		switch {
		case i < len(rel.cols) && (closed || firstStar(rel) > i):
			v.direct(rel.cols[i], passIdentity)
			v.parts = rel.cols[i].parts
		case rel.make != nil:
			v.direct(r.columnOf(rel, id, v.key), passIdentity)
		case !closed:
			// The position falls into a star of unknown width: any of it may be meant.
			for _, c := range rel.cols {
				if c.star != nil {
					v.direct(r.wholeOf(c.star), passIdentity)
				}
			}
		}
		out.cols = append(out.cols, v)
	}
	for i := len(names); closed && i < len(rel.cols); i++ {
		out.cols = append(out.cols, rel.cols[i])
	}
	return out
}

// firstStar is the position of the first symbolic star.
func firstStar(rel *relation) int {
	for i, c := range rel.cols {
		if c.star != nil {
			return i
		}
	}
	return len(rel.cols)
}

// extended is a relation with one more column; the original is not changed.
func extended(rel *relation, v *value) *relation {
	cols := make([]*value, 0, len(rel.cols)+1)
	cols = append(append(cols, rel.cols...), v)
	return &relation{cols: cols, deps: []*relation{rel}, base: rel.base}
}

// valuesList is VALUES: rows by position.
func (r *resolver) valuesList(v *ir.Values, outer *scope) *relation {
	rel := &relation{}
	s := &scope{parent: outer, rel: rel}
	if outer != nil {
		s.ctes = outer.ctes
	}
	for _, row := range v.Rows {
		if len(row) == 1 && row[0] != nil {
			if record := r.record(row[0], s); record != nil {
				r.addRow(rel, record)
				continue
			}
		}
		for i, e := range row {
			if i >= len(rel.cols) {
				shown := r.valuesName(i)
				if e != nil && e.Kind == ir.ExprAlias { // Impala: VALUES (1 AS a)
					shown = r.shown(e.Name[0])
				}
				rel.add(r.newValue(shown, r.columnKey(shown), place(e)))
			}
			col := rel.cols[i]
			if e == nil || e.Kind == ir.ExprLiteral {
				continue
			}
			r.walk(e, s, flow{out: col, conds: &col.conds})
			if p := r.shapeOfValue(e, s); p.fields != nil {
				col.parts = &p
			}
		}
	}
	return rel
}

// record gives the columns of a row that is given as a whole: VALUES rec, VALUES
// tab(i), VALUES (NEW.*).
func (r *resolver) record(e *ir.Expr, s *scope) []*value {
	switch e.Kind {
	case ir.ExprStar:
		return r.expandStar(e, s)
	case ir.ExprColumn, ir.ExprParam:
		if v := r.variableOf(e, s); v != nil && v.row != nil {
			return v.row.cols
		}
	case ir.ExprCall:
		if len(e.Name) == 1 && len(e.Args) == 1 {
			if v := r.variable(s, e.Name[0]); v != nil && v.row != nil {
				return v.row.cols
			}
		}
	}
	return nil
}

// addRow adds a row's columns to those of a VALUES list, by position.
func (r *resolver) addRow(rel *relation, row []*value) {
	for i, v := range row {
		if i >= len(rel.cols) {
			if v.star != nil {
				rel.cols = append(rel.cols, v)
				continue
			}
			rel.add(r.newValue(v.name, v.key, v.at))
		}
		if v.star == nil && rel.cols[i].star == nil {
			rel.cols[i].direct(v, passIdentity)
		}
	}
}
