package resolve

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// block resolves a body: the statements of all its branches.
func (r *resolver) block(s *ir.Statement, b *ir.Block) {
	if b.Text {
		defer r.apart(nil)()
	}
	if b.Scope {
		r.vars = newVariables(r.vars)
		defer func() { r.vars = r.vars.parent }()
	}
	if b.Counter.Set() {
		r.vars = newVariables(r.vars)
		r.vars.set(b.Counter.Name, &variable{})
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
			return x.rel
		}
	case n.Dynamic != nil:
		if rel, ok := r.dynamicRows(n.Dynamic, n.Using); ok {
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
		rel := r.query(n.Query, nil)
		r.noteReads(rel)
		r.gives(rel)
		return
	}
	if n.Expr != nil {
		r.givesValue(n.Expr)
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
	r.createdFrom(t, rel, nil)
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
	if len(it.Names) == 1 && len(it.Values) == 1 && it.Values[0] != nil {
		if x := r.vars.find(paramName(it.Names[0])); x != nil && x.resultSet {
			r.setRows(x, it.Values[0])
			return
		}
	}
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
	values := it.Values
	if len(values) == 1 && values[0] != nil && values[0].Kind == ir.ExprTuple && len(values[0].Args) >= len(it.Names) {
		values = values[0].Args
	}
	for i, n := range it.Names {
		if i >= len(values) || values[i] == nil {
			continue
		}
		e := values[i]
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
		r.vars = newVariables(r.vars)
		for i := range d.Columns {
			r.vars.set(d.Columns[i].Name.Name, &variable{})
		}
		rel := r.query(d.Cursor, nil)
		r.vars = r.vars.parent
		r.noteAll(rel)
		r.vars.set(d.Name, &variable{rel: rel, v: r.row(rel, d.Start)})
	case d.CursorOf != "":
		r.cursorOf(d)
	case strings.EqualFold(d.Type, "RESULTSET"):
		x := &variable{resultSet: true}
		if d.Default != nil {
			r.setRows(x, d.Default)
		}
		r.vars.set(d.Name, x)
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

// setRows gives a result set the rows of a query or of dynamic SQL.
func (r *resolver) setRows(x *variable, e *ir.Expr) {
	var rel *relation
	if e.Query != nil {
		rel = r.query(e.Query, nil)
	} else {
		rel, _ = r.dynamicRows(e, nil)
	}
	if rel == nil {
		rel = r.unknownRows()
	}
	r.noteAll(rel)
	x.rel, x.v, x.table = rel, r.row(rel, e.Start), rel
}

// cursorOf binds a cursor to the rows of a result set, which may come later, or of a
// prepared query.
func (r *resolver) cursorOf(d *ir.VarDecl) {
	x := r.vars.find(d.CursorOf)
	if p := r.prepared[varKey(d.CursorOf)]; x == nil && p != nil {
		x = &variable{}
		if p.SQL != nil {
			r.setRows(x, p.SQL)
		}
	}
	if x != nil {
		r.vars.set(d.Name, x)
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
		r.vars.set(n.Cursor, &variable{rel: rel, v: r.row(rel, 0)})
	case n.Dynamic != nil:
		if rel, ok := r.dynamicRows(n.Dynamic, n.Using); ok {
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

// procedureRename is T-SQL's sp_rename 'schema.old', 'new'; with a third argument it
// renames something inside a table.
func (r *resolver) procedureRename(n *ir.CallStmt) {
	var texts []string
	for _, a := range n.Args {
		if a.Kind == ir.ExprNamedArg {
			a = a.Args[0]
		}
		if a.Kind != ir.ExprLiteral || !a.IsString {
			return
		}
		texts = append(texts, a.Text)
	}
	if len(texts) == 3 && strings.EqualFold(texts[2], "OBJECT") {
		texts = texts[:2]
	}
	if len(texts) != 2 {
		return
	}
	from := nameFromText(texts[0])
	to := ir.Name{Parts: []ir.Ident{{Name: strings.Trim(texts[1], "[]"), Quote: '['}}}
	r.rename(&ir.RenameStmt{Object: ir.ObjectTable, Pairs: []ir.RenamePair{{From: from, To: to}}})
}

// call is a call of a procedure. Its body, if it stands in the script, gave its
// edges where it stands; its arguments may read.
func (r *resolver) call(n *ir.CallStmt) {
	if strings.EqualFold(n.Name.Last().Name, "sp_rename") {
		r.procedureRename(n)
		return
	}
	r.other(&ir.Other{Exprs: n.Args})
}
