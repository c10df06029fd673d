package resolve

import (
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
		for _, d := range f.Rare().Defs {
			names = append(names, d.Name)
		}
	}
	if len(names) == 0 {
		return rel
	}
	out := r.renamed(rel, names)
	if f.Rare().Ordinality && len(names) > 0 {
		out.cols[len(names)-1].inputs = nil
	}
	return out
}

// functionRelation finds what a table function gives.
func (r *resolver) functionRelation(f *ir.From, e *ir.Expr, name string, s *scope) *relation {
	if rel := r.givenBy(e.Name, e.Args, s); rel != nil {
		return rel
	}
	if t := r.namedTable(e, name, s); t != nil {
		return t
	}
	if rel := r.windowTable(e, name, s); rel != nil {
		return rel
	}
	if name == "QUERY" && r.d.name == "duckdb" && len(e.Args) == 1 {
		if rel, ok := r.dynamicRows(e.Args[0], nil); ok {
			return rel
		}
		return r.unknownRows()
	}
	if name == "OPENROWSET" && len(e.Args) > 2 && e.Args[0].IsString && e.Args[1].IsString {
		return r.providerRows(e, name, s, f)
	}
	if p, ok := r.foreignPlace(e, name); ok {
		if p == "" {
			return &relation{}
		}
		return r.content(r.catalog.place(p))
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
		r.failf(ir.ErrorUnresolved, e.Start, "the result of an earlier query is read, whose source is not known")
		return r.outputs(e, s, f, nil)
	case "CROSSTAB", "CROSSTAB2", "CROSSTAB3", "CROSSTAB4":
		if len(e.Args) > 0 && r.constant(e.Args[0], s) != nil {
			return r.crosstab(e, f)
		}
	case "QUERY_TABLE":
		if len(e.Args) == 1 && e.Args[0].IsString {
			return r.byText(e.Args[0].Text)
		}
	case "VECTOR_SEARCH":
		return r.vectorSearch(e, s)
	case "OPENQUERY", "DBLINK", "QUERY", "EXTERNAL_QUERY", "OPENDATASOURCE":
		return r.remoteQuery(e, name, s, f)
	case "UNNEST", "EXPLODE", "EXPLODE_OUTER", "POSEXPLODE", "POSEXPLODE_OUTER", "INLINE", "INLINE_OUTER", "STACK", "ARRAYJOIN", "FLATTEN":
		return r.generator(e, name, s, nil)
	}
	return r.outputs(e, s, f, nil)
}

// crosstab is PostgreSQL's crosstab('query') AS (name, a, b): the first column is the
// query's first, the others hold its last one, by the category before it.
func (r *resolver) crosstab(e *ir.Expr, f *ir.From) *relation {
	rows, ok := r.dynamicRows(e.Args[0], nil)
	if !ok || len(rows.cols) < 3 || rows.open() {
		return r.unknownRows()
	}
	rel := &relation{deps: []*relation{rows}}
	last := len(rows.cols) - 1
	addCondition(&rel.conds, rows.cols[last-1], steerConditional)
	for i, d := range f.Rare().Defs {
		shown := r.shown(d.Name)
		v := r.newValue(shown, r.columnKey(shown), d.Name.Start)
		if i < last-1 {
			v.direct(rows.cols[i], passIdentity)
		} else {
			v.direct(rows.cols[last], passIdentity)
		}
		rel.add(v)
	}
	return rel
}

// vectorSearch is BigQuery's VECTOR_SEARCH(TABLE base, 'column', TABLE query): a row of
// each as a struct, and how far their columns of that name are apart.
func (r *resolver) vectorSearch(e *ir.Expr, s *scope) *relation {
	inputs := r.inputTables(e.Args, s)
	if len(inputs) != 2 {
		return r.unknownRows()
	}
	rel := &relation{deps: inputs}
	distance := r.newValue("distance", "distance", e.Start)
	for i, name := range [...]string{"base", "query"} {
		row := r.row(inputs[i], e.Start)
		row.name, row.key = name, name
		rel.add(row)
		if len(e.Args) > 1 && e.Args[1].IsString && inputs[i].holds(r.columnKey(e.Args[1].Text)) != holdsNo {
			id := ir.Ident{Name: e.Args[1].Text, Start: e.Start}
			distance.direct(r.columnOf(inputs[i], id, r.identKey(id)), passTransform)
		}
	}
	rel.add(distance)
	return rel
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
		return r.tableOfParameter(a, s)
	}
	return r.unnest(&ir.From{Kind: ir.FromUnnest, Span: a.Span, Alias: f.Alias, More: &ir.FromMore{Args: []*ir.Expr{a}}}, s).rel
}

// tableOfParameter is TABLE($x): the rows or the table that a variable of the script
// names. A placeholder that the script does not set stands for a table of its name.
func (r *resolver) tableOfParameter(a *ir.Expr, s *scope) *relation {
	x := r.vars.find(paramName(a.Text))
	switch {
	case x == nil:
		return r.content(r.catalog.lookup(ir.Name{Parts: []ir.Ident{{Name: a.Text, Start: a.Start}}, Span: a.Span}))
	case x.table != nil:
		return x.table
	}
	return r.computedName(a, s)
}

// providerRows is OPENROWSET('provider', 'place', object or query): the last argument
// says what is read.
func (r *resolver) providerRows(e *ir.Expr, name string, s *scope, f *ir.From) *relation {
	last := e.Args[len(e.Args)-1]
	if last.Kind == ir.ExprColumn {
		return r.content(r.catalog.lookup(ir.Name{Parts: last.Name, Span: last.Span}))
	}
	return r.remoteQuery(e, name, s, f)
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
			return r.content(r.catalog.lookupParts(parts))
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
		return r.content(r.catalog.lookup(ir.Name{Parts: a.Name, Span: a.Span}))
	}
	r.failf(ir.ErrorUnresolved, a.Start, "the name of a table is computed: %s", r.text(a.Span))
	return r.unknownRows()
}

// unknownRows is a relation of which nothing is known: any column may be in it, and
// has no source.
func (r *resolver) unknownRows() *relation {
	return &relation{make: func(id ir.Ident, key string) *value { return r.newValue(r.shown(id), key, id.Start) }}
}

// byText is the table that a dotted text names.
func (r *resolver) byText(t string) *relation {
	return r.content(r.catalog.lookup(nameFromText(t)))
}

// nameFromText reads a dotted name with quotes in it.
func nameFromText(t string) ir.Name {
	var n ir.Name
	for len(t) > 0 {
		var id ir.Ident
		if q := t[0]; q == '"' || q == '`' || q == '[' {
			end := q
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
	return r.content(r.catalog.lookup(n))
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
		switch a.Kind {
		case ir.ExprTableArg:
			out = append(out, r.tableArg(a, s))
		case ir.ExprSubquery:
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
		if f.Alias.Set() && r.d.name != "clickhouse" {
			return []string{f.Alias.Name}
		}
		return []string{"generate_series"}
	case "RANGE":
		if r.d.name == "duckdb" {
			return []string{"range"}
		}
		return []string{"id"}
	case "XMLTABLE":
		if r.d.name == "oracle" {
			return []string{"column_value"}
		}
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
