package resolve

import (
	"strconv"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// fromFunc is a table function in FROM.
func (r *resolver) fromFunc(f *ir.From, s *scope) *source {
	e := f.Func
	if e == nil {
		return nil
	}
	name := callName(e)
	src := &source{at: f.Start, alias: r.aliasOr(f.Alias, "")}
	if src.alias == "" && len(e.Name) > 0 {
		src.alias = r.aliasKey(e.Name[len(e.Name)-1])
	}
	rel := r.functionRelation(f, e, name, s)
	src.rel = r.renamedFunction(rel, f)
	return src
}

// renamedFunction applies the column list of a function's alias.
func (r *resolver) renamedFunction(rel *relation, f *ir.From) *relation {
	names := f.Columns
	if len(names) == 0 {
		for _, d := range f.Defs {
			names = append(names, d.Name)
		}
	}
	if len(names) == 0 {
		return rel
	}
	out := r.renamed(rel, names, f.Start)
	if f.Ordinality && len(names) > 0 {
		out.cols[len(names)-1].inputs = nil
	}
	return out
}

// functionRelation finds what a table function gives.
func (r *resolver) functionRelation(f *ir.From, e *ir.Expr, name string, s *scope) *relation {
	if t := r.namedTable(e, name, s); t != nil {
		return t
	}
	if rel := r.windowTable(e, name, s); rel != nil {
		return rel
	}
	if p, ok := r.foreignPlace(e, name, s); ok {
		if p == "" {
			return &relation{}
		}
		return r.catalog.place(p).rel
	}
	switch name {
	case "VIEW":
		if len(e.Args) == 1 && e.Args[0].Query != nil {
			return r.query(e.Args[0].Query, s)
		}
	case "TABLE", "THE":
		if len(e.Args) == 1 {
			return r.tableOfValue(f, e.Args[0], s)
		}
	case "RESULT_SCAN":
		r.fail(ir.ErrorUnresolved, e.Start, "the result of an earlier query is read, whose source is not known")
		return r.outputs(e, s, f, nil)
	case "OPENQUERY", "DBLINK", "QUERY", "EXTERNAL_QUERY", "OPENDATASOURCE":
		return r.remoteQuery(e, name, s, f)
	case "UNNEST", "EXPLODE", "EXPLODE_OUTER", "POSEXPLODE", "POSEXPLODE_OUTER", "INLINE", "INLINE_OUTER", "STACK", "ARRAYJOIN", "FLATTEN":
		return r.generator(e, name, s, nil, f.Ordinality)
	}
	return r.outputs(e, s, f, nil)
}

// tableOfValue is TABLE(x): a nested function, a collection column, or a name.
func (r *resolver) tableOfValue(f *ir.From, a *ir.Expr, s *scope) *relation {
	if a.Kind == ir.ExprCall {
		return r.functionRelation(f, a, callName(a), s)
	}
	if a.Kind == ir.ExprLiteral && a.IsString {
		return r.byText(a.Text)
	}
	if a.Kind == ir.ExprTableArg {
		return r.tableArg(a, s)
	}
	if a.Kind == ir.ExprParam {
		return r.computedName(a, s)
	}
	return r.unnest(&ir.From{Kind: ir.FromUnnest, Span: a.Span, Args: []*ir.Expr{a}, Alias: f.Alias}, s).rel
}

// namedTable is a function that only names a table: IDENTIFIER, a parameterised
// view, ClickHouse's remote and cluster functions over local names.
func (r *resolver) namedTable(e *ir.Expr, name string, s *scope) *relation {
	if name == "IDENTIFIER" && len(e.Args) == 1 {
		return r.computedName(e.Args[0], s)
	}
	if len(e.Args) == 1 && name == "TABLE" && e.Args[0].Kind == ir.ExprTableArg {
		return nil
	}
	if (name == "STREAM" || name == "TABLE_CHANGES") && len(e.Args) > 0 {
		switch a := e.Args[0]; {
		case a.Kind == ir.ExprColumn:
			return r.catalogOrCTE(ir.Name{Parts: a.Name, Span: a.Span}, s)
		case a.Kind == ir.ExprLiteral && a.IsString:
			return r.byText(a.Text)
		case a.Kind == ir.ExprTableArg:
			return r.tableArg(a, s)
		}
	}
	if r.d.name == "clickhouse" {
		n := ir.Name{Parts: e.Name, Span: e.Span}
		if parts := r.catalog.path(n); r.catalog.exists(parts) {
			return r.catalog.lookupParts(parts).rel
		}
		return r.clusterTable(e, name)
	}
	return nil
}

// computedName is a table named by a text: constant, or not known.
func (r *resolver) computedName(a *ir.Expr, s *scope) *relation {
	if t := r.constant(a, s); t != nil {
		return r.byText(*t)
	}
	if a.Kind == ir.ExprColumn {
		// IDENTIFIER(name) without quotes.
		return r.catalog.lookup(ir.Name{Parts: a.Name, Span: a.Span}).rel
	}
	r.fail(ir.ErrorUnresolved, a.Start, "the name of a table is computed: %s", r.text(a.Span))
	return r.unknownRows()
}

// unknownRows is a relation of which nothing is known: any column may be in it, and
// has no source.
func (r *resolver) unknownRows() *relation {
	return &relation{make: func(id ir.Ident, key string) *value { return r.newValue(r.shown(id), key, id.Start) }}
}

// byText is the table that a dotted text names.
func (r *resolver) byText(t string) *relation {
	return r.catalog.lookup(nameFromText(t)).rel
}

// nameFromText reads a dotted name with quotes in it.
func nameFromText(t string) ir.Name {
	var n ir.Name
	for len(t) > 0 {
		var id ir.Ident
		if q := t[0]; q == '"' || q == '`' || q == '[' {
			end := byte(q)
			if q == '[' {
				end = ']'
			}
			if i := strings.IndexByte(t[1:], end); i >= 0 {
				id = ir.Ident{Name: t[1 : i+1], Quote: q}
				t = strings.TrimPrefix(t[i+2:], ".")
				n.Parts = append(n.Parts, id)
				continue
			}
		}
		part, rest, _ := strings.Cut(t, ".")
		n.Parts = append(n.Parts, ir.Ident{Name: strings.TrimSpace(part)})
		t = rest
	}
	return n
}

// tableArg is a table given to a function.
func (r *resolver) tableArg(a *ir.Expr, s *scope) *relation {
	f, ok := a.More.(*ir.From)
	if !ok {
		if a.Query != nil {
			return r.query(a.Query, s)
		}
		return &relation{}
	}
	src := r.elementOf(f, &scope{parent: s, ctes: s.ctes, rel: s.rel})
	if src == nil {
		return &relation{}
	}
	return src.rel
}

// windowTable is a windowing table function: the columns of its input and
// window_start, window_end and window_time out of the time column.
func (r *resolver) windowTable(e *ir.Expr, name string, s *scope) *relation {
	switch name {
	case "TUMBLE", "HOP", "CUMULATE", "SESSION":
	default:
		return nil
	}
	var input *relation
	var times []*ir.Expr
	for _, a := range e.Args {
		if a.Kind == ir.ExprNamedArg {
			a = a.Args[0]
		}
		switch {
		case a.Kind == ir.ExprTableArg:
			input = r.tableArg(a, s)
		case a.Kind == ir.ExprCall && callName(a) == "DESCRIPTOR":
			times = a.Args
		case a.Kind == ir.ExprColumn && input == nil && len(times) == 0:
			input = r.catalogOrCTE(ir.Name{Parts: a.Name, Span: a.Span}, s)
		}
	}
	if input == nil {
		return nil
	}
	rel := &relation{deps: []*relation{input}}
	rel.cols = append(rel.cols, input.cols...)
	in := &scope{ctes: s.ctes, rel: rel}
	in.addSource(&source{rel: input, alias: "\x00"})
	for _, n := range [...]string{"window_start", "window_end", "window_time"} {
		v := r.newValue(n, n, e.Start)
		for _, t := range times {
			r.walk(t, in, flow{out: v, conds: &v.conds, pass: passTransform})
		}
		rel.cols = append(rel.cols, v)
	}
	return rel
}

func (r *resolver) catalogOrCTE(n ir.Name, s *scope) *relation {
	if len(n.Parts) == 1 {
		if rel := r.oneName(n.Parts[0], s); rel != nil {
			return rel
		}
	}
	return r.catalog.lookup(n).rel
}

// argument evaluates all arguments of a table function into one value.
func (r *resolver) argument(args []*ir.Expr, s *scope, at int32) *value {
	v := r.newValue("", "", at)
	for _, a := range args {
		if a.Kind == ir.ExprTableArg {
			rel := r.tableArg(a, s)
			r.depend(s, rel)
			for _, c := range rel.cols {
				if c.star != nil {
					c = r.wholeOf(c.star)
				}
				v.direct(c, passTransform)
			}
			continue
		}
		r.walk(a, s, flow{out: v, conds: &v.conds, pass: passTransform})
	}
	return v
}

// outputs is a table function of unknown inside: each output may hold each input.
func (r *resolver) outputs(e *ir.Expr, s *scope, f *ir.From, names []string) *relation {
	all := r.argument(e.Args, s, e.Start)
	rel := &relation{}
	if defs := e.CallOf().Columns; len(defs) > 0 {
		r.declared(rel, defs, all)
		return rel
	}
	if len(names) == 0 {
		names = r.knownOutputs(callName(e), f)
	}
	for _, n := range names {
		shown := r.shown(ir.Ident{Name: n})
		v := r.newValue(shown, r.columnKey(shown), e.Start)
		if !counter(n) {
			v.direct(all, passIdentity)
		}
		rel.add(v)
	}
	if len(names) > 0 {
		rel.scalar = len(names) == 1 && r.d.aliasIsRow
		return rel
	}
	inputs := r.inputTables(e.Args, s)
	rel.weak = len(inputs) == 0
	rel.make = func(id ir.Ident, key string) *value {
		for _, in := range inputs {
			if in.holds(key) > holdsWeak {
				return r.columnOf(in, id, key)
			}
		}
		v := r.newValue(r.shown(id), key, id.Start)
		v.direct(all, passIdentity)
		return v
	}
	return rel
}

// inputTables are the tables and queries among a function's arguments: it hands
// their columns on under their names.
func (r *resolver) inputTables(args []*ir.Expr, s *scope) []*relation {
	var out []*relation
	for _, a := range args {
		if a.Kind == ir.ExprNamedArg {
			a = a.Args[0]
		}
		switch {
		case a.Kind == ir.ExprTableArg:
			out = append(out, r.tableArg(a, s))
		case a.Kind == ir.ExprSubquery:
			out = append(out, r.subquery(a.Query, s))
		}
	}
	return out
}

// declared makes the columns that JSON_TABLE, OPENJSON and XMLTABLE declare.
func (r *resolver) declared(rel *relation, defs []ir.ColumnDef, all *value) {
	for _, d := range defs {
		if len(d.Fields) > 0 && !d.Name.Set() {
			r.declared(rel, d.Fields, all)
			continue
		}
		shown := r.shown(d.Name)
		v := r.newValue(shown, r.columnKey(shown), d.Name.Start)
		if !d.Ordinality {
			v.direct(all, passIdentity)
		}
		rel.add(v)
	}
}

// counter reports outputs that only number rows.
func counter(n string) bool {
	switch strings.ToLower(n) {
	case "index", "seq", "pos", "ordinality", "ordinal":
		return true
	}
	return false
}

// knownOutputs lists the columns of well-known table functions.
func (r *resolver) knownOutputs(name string, f *ir.From) []string {
	switch name {
	case "NUMBERS", "NUMBERS_MT", "ZEROS":
		return []string{"number"}
	case "GENERATE_SERIES", "GENERATESERIES":
		if r.d.name == "tsql" {
			return []string{"value"}
		}
		if f.Alias.Set() {
			return []string{f.Alias.Name}
		}
		return []string{"generate_series"}
	case "RANGE":
		if r.d.name == "duckdb" {
			return []string{"range"}
		}
		return []string{"id"}
	case "SPLIT_TO_TABLE", "STRTOK_SPLIT_TO_TABLE":
		return []string{"seq", "index", "value"}
	case "STRING_SPLIT":
		return []string{"value", "ordinal"}
	case "OPENJSON", "JSON_EACH", "JSONB_EACH", "JSON_EACH_TEXT", "JSONB_EACH_TEXT", "VARIANT_EXPLODE":
		return []string{"key", "value", "type", "pos"}
	case "JSONB_ARRAY_ELEMENTS", "JSON_ARRAY_ELEMENTS", "JSONB_ARRAY_ELEMENTS_TEXT", "JSON_ARRAY_ELEMENTS_TEXT",
		"REGEXP_SPLIT_TO_TABLE", "STRING_TO_TABLE", "JSONB_OBJECT_KEYS", "JSON_OBJECT_KEYS", "REGEXP_MATCHES":
		if f.Alias.Set() {
			return []string{f.Alias.Name, "value"}
		}
		return []string{strings.ToLower(name), "value"}
	}
	return nil
}

// unnest is UNNEST(a, b): each array its own output; arrays of structs give their
// fields.
func (r *resolver) unnest(f *ir.From, s *scope) *source {
	src := &source{at: f.Start, alias: r.aliasOr(f.Alias, "unnest")}
	call := &ir.Expr{Kind: ir.ExprCall, Span: f.Span, Name: []ir.Ident{{Name: "UNNEST"}}, Args: f.Args}
	rel := r.generator(call, "UNNEST", s, nil, f.Ordinality)
	names := f.Columns
	if len(names) == 0 {
		for _, d := range f.Defs {
			names = append(names, d.Name)
		}
	}
	if len(names) > 0 {
		out := &relation{deps: []*relation{rel}}
		r.nameOutputs(out, rel, names, len(f.Args), f.Ordinality)
		src.rel = out
		return src
	}
	src.rel = rel
	if len(rel.cols) > 0 && len(f.Args) == 1 {
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
			for _, c := range rel.cols {
				v.direct(c, passIdentity)
			}
		}
		out.add(v)
	}
}

// generator evaluates a row-generating function: UNNEST, explode and their kin. The
// result has one column for each array; names come from names or the dialect.
func (r *resolver) generator(e *ir.Expr, name string, s *scope, names []ir.Ident, ordinality bool) *relation {
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
		rel = r.generator(&ir.Expr{Kind: ir.ExprCall, Span: f.Func.Span, Name: f.Func.Name, Args: f.Func.Args[:min(1, len(f.Func.Args))]}, name, s, f.Columns, false)
	case "STACK", "POSEXPLODE", "POSEXPLODE_OUTER", "EXPLODE", "EXPLODE_OUTER", "INLINE", "INLINE_OUTER":
		rel = r.generator(f.Func, name, s, f.Columns, false)
	case "FLATTEN":
		src.rel = r.generator(f.Func, name, s, nil, false)
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
	shown := r.shown(f.Offset)
	v := r.newValue(shown, r.columnKey(shown), f.Offset.Start)
	rel := extended(src.rel, v)
	rel.make, rel.weak, rel.scalar = src.rel.make, src.rel.weak, src.rel.scalar
	return &source{rel: rel, alias: src.alias, path: src.path, at: src.at}
}

// arrayJoin is ClickHouse's ARRAY JOIN: without an alias the array's name becomes
// the element's.
func (r *resolver) arrayJoin(f *ir.From, s *scope) *source {
	rel := &relation{}
	for i := range f.Items {
		it := &f.Items[i]
		shown := ""
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
