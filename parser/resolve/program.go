package resolve

import (
	"strconv"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// variable is a script's or body's variable: a value, the rows of a record or
// cursor, or a table variable.
type variable struct {
	v *value
	// rel is what was read to give the value: who uses the variable depends on it.
	rel *relation
	// table marks rows that can stand in FROM (a trigger's transition tables).
	table *relation
	// cursor is the query of a cursor.
	cursor *ir.Query
}

// variables are those of one body, inside those around it.
type variables struct {
	parent *variables
	byName map[string]*variable
}

func newVariables(parent *variables) *variables { return &variables{parent: parent} }

// any reports whether any variable is known.
func (v *variables) any() bool {
	for ; v != nil; v = v.parent {
		if len(v.byName) > 0 {
			return true
		}
	}
	return false
}

func varKey(name string) string { return strings.ToLower(strings.Trim(name, "`\"")) }

func (v *variables) find(name string) *variable {
	if v == nil {
		return nil
	}
	key := varKey(name)
	for ; v != nil; v = v.parent {
		if x := v.byName[key]; x != nil {
			return x
		}
	}
	return nil
}

func (v *variables) set(name string, x *variable) {
	if v.byName == nil {
		v.byName = map[string]*variable{}
	}
	v.byName[varKey(name)] = x
}

// rows gives the rows that a name stands for in FROM.
func (v *variables) rows(key string) *relation {
	if x := v.find(key); x != nil && x.table != nil {
		return x.table
	}
	return nil
}

// variable gives the value of a variable of that name, and makes what is built
// depend on what the variable was read from.
func (r *resolver) variable(s *scope, id ir.Ident) *value {
	if id.Quote != 0 && id.Quote != '`' && id.Quote != '"' {
		return nil
	}
	return r.useVariable(s, r.vars.find(id.Name), id.Start)
}

func (r *resolver) useVariable(s *scope, x *variable, at int32) *value {
	if x == nil || x.table != nil && x.v == nil {
		return nil
	}
	if x.rel != nil {
		r.depend(s, x.rel)
	}
	if x.v == nil {
		return r.newValue("", "", at)
	}
	return x.v
}

// variableOf is the variable that an expression names, if it names one.
func (r *resolver) variableOf(e *ir.Expr, s *scope) *value {
	switch {
	case e.Kind == ir.ExprParam:
		if x := r.vars.find(paramName(e.Text)); x != nil {
			return r.useVariable(s, x, e.Start)
		}
	case e.Kind == ir.ExprColumn && len(e.Name) == 1:
		return r.variable(s, e.Name[0])
	}
	return nil
}

// paramName takes the sign off a placeholder: `:x`, `$x`, `${x}` and `{{ x }}` name
// x; `@x` keeps its sign.
func paramName(text string) string {
	switch {
	case strings.HasPrefix(text, "@"):
		return text
	case strings.HasPrefix(text, "${"), strings.HasPrefix(text, "{{"):
		return strings.TrimSpace(strings.Trim(text, "${}"))
	}
	return strings.TrimLeft(text, ":$&")
}

// parameter is a placeholder used as a value: a variable of the script, the row of
// a trigger, a field of a staged file, or something from outside, without source.
func (r *resolver) parameter(e *ir.Expr, s *scope) *value {
	text := e.Text
	if strings.HasPrefix(text, "$") && len(text) > 1 && text[1] >= '0' && text[1] <= '9' {
		return r.fileField(e, s)
	}
	name := paramName(text)
	if base, field, ok := strings.Cut(name, "."); ok && r.vars.find(base) != nil {
		v := r.useVariable(s, r.vars.find(base), e.Start)
		return r.follow(v, []ir.Ident{{Name: field, Start: e.Start}})
	}
	return r.variableOf(e, s)
}

// fileField is Snowflake's $1: a column by its position. A field of a staged file
// has no name, so it is no source.
func (r *resolver) fileField(e *ir.Expr, s *scope) *value {
	n, err := strconv.Atoi(e.Text[1:])
	if err != nil || n < 1 {
		return nil
	}
	for sc := s; sc != nil; sc = sc.parent {
		if len(sc.sources) != 1 || sc.lambda {
			continue
		}
		rel := sc.sources[0].rel
		if rel.table == nil && n <= len(rel.cols) && firstStar(rel) >= n {
			return rel.cols[n-1]
		}
	}
	return nil
}

// assign gives a variable a value. Under a condition or in a loop the old value may
// stay, so both are kept.
func (r *resolver) assign(name string, v *value, rel *relation) {
	key := paramName(name)
	old := r.vars.find(key)
	if old == nil {
		top := r.vars
		for top.parent != nil {
			top = top.parent
		}
		old = &variable{}
		top.set(key, old)
	}
	if r.conditional > 0 && old.v != nil {
		merged := r.newValue(v.name, v.key, v.at)
		merged.direct(old.v, passIdentity)
		merged.direct(v, passIdentity)
		merged.parts = v.parts
		v = merged
	}
	if rel != nil && r.conditional > 0 && old.rel != nil {
		rel = &relation{deps: []*relation{old.rel, rel}}
	}
	if rel == nil && r.conditional > 0 {
		rel = old.rel
	}
	old.v, old.rel = v, rel
}

// assignAll fills INTO variables with the columns of a row. A single record takes
// the whole row.
func (r *resolver) assignAll(into []*ir.Expr, rel *relation, _ *scope) {
	if len(into) == 1 && len(rel.cols) > 1 {
		r.assign(targetName(into[0]), r.row(rel, into[0].Start), rel)
		return
	}
	for i, e := range into {
		if i < len(rel.cols) && rel.cols[i].star == nil {
			r.assign(targetName(e), rel.cols[i], rel)
			continue
		}
		r.assign(targetName(e), r.row(rel, e.Start), rel)
	}
}

// targetName is the name of a variable that is assigned to.
func targetName(e *ir.Expr) string {
	if e.Kind == ir.ExprColumn {
		return ir.Name{Parts: e.Name}.String()
	}
	return e.Text
}

// block resolves a body: the statements of all its branches.
func (r *resolver) block(s *ir.Statement, b *ir.Block) {
	if b.Scope {
		r.vars = newVariables(r.vars)
		defer func() { r.vars = r.vars.parent }()
	}
	if len(b.Conds) > 0 {
		r.condition(s, b.Conds)
		r.conditional++
		defer func() { r.conditional-- }()
	}
	for _, x := range b.Body {
		r.statement(x)
	}
}

// condition notes what the conditions of control flow read: they steer whether
// statements run, and move nothing.
func (r *resolver) condition(s *ir.Statement, conds []*ir.Expr) {
	has := false
	for _, c := range conds {
		has = has || holdsQuery(c, 0)
	}
	if !has {
		return
	}
	r.begin(s, "if")
	rel := &relation{}
	in := &scope{rel: rel}
	for _, c := range conds {
		r.walk(c, in, flow{conds: &rel.conds, steering: true, kind: steerFilter})
	}
	r.noteAll(rel)
}

func holdsQuery(e *ir.Expr, depth int) bool {
	if e == nil || depth > 1000 {
		return false
	}
	if e.Query != nil {
		return true
	}
	for _, a := range e.Args {
		if holdsQuery(a, depth+1) {
			return true
		}
	}
	return false
}

// forLoop is a loop over rows: the record's fields carry the query's columns.
func (r *resolver) forLoop(s *ir.Statement, n *ir.For) {
	r.vars = newVariables(r.vars)
	defer func() { r.vars = r.vars.parent }()
	r.begin(s, "for")
	rel := r.loopRows(n)
	if rel == nil {
		rel = r.unknownRows()
	}
	r.noteAll(rel)
	if len(n.Vars) > 0 {
		for i, id := range n.Vars {
			x := &variable{rel: rel}
			if i < len(rel.cols) {
				x.v = rel.cols[i]
			}
			r.vars.set(id.Name, x)
		}
	}
	if n.Var.Set() {
		row := r.row(rel, n.Var.Start)
		r.vars.set(n.Var.Name, &variable{v: row, rel: rel})
	}
	r.conditional++
	for _, x := range n.Body {
		r.statement(x)
	}
	r.conditional--
}

func (r *resolver) loopRows(n *ir.For) *relation {
	switch {
	case n.Query != nil:
		return r.query(n.Query, nil)
	case n.Cursor.Set():
		if x := r.vars.find(n.Cursor.Name); x != nil {
			if x.cursor != nil {
				return r.query(x.cursor, nil)
			}
			return x.rel
		}
	case n.Dynamic != nil:
		if rel, ok := r.dynamicRows(n.Dynamic); ok {
			return rel
		}
	}
	return nil
}

// programStatement resolves declarations, assignments, cursors and calls.
func (r *resolver) programStatement(s *ir.Statement) {
	switch n := s.Node.(type) {
	case *ir.Set:
		r.set(n)
	case *ir.Declare:
		r.declare(n)
	case *ir.Open:
		r.open(n)
	case *ir.Fetch:
		r.fetch(n)
	case *ir.CallStmt:
		r.call(n)
	case *ir.Execute:
		r.execute(s, n)
	case *ir.Prepare:
		if r.prepared == nil {
			r.prepared = map[string]*ir.Prepare{}
		}
		r.prepared[varKey(n.Name)] = n
	case *ir.Return:
		r.returns(n)
	case *ir.Cache:
		r.cache(n)
	case *ir.Other:
		r.other(n)
	}
}

// other notes what a statement without lineage reads for its own value.
func (r *resolver) other(n *ir.Other) {
	for _, q := range n.Queries {
		r.noteAll(r.query(q, nil))
	}
	if len(n.Exprs) == 0 {
		return
	}
	rel := &relation{}
	in := &scope{rel: rel}
	for _, e := range n.Exprs {
		if holdsQuery(e, 0) {
			r.walk(e, in, flow{conds: &rel.conds, steering: true, kind: steerFilter})
		}
	}
	r.noteAll(rel)
}

// returns is RETURN of a query or a value: it is read.
func (r *resolver) returns(n *ir.Return) {
	if n.Query != nil {
		r.noteAll(r.query(n.Query, nil))
		return
	}
	if n.Expr != nil {
		r.other(&ir.Other{Exprs: []*ir.Expr{n.Expr}})
	}
}

// cache is CACHE TABLE t [AS query].
func (r *resolver) cache(n *ir.Cache) {
	if n.Query == nil {
		return
	}
	rel := r.query(n.Query, nil)
	t := r.newTemp(n.Name)
	r.createdFrom(t, rel, nil, nil)
}

// set assigns variables and understands the settings that move defaults.
func (r *resolver) set(n *ir.Set) {
	for i := range n.Items {
		it := &n.Items[i]
		if len(it.Names) == 1 && r.setting(it) {
			continue
		}
		r.setVariables(it)
	}
}

// setting handles a setting of the session that names mean by; it reports whether
// the item is one.
func (r *resolver) setting(it *ir.SetItem) bool {
	var part func(string)
	switch strings.ToLower(it.Names[0]) {
	case "search_path", "current_schema", "schema", "@@dataset_id":
		part = func(s string) { r.schemaName = s }
	case "current_catalog", "catalog", "current_database", "database", "@@dataset_project_id":
		part = func(s string) { r.catalogName = s }
	default:
		return false
	}
	if len(it.Values) == 0 {
		return true
	}
	e := it.Values[0]
	switch {
	case e.Kind == ir.ExprColumn && len(e.Name) == 1:
		part(r.platform.Table(e.Name[0].Name, e.Name[0].Quote != 0))
	case e.Kind == ir.ExprColumn:
		r.use(&ir.Use{Name: ir.Name{Parts: e.Name}})
	case e.Kind == ir.ExprLiteral:
		part(r.platform.Table(strings.Trim(e.Text, `"`), e.IsString && r.d.name != "postgres"))
	}
	return true
}

func (r *resolver) setVariables(it *ir.SetItem) {
	rel := &relation{}
	in := &scope{rel: rel}
	if len(it.Names) > 1 && len(it.Values) == 1 && it.Values[0].Query != nil {
		q := r.query(it.Values[0].Query, in)
		r.depend(in, q)
		for i, n := range it.Names {
			if i < len(q.cols) && q.cols[i].star == nil {
				r.assign(n, q.cols[i], rel)
			}
		}
		r.noteAll(rel)
		return
	}
	for i, n := range it.Names {
		if i >= len(it.Values) || it.Values[i] == nil {
			continue
		}
		e := it.Values[i]
		if e.Kind == ir.ExprTuple && i < len(e.Args) && len(it.Values) == 1 {
			e = e.Args[i]
		}
		v := r.expression(e, in, n, n)
		if len(v.inputs) == 0 && v.text == nil {
			v.setText(r.constant(e, in))
		}
		r.assign(n, v, rel)
	}
	r.noteAll(rel)
}

// declare makes variables, cursors and table variables.
func (r *resolver) declare(n *ir.Declare) {
	for i := range n.Vars {
		r.declareOne(&n.Vars[i])
	}
}

func (r *resolver) declareOne(d *ir.VarDecl) {
	switch {
	case d.IsTable:
		r.tableVariable(d)
	case d.Cursor != nil:
		rel := r.query(d.Cursor, nil)
		r.noteAll(rel)
		r.vars.set(d.Name, &variable{rel: rel, v: r.row(rel, d.Start), cursor: d.Cursor})
	case strings.EqualFold(d.Type, "RESULTSET") && d.Default != nil && d.Default.Query != nil:
		rel := r.query(d.Default.Query, nil)
		r.noteAll(rel)
		r.vars.set(d.Name, &variable{rel: rel, v: r.row(rel, d.Start), cursor: d.Default.Query, table: rel})
	default:
		rel := &relation{}
		v := r.newValue(d.Name, d.Name, d.Start)
		if d.Default != nil {
			in := &scope{rel: rel}
			v = r.expression(d.Default, in, d.Name, d.Name)
			if len(v.inputs) == 0 && v.text == nil {
				v.setText(r.constant(d.Default, in))
			}
			r.noteAll(rel)
		}
		r.vars.set(d.Name, &variable{v: v, rel: rel})
	}
}

// tableVariable is DECLARE @t TABLE (…): a session table.
func (r *resolver) tableVariable(d *ir.VarDecl) {
	n := ir.Name{Parts: []ir.Ident{{Name: d.Name, Start: d.Start}}, Span: d.Span}
	t := r.newTemp(n)
	if len(d.Columns) > 0 {
		r.declareColumns(t, &ir.CreateTable{Name: n, Columns: d.Columns, Temporary: true})
	}
}

// open binds a cursor to its query.
func (r *resolver) open(n *ir.Open) {
	switch {
	case n.Query != nil:
		rel := r.query(n.Query, nil)
		r.noteAll(rel)
		r.vars.set(n.Cursor, &variable{rel: rel, v: r.row(rel, 0), cursor: n.Query})
	case n.Dynamic != nil:
		if rel, ok := r.dynamicRows(n.Dynamic); ok {
			r.vars.set(n.Cursor, &variable{rel: rel, v: r.row(rel, 0)})
		}
	}
}

// fetch moves a cursor's columns into variables.
func (r *resolver) fetch(n *ir.Fetch) {
	x := r.vars.find(n.Cursor)
	if x == nil || x.rel == nil {
		return
	}
	r.assignAll(n.Into, x.rel, nil)
}

// call is a call of a procedure. Its body, if it stands in the script, gave its
// edges where it stands; its arguments may read.
func (r *resolver) call(n *ir.CallStmt) {
	r.other(&ir.Other{Exprs: n.Args})
}

// execute is dynamic SQL: constant text is resolved, other text reported.
func (r *resolver) execute(s *ir.Statement, n *ir.Execute) {
	if n.Prepared != "" {
		if p := r.prepared[varKey(n.Prepared)]; p != nil {
			r.runPrepared(s, p)
			return
		}
		if n.SQL == nil {
			return
		}
	}
	if n.SQL == nil {
		return
	}
	in := &scope{rel: &relation{}}
	text := r.constant(n.SQL, in)
	if text == nil {
		r.fail(ir.ErrorUnresolved, s.Start, "the text of the SQL is made at run time: %s", clip(r.text(n.SQL.Span)))
		return
	}
	if len(n.Into) > 0 {
		if rel, ok := r.dynamicRows(n.SQL); ok {
			r.noteAll(rel)
			r.assignAll(n.Into, rel, nil)
		}
		return
	}
	r.runText(s, *text)
}

func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}

func (r *resolver) runPrepared(s *ir.Statement, p *ir.Prepare) {
	if p.Body != nil {
		r.statement(p.Body)
		return
	}
	r.execute(s, &ir.Execute{SQL: p.SQL})
}

// maxDynamic bounds dynamic SQL inside dynamic SQL.
const maxDynamic = 8

// runText resolves constant SQL at the place of the statement that runs it.
func (r *resolver) runText(s *ir.Statement, text string) {
	if r.o.Parse == nil || r.dynamic >= maxDynamic {
		r.fail(ir.ErrorUnresolved, s.Start, "dynamic SQL stands in dynamic SQL more than %d deep", maxDynamic)
		return
	}
	r.dynamic++
	r.inText(s.Start, text, func(stmts []*ir.Statement) {
		for _, x := range stmts {
			r.statement(x)
		}
	})
	r.dynamic--
}

// inText runs something over the statements of another text: their places are the
// place of the statement that holds it.
func (r *resolver) inText(at int32, text string, run func([]*ir.Statement)) {
	stmts := r.o.Parse(text)
	src, was := r.src, r.at
	r.src = []byte(text)
	if r.at < 0 {
		r.at = at
	}
	run(stmts)
	r.src, r.at = src, was
}

// dynamicRows are the rows of a constant dynamic query.
func (r *resolver) dynamicRows(e *ir.Expr) (*relation, bool) {
	text := r.constant(e, &scope{rel: &relation{}})
	if text == nil || r.o.Parse == nil || r.dynamic >= maxDynamic {
		r.fail(ir.ErrorUnresolved, e.Start, "the text of the SQL is made at run time: %s", clip(r.text(e.Span)))
		return nil, false
	}
	var rel *relation
	r.dynamic++
	r.inText(e.Start, *text, func(stmts []*ir.Statement) {
		for _, x := range stmts {
			if q, ok := x.Node.(*ir.QueryStmt); ok {
				rel = r.query(q.Query, nil)
				return
			}
		}
	})
	r.dynamic--
	return rel, rel != nil
}

// executed gives the rows of a statement that an INSERT takes: a query in constant
// text, else not known.
func (r *resolver) executed(s *ir.Statement) *relation {
	switch n := s.Node.(type) {
	case *ir.Execute:
		if n.SQL != nil {
			if rel, ok := r.dynamicRows(n.SQL); ok {
				return rel
			}
			return &relation{}
		}
		if p := r.prepared[varKey(n.Prepared)]; p != nil && p.Body != nil {
			if q, ok := p.Body.Node.(*ir.QueryStmt); ok {
				return r.query(q.Query, nil)
			}
		}
	case *ir.QueryStmt:
		return r.query(n.Query, nil)
	}
	r.fail(ir.ErrorUnresolved, s.Start, "rows come from a procedure whose result is not known")
	return &relation{}
}

// routineOf resolves the body of a procedure, function, trigger or task.
func (r *resolver) routineOf(s *ir.Statement, n *ir.CreateRoutine) {
	r.begin(s, "create "+string(n.Object))
	if n.Opaque {
		if n.Object == ir.ObjectProcedure {
			r.fail(ir.ErrorUnresolved, s.Start, "the body is in %s, which is not read", n.Language)
		}
		return
	}
	r.vars = newVariables(r.vars)
	was := r.conditional
	r.conditional = 0
	isFunction := n.Object == ir.ObjectFunction
	if isFunction {
		r.function++
	}
	for i := range n.Params {
		r.declareOne(&n.Params[i])
	}
	for _, on := range r.triggerTables(n) {
		r.triggerRows(n, on)
	}
	if n.Query != nil {
		r.noteAll(r.query(n.Query, nil))
	}
	for _, x := range n.Body {
		r.statement(x)
	}
	if isFunction {
		r.function--
	}
	r.conditional = was
	r.vars = r.vars.parent
}

// triggerTables are the tables whose rows a body sees: a trigger's own, or those of
// the script's triggers that run the function.
func (r *resolver) triggerTables(n *ir.CreateRoutine) []ir.Name {
	if n.On.Set() {
		return []ir.Name{n.On}
	}
	if n.Object != ir.ObjectFunction && n.Object != ir.ObjectProcedure || !n.Name.Set() {
		return nil
	}
	return r.triggers[varKey(n.Name.Last().Name)]
}

// findTriggers notes which functions the script's triggers run, wherever they stand.
func (r *resolver) findTriggers(stmts []*ir.Statement) {
	for _, s := range stmts {
		n, ok := s.Node.(*ir.CreateRoutine)
		if !ok || !n.On.Set() || len(n.Body) != 1 {
			continue
		}
		if c, ok := n.Body[0].Node.(*ir.CallStmt); ok && c.Name.Set() {
			if r.triggers == nil {
				r.triggers = map[string][]ir.Name{}
			}
			key := varKey(c.Name.Last().Name)
			r.triggers[key] = append(r.triggers[key], n.On)
		}
	}
}

// triggerRows makes the rows of a trigger's table known: NEW and OLD as records,
// inserted and deleted as tables.
func (r *resolver) triggerRows(n *ir.CreateRoutine, on ir.Name) {
	t := r.catalog.lookup(on)
	rel := &relation{cols: t.rel.cols, deps: []*relation{t.rel}}
	row := r.row(t.rel, on.Start)
	names := []string{"new", "old"}
	for _, id := range append(append([]ir.Ident(nil), n.NewNames...), n.OldNames...) {
		names = append(names, id.Name)
	}
	if n.When != nil {
		in := &scope{rel: rel}
		in.addSource(&source{rel: t.rel, alias: r.aliasKey(ir.Ident{Name: "new"})})
		in.addSource(&source{rel: t.rel, alias: r.aliasKey(ir.Ident{Name: "old"})})
		r.walk(n.When, in, flow{conds: &rel.conds, steering: true, kind: steerFilter})
	}
	for _, x := range names {
		r.vars.set(x, &variable{v: row, rel: rel, table: t.rel})
		r.vars.set(":"+x, &variable{v: row, rel: rel})
	}
	for _, x := range [...]string{"inserted", "deleted"} {
		r.vars.set(x, &variable{table: t.rel, rel: rel})
	}
}
