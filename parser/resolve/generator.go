package resolve

import (
	"strconv"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// unnest is UNNEST(a, b): each array its own output; arrays of structs give their
// fields.
func (r *resolver) unnest(f *ir.From, s *scope) *source {
	src := &source{at: f.Start, alias: r.aliasOr(f.Alias, "unnest")}
	args := f.Rare().Args
	if len(args) == 1 && args[0].Kind == ir.ExprColumn { // Oracle: TABLE(f), f without arguments
		if rel := r.givenBy(args[0].Name, nil, s); rel != nil {
			src.rel = r.renamedFunction(rel, f)
			return src
		}
	}
	call := &ir.Expr{Kind: ir.ExprCall, Span: f.Span, Name: []ir.Ident{{Name: "UNNEST"}}, Args: args}
	rel := r.generator(call, "UNNEST", s, nil)
	names := f.Columns
	if len(names) == 0 {
		for _, d := range f.Rare().Defs {
			names = append(names, d.Name)
		}
	}
	if len(names) > 0 {
		out := &relation{deps: []*relation{rel}}
		r.nameOutputs(out, rel, names, len(f.Rare().Args), f.Rare().Ordinality)
		src.rel = out
		return src
	}
	src.rel = rel
	switch {
	case len(rel.cols) == 0 || len(f.Rare().Args) != 1:
	case r.d.name != "duckdb" && rel.cols[0].row != nil:
		src.rel = &relation{cols: rel.cols[0].row.cols, deps: []*relation{rel}}
	case r.d.name != "duckdb" && len(rel.cols[0].fields) > 0:
		src.rel = &relation{cols: rel.cols[0].fields, deps: []*relation{rel}}
	default:
		r.scalarElement(f, src)
	}
	return src
}

// scalarElement makes the alias of an UNNEST its element, as in BigQuery; elsewhere
// the alias names the table and, for plain values, the column.
func (r *resolver) scalarElement(f *ir.From, src *source) {
	first := src.rel.cols[0]
	id := f.Alias
	if !id.Set() {
		id = ir.Ident{Name: "unnest"}
	}
	switch r.d.name {
	case "oracle":
		// A collection of scalars has one column of this name, one of objects has their
		// attributes: all come from the collection.
		shown := r.shown(ir.Ident{Name: "column_value"})
		first.name, first.key = shown, r.columnKey(shown)
		src.rel.index = nil
		r.partsOf(src.rel, first)
	case "bigquery", "postgres", "redshift", "greenplum", "duckdb", "doris", "starrocks", "impala":
		first.name = r.shown(id)
		first.key = r.columnKey(first.name)
		src.rel.index = nil
		src.rel.scalar = true
		if len(first.fields) > 0 || first.row != nil || r.d.name != "bigquery" && r.d.name != "impala" && r.d.name != "redshift" {
			return
		}
		src.unnamed = !f.Alias.Set()
		r.partsOf(src.rel, first)
	}
}

// partsOf lets a relation have any column, all out of one value: the fields of an
// element of unknown type.
func (r *resolver) partsOf(rel *relation, whole *value) {
	rel.weak = true
	rel.make = func(id ir.Ident, key string) *value {
		v := r.newValue(r.shown(id), key, id.Start)
		v.direct(whole, passIdentity)
		return v
	}
}

// nameOutputs gives the outputs of a generator their names: one each for its
// arrays, else (maps, rows) all out of the single array.
func (r *resolver) nameOutputs(out, rel *relation, names []ir.Ident, args int, ordinality bool) {
	n := len(names)
	if ordinality {
		n--
	}
	for i, id := range names {
		shown := r.shown(id)
		v := r.newValue(shown, r.columnKey(shown), id.Start)
		switch {
		case ordinality && i == len(names)-1:
		case args == n || len(rel.cols) == n:
			if i < len(rel.cols) {
				v.direct(rel.cols[i], passIdentity)
				v.parts = rel.cols[i].parts
			}
		case len(rel.cols) == 1 && i < len(rel.cols[0].fields):
			v.direct(rel.cols[0].fields[i], passIdentity)
		case rel.make != nil:
			v.direct(r.columnOf(rel, id, v.key), passIdentity)
		default:
			// Each argument gives at least one output: those before and behind leave the
			// others.
			for j, c := range rel.cols {
				if j <= i && len(rel.cols)-1-j <= n-1-i {
					v.direct(c, passIdentity)
				}
			}
		}
		out.add(v)
	}
}

// generator evaluates a row-generating function: UNNEST, explode and their kin. The
// result has one column for each array; names come from names or the dialect.
func (r *resolver) generator(e *ir.Expr, name string, s *scope, names []ir.Ident) *relation {
	rel := &relation{}
	switch name {
	case "STACK":
		r.stack(e, s, rel, names)
		return rel
	case "FLATTEN":
		return r.outputs(e, s, &ir.From{}, []string{"SEQ", "KEY", "PATH", "INDEX", "VALUE", "THIS"})
	case "POSEXPLODE", "POSEXPLODE_OUTER":
		rel.add(r.newValue("pos", "pos", e.Start))
	}
	for i, a := range e.Args {
		shown := "col"
		if len(e.Args) > 1 && i > 0 {
			shown += strconv.Itoa(i + 1)
		}
		v := r.expression(a, s, shown, shown)
		addPass(v, passTransform)
		rel.add(v)
	}
	if len(rel.cols) == 1 && (name == "INLINE" || name == "INLINE_OUTER" || len(rel.cols[0].fields) > 0 && len(names) > 1) {
		if fields := rel.cols[0].fields; len(fields) > 0 {
			return &relation{cols: fields, deps: []*relation{rel}}
		}
	}
	return rel
}

// addPass marks all inputs of a value as passed through something.
func addPass(v *value, p pass) {
	for i := range v.inputs {
		v.inputs[i].pass |= p
	}
}

// stack lays its arguments out in rows: stack(n, v1, v2, …).
func (r *resolver) stack(e *ir.Expr, s *scope, rel *relation, names []ir.Ident) {
	if len(e.Args) < 2 {
		return
	}
	rows, ok := ordinal(e.Args[0])
	values := e.Args[1:]
	width := len(names)
	if ok && rows > 0 {
		width = (len(values) + rows - 1) / rows
	}
	if width == 0 {
		width = len(values)
	}
	for i := range width {
		shown := "col" + strconv.Itoa(i)
		v := r.newValue(shown, shown, e.Start)
		for k := i; k < len(values); k += width {
			r.walk(values[k], s, flow{out: v, conds: &v.conds})
		}
		rel.add(v)
	}
}

// lateralView is Hive's LATERAL VIEW f(x) t AS a, b.
func (r *resolver) lateralView(f *ir.From, s *scope) *source {
	if f.Func == nil {
		return nil
	}
	name := callName(f.Func)
	src := &source{at: f.Start, alias: r.aliasOr(f.Alias, "\x00")}
	out := &relation{}
	var rel *relation
	switch name {
	case "JSON_TUPLE", "PARSE_URL_TUPLE":
		rel = r.generator(&ir.Expr{Kind: ir.ExprCall, Span: f.Func.Span, Name: f.Func.Name, Args: f.Func.Args[:min(1, len(f.Func.Args))]}, name, s, f.Columns)
	case "STACK", "POSEXPLODE", "POSEXPLODE_OUTER", "EXPLODE", "EXPLODE_OUTER", "INLINE", "INLINE_OUTER":
		rel = r.generator(f.Func, name, s, f.Columns)
	case "FLATTEN":
		src.rel = r.generator(f.Func, name, s, nil)
		return src
	default:
		all := r.argument(f.Func.Args, s, f.Func.Start)
		all.name, all.key = "col", "col"
		rel = &relation{cols: []*value{all}}
	}
	if len(f.Columns) == 0 {
		src.rel = rel
		return src
	}
	out.deps = []*relation{rel}
	r.viewColumns(out, rel, f.Columns, name)
	src.rel = out
	return src
}

// viewColumns names a lateral view's outputs: positions count for stack and
// posexplode; whatever else gives several outputs fills all of them.
func (r *resolver) viewColumns(out, rel *relation, names []ir.Ident, function string) {
	for i, id := range names {
		shown := r.shown(id)
		v := r.newValue(shown, r.columnKey(shown), id.Start)
		switch {
		case strings.HasPrefix(function, "POSEXPLODE"):
			if i > 0 && len(rel.cols) > 1 {
				v.direct(rel.cols[1], passIdentity)
				v.parts = rel.cols[1].parts
			}
		case len(rel.cols) == len(names):
			v.direct(rel.cols[i], passIdentity)
			v.parts = rel.cols[i].parts
		default:
			for _, c := range rel.cols {
				v.direct(c, passIdentity)
			}
		}
		out.add(v)
	}
}

// withOffset adds BigQuery's WITH OFFSET counter, which has no source.
func (r *resolver) withOffset(f *ir.From, src *source, _ *scope) *source {
	shown := r.shown(f.Rare().Offset)
	v := r.newValue(shown, r.columnKey(shown), f.Rare().Offset.Start)
	rel := extended(src.rel, v)
	rel.make, rel.weak, rel.scalar = src.rel.make, src.rel.weak, src.rel.scalar
	return &source{rel: rel, alias: src.alias, path: src.path, at: src.at}
}

// arrayJoin is ClickHouse's ARRAY JOIN: without an alias the array's name becomes
// the element's.
func (r *resolver) arrayJoin(f *ir.From, s *scope) *source {
	rel := &relation{}
	for i := range f.Rare().Items {
		it := &f.Rare().Items[i]
		var shown string
		if it.Alias.Set() {
			shown = r.shown(it.Alias)
		} else {
			shown = r.outputName(it.Expr, i)
		}
		v := r.expression(it.Expr, s, shown, r.columnKey(shown))
		addPass(v, passTransform)
		rel.add(v)
	}
	src := &source{rel: rel, alias: "\x00", at: f.Start}
	for _, x := range s.sources {
		for _, c := range rel.cols {
			if x.rel.holds(c.key) != holdsNo {
				if x.merged == nil {
					x.merged = map[string]bool{}
				}
				x.merged[c.key] = true
			}
		}
	}
	r.depend(s, rel)
	s.addSource(src)
	return src
}

// manyOutputs reports functions of a select list that give several columns without
// an alias list.
func (r *resolver) manyOutputs(e *ir.Expr, it *ir.Item) bool {
	if e.Kind != ir.ExprCall || it.Alias.Set() {
		return false
	}
	switch callName(e) {
	case "POSEXPLODE", "POSEXPLODE_OUTER", "INLINE", "INLINE_OUTER", "STACK", "JSON_TUPLE", "PARSE_URL_TUPLE":
		return r.d.name == "hive" || r.d.name == "spark" || r.d.name == "databricks" || r.d.name == "impala"
	}
	return false
}

// generatorItem is a generator in a select list, with or without AS (a, b).
func (r *resolver) generatorItem(it *ir.Item, s *scope) {
	e := it.Expr
	if e.Kind != ir.ExprCall {
		v := r.expression(e, s, "", "")
		for i, id := range it.Aliases {
			shown := r.shown(id)
			o := r.newValue(shown, r.columnKey(shown), id.Start)
			if i < len(v.fields) {
				o.direct(v.fields[i], passIdentity)
			} else {
				o.direct(v, passIdentity)
			}
			s.rel.add(o)
		}
		return
	}
	f := &ir.From{Kind: ir.FromLateralView, Span: e.Span, Func: e, Columns: it.Aliases}
	src := r.lateralView(f, s)
	for _, c := range src.rel.cols {
		s.rel.add(c)
	}
	r.depend(s, src.rel)
}
