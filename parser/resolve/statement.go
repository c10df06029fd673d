package resolve

import (
	"slices"

	"github.com/tributary-data/tributary/parser/ir"
)

// begin starts a leaf statement: all that follows belongs to it.
func (r *resolver) begin(s *ir.Statement, kind string) {
	span := s.Span
	if r.at >= 0 {
		span = ir.Span{Start: r.at, End: r.at}
	}
	r.current = r.mem.leaves.One()
	*r.current = statement{n: int32(len(r.mem.statements) + 1), span: span, kind: kind}
	r.mem.statements = append(r.mem.statements, r.current)
	if len(r.mem.statements)%64 == 0 {
		r.checkMemory()
	}
}

// statement resolves one statement of the script or of a body.
func (r *resolver) statement(s *ir.Statement) {
	if s == nil || s.Node == nil || r.stop() {
		return
	}
	r.depth++
	defer func() { r.depth-- }()
	switch n := s.Node.(type) {
	case *ir.Block:
		r.block(s, n)
		return
	case *ir.For:
		r.forLoop(s, n)
		return
	case *ir.CreateRoutine:
		r.routineOf(s, n)
		return
	case *ir.Explain:
		r.begin(s, "explain")
		return
	}
	r.leaf(s)
}

// leavesNothing reports statements that leave to those behind them nothing of what they
// are made of, but for what their names tell: session tables, variables.
func leavesNothing(n ir.Node) bool {
	switch n := n.(type) {
	case *ir.QueryStmt, *ir.Insert, *ir.Update, *ir.Delete, *ir.Merge, *ir.CreateView, *ir.RenameStmt, *ir.Drop, *ir.Truncate,
		*ir.Transfer, *ir.Use, *ir.Set, *ir.CallStmt, *ir.Explain, *ir.Other, *ir.Bad:
		return true
	case *ir.CreateTable:
		computed := func(d ir.ColumnDef) bool { return d.Computed != nil }
		return n.Object == ir.ObjectTable && len(n.Like) == 0 && len(n.Inherits) == 0 && !n.PartitionOf.Set() &&
			!slices.ContainsFunc(n.Columns, computed)
	}
	return false
}

// leaf resolves a statement that holds no others.
func (r *resolver) leaf(s *ir.Statement) {
	r.begin(s, kindOf(s.Node))
	switch n := s.Node.(type) {
	case *ir.Bad:
		r.failf(n.Kind, n.At, "%s", n.Message)
	case *ir.QueryStmt:
		r.queryStatement(n.Query)
	case *ir.Insert:
		r.insert(n, nil)
	case *ir.Update:
		r.update(n, nil)
	case *ir.Delete:
		r.delete(n, nil)
	case *ir.Merge:
		r.mergeInto(n, nil)
	case *ir.CreateTable:
		r.createTable(n)
	case *ir.CreateView:
		r.createView(n)
	case *ir.RenameStmt:
		r.rename(n)
	case *ir.Alter:
		r.alter(n)
	case *ir.Drop:
		r.drop(n)
	case *ir.Truncate:
		r.truncate(n)
	case *ir.Transfer:
		r.transfer(n)
	case *ir.Use:
		r.use(n)
	default:
		r.programStatement(s)
	}
}

// kindOf names a statement for people.
func kindOf(n ir.Node) string {
	switch n := n.(type) {
	case *ir.QueryStmt:
		return "select"
	case *ir.Insert:
		return "insert"
	case *ir.Update:
		return "update"
	case *ir.Delete:
		return "delete"
	case *ir.Merge:
		return "merge"
	case *ir.CreateTable:
		if n.As != nil {
			return "create table as"
		}
		return "create table"
	case *ir.CreateView:
		if n.Materialized {
			return "create materialized view"
		}
		return "create view"
	case *ir.RenameStmt:
		return "rename"
	case *ir.Alter:
		return "alter"
	case *ir.Drop:
		return "drop"
	case *ir.Truncate:
		return "truncate"
	case *ir.Transfer:
		return "transfer"
	case *ir.Use:
		return "use"
	case *ir.Set:
		return "set"
	case *ir.Bad:
		return "error"
	case *ir.Other:
		return n.Verb
	case *ir.CallStmt:
		return "call"
	case *ir.Execute:
		return "execute"
	}
	return "other"
}

// queryStatement is a query run for its result, or SELECT … INTO.
func (r *resolver) queryStatement(q *ir.Query) {
	rel := r.query(q, nil)
	if into, temporary := intoOf(q); into != nil {
		t := r.intoTarget(into, temporary)
		r.createdFrom(t, rel, nil)
		return
	}
	if r.function > 0 || len(intoVars(q)) > 0 || onlyAssigns(q) {
		r.noteAll(rel)
		return
	}
	r.gives(rel)
	r.toResult(rel)
}

// noteAll notes what a relation reads without writing it anywhere.
func (r *resolver) noteAll(rel *relation) {
	r.readAll(rel, nil)
}

// toResult hands a query's columns to <result>.
func (r *resolver) toResult(rel *relation) {
	r.emit(r.catalog.resultTable(), r.byOutput(rel), rel, false)
}

// firstSelect is the leftmost SELECT of a query.
func firstSelect(q *ir.Query) *ir.Select {
	for q != nil {
		switch {
		case q.Select != nil:
			return q.Select
		case q.SetOp != nil && len(q.SetOp.Branches) > 0:
			q = q.SetOp.Branches[0].Query
		case q.Nested != nil:
			q = q.Nested
		default:
			return nil
		}
	}
	return nil
}

func intoOf(q *ir.Query) (*ir.Target, bool) {
	if sel := firstSelect(q); sel != nil && sel.Rare().Into != nil {
		return sel.Rare().Into, sel.Rare().IntoTemporary
	}
	return nil, false
}

func intoVars(q *ir.Query) []*ir.Expr {
	if sel := firstSelect(q); sel != nil {
		return sel.Rare().IntoVars
	}
	return nil
}

// onlyAssigns reports a SELECT that only sets variables (T-SQL).
func onlyAssigns(q *ir.Query) bool {
	sel := firstSelect(q)
	if sel == nil || len(sel.Items) == 0 {
		return false
	}
	for i := range sel.Items {
		if e := sel.Items[i].Expr; e == nil || e.Kind != ir.ExprAssign {
			return false
		}
	}
	return true
}

// intoTarget is the new table of SELECT … INTO.
func (r *resolver) intoTarget(into *ir.Target, temporary bool) *Table {
	if into.Path != "" {
		return r.catalog.place(r.placeName(into.Path))
	}
	if temporary || r.hashName(into.Name) {
		return r.catalog.addTemp(into.Name)
	}
	return r.catalog.lookup(into.Name)
}

// hashName reports names that are session tables by how they begin.
func (r *resolver) hashName(n ir.Name) bool {
	if !r.d.hashTemp || !n.Set() {
		return false
	}
	last := n.Last().Name
	return last != "" && (last[0] == '#' || last[0] == '@')
}

// target finds the table that a statement writes. It is nil for what cannot be
// known.
func (r *resolver) target(t *ir.Target, s *scope) *Table {
	switch {
	case t.Path != "":
		return r.catalog.place(r.placeName(t.Path))
	case t.Func != nil:
		return r.functionTarget(t, s)
	case t.Query != nil:
		return r.baseOf(r.query(t.Query, s))
	case t.Name.Set():
		return r.namedTarget(t.Name, s)
	}
	return nil
}

// namedTarget is a table written by name; a CTE or view in the way stands for its
// base table.
func (r *resolver) namedTarget(n ir.Name, s *scope) *Table {
	if len(n.Parts) == 1 && s != nil {
		if c := s.ctes.find(r.aliasKey(n.Parts[0])); c != nil && c.rel != nil {
			if t := r.baseOf(c.rel); t != nil {
				return t
			}
		}
	}
	if r.hashName(n) && r.catalog.temp(n) == nil {
		t := r.catalog.addTemp(n)
		t.rows = &relation{}
		return t
	}
	return r.catalog.lookup(n)
}

// baseOf is the table that an updatable relation changes: the first one below it.
func (r *resolver) baseOf(rel *relation) *Table {
	for rel != nil {
		if rel.table != nil {
			return rel.table
		}
		if rel.base != nil {
			return rel.base
		}
		if len(rel.deps) == 0 {
			return nil
		}
		rel = rel.deps[0]
	}
	return nil
}

// functionTarget is INSERT INTO FUNCTION f(…), or a name given as a text.
func (r *resolver) functionTarget(t *ir.Target, s *scope) *Table {
	if s == nil {
		s = &scope{rel: &relation{}}
	}
	name := callName(t.Func)
	if name == "IDENTIFIER" && len(t.Func.Args) == 1 {
		if text := r.constant(t.Func.Args[0], s); text != nil {
			return r.catalog.lookup(nameFromText(*text))
		}
		r.failf(ir.ErrorUnresolved, t.Func.Start, "the name of the target is computed: %s", r.text(t.Func.Span))
		return nil
	}
	p, ok := r.foreignPlace(t.Func, name)
	if !ok || p == "" {
		if rel := r.namedTable(t.Func, name, s); rel != nil && rel.table != nil {
			return rel.table
		}
		return nil
	}
	place := r.catalog.place(p)
	if cols := structureColumns(t.Func); len(cols) > 0 && !place.known {
		r.catalog.setColumns(place, cols)
	}
	return place
}

// byOutput pairs a relation's columns with their own names.
func (r *resolver) byOutput(rel *relation) []pair {
	out := r.mem.pairs.Room(len(rel.cols) + 1)
	for _, c := range rel.cols {
		if c.star != nil {
			out = append(out, pair{star: r.wholeOf(c.star), of: c.star})
			continue
		}
		out = append(out, pair{shown: c.name, key: c.key, at: c.at, v: c})
	}
	if len(rel.cols) == 0 && rel.make != nil {
		s := &star{of: rel}
		out = append(out, pair{star: r.wholeOf(s), of: s})
	}
	return out
}
