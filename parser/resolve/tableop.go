package resolve

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// opScope is the scope of an operator on a table: it sees that table, and what is
// around.
func (r *resolver) opScope(src *source, rel *relation, s *scope) *scope {
	in := &scope{parent: s, ctes: s.ctes, rel: rel}
	in.addSource(&source{rel: src.rel, alias: src.alias, path: src.path})
	return in
}

// usedColumns collects the compared names of columns that expressions use.
func (r *resolver) usedColumns(used map[string]bool, e *ir.Expr) {
	if e == nil {
		return
	}
	if e.Kind == ir.ExprColumn && len(e.Name) > 0 {
		used[r.identKey(e.Name[len(e.Name)-1])] = true
	}
	for _, a := range e.Args {
		r.usedColumns(used, a)
	}
	if c, ok := e.More.(*ir.Case); ok {
		r.usedColumns(used, c.Operand)
		r.usedColumns(used, c.Else)
		for _, w := range c.Whens {
			r.usedColumns(used, w.Cond)
			r.usedColumns(used, w.Then)
		}
	}
}

// pivot groups by the columns that it does not use, and makes a column for each
// value and aggregate.
func (r *resolver) pivot(op *ir.TableOp, src *source, s *scope) *relation {
	rel := &relation{deps: []*relation{src.rel}}
	in := r.opScope(src, rel, s)
	used := map[string]bool{}
	for i := range op.Aggregates {
		r.usedColumns(used, op.Aggregates[i].Expr)
	}
	for _, e := range op.For {
		r.usedColumns(used, e)
	}
	r.pivotGroups(op, src, in, used)
	for _, e := range op.For {
		r.walk(e, in, flow{conds: &rel.conds, steering: true, kind: steerConditional})
	}
	if op.Query != nil {
		r.depend(in, r.query(op.Query, in))
	}
	aggs := make([]*value, len(op.Aggregates))
	for i := range op.Aggregates {
		aggs[i] = r.expression(op.Aggregates[i].Expr, in, "", "")
	}
	if op.PivotAny || len(op.In) == 0 {
		rel.cols = append(rel.cols, r.anyPivot(aggs))
		return rel
	}
	for i := range op.In {
		for j, a := range aggs {
			shown := r.pivotName(&op.In[i], &op.Aggregates[j], len(aggs) > 1)
			v := r.newValue(shown, r.columnKey(shown), place(op.In[i].Expr))
			v.direct(a, passIdentity)
			rel.add(v)
		}
	}
	return rel
}

// pivotGroups passes the grouping columns on; they group.
func (r *resolver) pivotGroups(op *ir.TableOp, src *source, in *scope, used map[string]bool) {
	rel := in.rel
	if len(op.GroupBy) > 0 {
		for i, e := range op.GroupBy {
			shown := r.outputName(e, i)
			v := r.expression(e, in, shown, r.columnKey(shown))
			rel.add(v)
			addCondition(&rel.conds, v, steerGroup)
		}
		return
	}
	for _, c := range r.columnsOf(src, nil) {
		if c.star != nil {
			rel.cols = append(rel.cols, r.narrowed(c, used))
			continue
		}
		if used[c.key] {
			continue
		}
		rel.add(c)
		addCondition(&rel.conds, c, steerGroup)
	}
}

// anyPivot stands for columns whose number only the data knows.
func (r *resolver) anyPivot(aggs []*value) *value {
	whole := r.newValue("*", "*", 0)
	for _, a := range aggs {
		whole.direct(a, passIdentity)
	}
	rest := &relation{weak: true, make: func(id ir.Ident, key string) *value {
		v := r.newValue(r.shown(id), key, id.Start)
		for _, a := range aggs {
			v.direct(a, passIdentity)
		}
		return v
	}}
	out := &star{of: rest, whole: whole}
	if r.d.name == "snowflake" { // the columns are called as the texts are written, in their quotes
		out.lead = "'"
	}
	return r.newStar(out)
}

// pivotName is the name of a pivoted column as the dialect makes it.
func (r *resolver) pivotName(in, agg *ir.Item, several bool) string {
	value := r.pivotValue(in)
	alias := ""
	if agg.Alias.Set() {
		alias = r.shown(agg.Alias)
	}
	switch r.d.name {
	case "bigquery":
		if alias != "" {
			return alias + "_" + value
		}
		return value
	case "oracle":
		if alias != "" {
			return value + "_" + alias
		}
		return value
	case "spark", "databricks", "duckdb":
		if !several {
			return value
		}
		if alias == "" && agg.Expr != nil {
			alias = r.text(agg.Expr.Span)
		}
		return value + "_" + alias
	}
	if several {
		if alias == "" && agg.Expr != nil {
			alias = callName(agg.Expr)
		}
		return value + "_" + alias
	}
	return value
}

func (r *resolver) pivotValue(in *ir.Item) string {
	if in.Alias.Set() {
		return r.shown(in.Alias)
	}
	e := in.Expr
	switch {
	case e == nil:
		return ""
	case e.Kind == ir.ExprLiteral && e.IsString:
		if r.d.name == "snowflake" || r.d.name == "oracle" {
			return "'" + e.Text + "'"
		}
		return e.Text
	case e.Kind == ir.ExprLiteral:
		return e.Text
	case e.Kind == ir.ExprColumn:
		return r.shown(e.Name[len(e.Name)-1])
	case e.Kind == ir.ExprTuple || e.Kind == ir.ExprStruct:
		names := make([]string, len(e.Args))
		for i, a := range e.Args {
			names[i] = r.pivotValue(&ir.Item{Expr: a})
		}
		return strings.Join(names, "_")
	}
	return r.text(e.Span)
}

// unpivot turns columns into rows: each value column takes its share of the listed
// ones; the name column has no source.
func (r *resolver) unpivot(op *ir.TableOp, src *source, s *scope) *relation {
	rel := &relation{deps: []*relation{src.rel}}
	in := r.opScope(src, rel, s)
	used := map[string]bool{}
	for i := range op.In {
		r.usedColumns(used, op.In[i].Expr)
	}
	for _, c := range r.columnsOf(src, nil) {
		if c.star != nil {
			rel.cols = append(rel.cols, r.narrowed(c, used))
		} else if !used[c.key] {
			rel.add(c)
		}
	}
	if op.Key.Set() {
		shown := r.shown(op.Key)
		rel.add(r.newValue(shown, r.columnKey(shown), op.Key.Start))
	}
	for i, id := range op.Into {
		shown := r.shown(id)
		v := r.newValue(shown, r.columnKey(shown), id.Start)
		for j := range op.In {
			r.unpivotInput(op.In[j].Expr, i, in, v)
		}
		rel.add(v)
	}
	return rel
}

func (r *resolver) unpivotInput(e *ir.Expr, i int, in *scope, v *value) {
	if e == nil {
		return
	}
	if e.Kind == ir.ExprStar {
		r.walkStar(e, in, flow{out: v, conds: &v.conds})
		return
	}
	if e.Kind == ir.ExprTuple && i < len(e.Args) {
		e = e.Args[i]
	}
	if e.Kind == ir.ExprAlias {
		e = e.Args[0]
	}
	r.walk(e, in, flow{out: v, conds: &v.conds})
}

// match is MATCH_RECOGNIZE: partition columns and measures, or all columns and
// measures; pattern variables are labels of the input's rows.
func (r *resolver) match(op *ir.TableOp, src *source, s *scope) *relation {
	rel := &relation{deps: []*relation{src.rel}}
	in := r.opScope(src, rel, s)
	in.symbols = &source{rel: src.rel, merged: map[string]bool{}}
	for _, id := range op.Symbols {
		in.symbols.merged[r.aliasKey(id)] = true
	}
	for i := range op.Define {
		in.symbols.merged[r.aliasKey(op.Define[i].Alias)] = true
	}
	window := flow{conds: &rel.conds, steering: true, kind: steerWindow}
	for _, e := range op.PartitionBy {
		r.walk(e, in, window)
	}
	for _, o := range op.OrderBy {
		r.walk(o.Expr, in, window)
	}
	for i := range op.Define {
		r.walk(op.Define[i].Expr, in, flow{conds: &rel.conds, steering: true, kind: steerFilter})
	}
	if op.AllRows {
		rel.cols = append(rel.cols, r.columnsOf(src, nil)...)
	} else {
		for i, e := range op.PartitionBy {
			shown := r.outputName(e, i)
			rel.add(r.expression(e, in, shown, r.columnKey(shown)))
		}
	}
	for i := range op.Measures {
		m := &op.Measures[i]
		shown := r.shown(m.Alias)
		rel.add(r.expression(m.Expr, in, shown, r.columnKey(shown)))
	}
	return rel
}
