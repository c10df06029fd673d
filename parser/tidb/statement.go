package tidb

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/tributary-data/tributary/parser/ir"
)

// statement lowers a statement. False means that our grammar reads it better.
func (l *lowering) statement(n ast.StmtNode) (ir.Node, bool) {
	switch n := n.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		return &ir.QueryStmt{Query: l.query(n)}, true
	case *ast.InsertStmt:
		return l.insert(n), true
	case *ast.UpdateStmt:
		return l.update(n), true
	case *ast.DeleteStmt:
		return l.delete(n), true
	case *ast.NonTransactionalDMLStmt:
		return l.statement(n.DMLStmt)
	case *ast.LoadDataStmt:
		return l.load(n), true
	case *ast.ImportIntoStmt:
		return l.importInto(n), true
	case *ast.ExplainStmt:
		return &ir.Explain{}, true
	case *ast.ProcedureInfo, *ast.ProcedureBlock:
		return nil, false
	}
	return l.definition(n)
}

// definition lowers DDL and the statements of the session.
func (l *lowering) definition(n ast.StmtNode) (ir.Node, bool) {
	switch n := n.(type) {
	case *ast.CreateTableStmt:
		return l.createTable(n), true
	case *ast.CreateViewStmt:
		return l.createView(n), true
	case *ast.DropTableStmt:
		object := ir.ObjectTable
		if n.IsView {
			object = ir.ObjectView
		}
		return &ir.Drop{Object: object, Names: l.names(n.Tables), Temporary: n.TemporaryKeyword == ast.TemporaryLocal}, true
	case *ast.RenameTableStmt:
		r := &ir.RenameStmt{Object: ir.ObjectTable}
		for _, p := range n.TableToTables {
			r.Pairs = append(r.Pairs, ir.RenamePair{From: l.name(p.OldTable), To: l.name(p.NewTable)})
		}
		return r, true
	case *ast.TruncateTableStmt:
		return &ir.Truncate{Names: []ir.Name{l.name(n.Table)}}, true
	case *ast.AlterTableStmt:
		return l.alter(n), true
	case *ast.UseStmt:
		return &ir.Use{Object: ir.ObjectSchema, Name: ir.Name{Parts: []ir.Ident{{Name: n.DBName, Start: l.base}}}}, true
	case *ast.SetStmt:
		return l.set(n), true
	case *ast.PrepareStmt, *ast.ExecuteStmt, *ast.CallStmt:
		return l.program(n)
	}
	return &ir.Other{Verb: "other"}, true
}

func (l *lowering) program(n ast.StmtNode) (ir.Node, bool) {
	switch n := n.(type) {
	case *ast.PrepareStmt:
		p := &ir.Prepare{Name: n.Name}
		if n.SQLVar != nil {
			p.SQL = l.expr(n.SQLVar)
		} else {
			p.SQL = l.newExpr(ir.Expr{Kind: ir.ExprLiteral, IsString: true, Text: n.SQLText, Span: ir.Span{Start: l.base, End: l.base}})
		}
		return p, true
	case *ast.ExecuteStmt:
		return &ir.Execute{Prepared: n.Name}, true
	case *ast.CallStmt:
		c := &ir.CallStmt{}
		if n.Procedure != nil {
			c.Name.Parts = []ir.Ident{l.ident(n.Procedure.FnName)}
			c.Args = l.exprs(n.Procedure.Args)
		}
		return c, true
	}
	return nil, false
}

func (l *lowering) set(n *ast.SetStmt) *ir.Set {
	s := &ir.Set{}
	for _, v := range n.Variables {
		name := v.Name
		if !v.IsSystem {
			name = "@" + name
		}
		item := ir.SetItem{Names: []string{name}}
		if v.Value != nil {
			item.Values = []*ir.Expr{l.expr(v.Value)}
		}
		s.Items = append(s.Items, item)
	}
	return s
}

func (l *lowering) insert(n *ast.InsertStmt) *ir.Insert {
	into := &ir.InsertInto{Span: l.span(n)}
	if n.Table != nil && n.Table.TableRefs != nil {
		if from := l.join(n.Table.TableRefs); len(from) > 0 {
			into.Target = ir.Target{Name: from[0].Name, Span: from[0].Span, Alias: from[0].Alias}
		}
	}
	switch {
	case n.Setlist:
		for i, c := range n.Columns {
			if len(n.Lists) == 1 && i < len(n.Lists[0]) {
				into.Set = append(into.Set, ir.Assignment{Columns: []ir.Name{l.columnName(c)}, Value: l.expr(n.Lists[0][i])})
			}
		}
	default:
		into.Columns = l.columnsRoom(len(n.Columns))
		for _, c := range n.Columns {
			into.Columns = append(into.Columns, ir.InsertColumn{Name: l.columnName(c)})
		}
		if n.Select != nil {
			into.Query = l.query(n.Select)
		} else {
			into.Query = l.values(n.Lists)
		}
	}
	for _, a := range n.OnDuplicate {
		into.OnConflict = append(into.OnConflict, l.assignment(a))
	}
	return &ir.Insert{Into: []*ir.InsertInto{into}}
}

// values lowers VALUES rows; those of literals alone beyond the first say nothing.
func (l *lowering) values(lists [][]ast.ExprNode) *ir.Query {
	v := &ir.Values{}
	for i, row := range lists {
		if i > 0 && literals(row) {
			continue
		}
		v.Rows = append(v.Rows, l.exprs(row))
	}
	return &ir.Query{Span: ir.Span{Start: l.base, End: l.base}, Values: v}
}

func literals(row []ast.ExprNode) bool {
	for _, e := range row {
		switch e.(type) {
		case ast.ValueExpr, *ast.DefaultExpr:
		default:
			return false
		}
	}
	return true
}

func (l *lowering) assignment(a *ast.Assignment) ir.Assignment {
	return ir.Assignment{Span: l.span(a), Columns: []ir.Name{l.columnName(a.Column)}, Value: l.expr(a.Expr)}
}

func (l *lowering) assignments(list []*ast.Assignment) []ir.Assignment {
	out := make([]ir.Assignment, len(list))
	for i, a := range list {
		out[i] = l.assignment(a)
	}
	return out
}

func (l *lowering) update(n *ast.UpdateStmt) *ir.Update {
	u := &ir.Update{With: l.with(n.With)}
	if n.TableRefs != nil && n.TableRefs.TableRefs != nil {
		u.Tables = l.join(n.TableRefs.TableRefs)
	}
	u.Set = l.assignments(n.List)
	u.Where = l.expr(n.Where)
	u.OrderBy = l.orderBy(n.Order)
	return u
}

func (l *lowering) delete(n *ast.DeleteStmt) *ir.Delete {
	d := &ir.Delete{With: l.with(n.With)}
	if n.Tables != nil {
		d.Targets = l.names(n.Tables.Tables)
	}
	if n.TableRefs != nil && n.TableRefs.TableRefs != nil {
		d.From = l.join(n.TableRefs.TableRefs)
	}
	d.Where = l.expr(n.Where)
	d.OrderBy = l.orderBy(n.Order)
	return d
}

func (l *lowering) load(n *ast.LoadDataStmt) *ir.Transfer {
	return &ir.Transfer{
		To: ir.Target{Name: l.name(n.Table)}, From: ir.Target{Path: n.Path},
		Columns: l.loadColumns(n.ColumnsAndUserVars), Set: l.assignments(n.ColumnAssignments),
	}
}

func (l *lowering) importInto(n *ast.ImportIntoStmt) *ir.Transfer {
	t := &ir.Transfer{
		To: ir.Target{Name: l.name(n.Table)}, From: ir.Target{Path: n.Path},
		Columns: l.loadColumns(n.ColumnsAndUserVars), Set: l.assignments(n.ColumnAssignments),
	}
	if n.Select != nil {
		t.Query = l.query(n.Select)
	}
	return t
}

func (l *lowering) loadColumns(list []*ast.ColumnNameOrUserVar) []ir.InsertColumn {
	out := make([]ir.InsertColumn, 0, len(list))
	for _, c := range list {
		if c.UserVar != nil {
			out = append(out, ir.InsertColumn{Var: "@" + c.UserVar.Name})
		} else {
			out = append(out, ir.InsertColumn{Name: l.columnName(c.ColumnName)})
		}
	}
	return out
}

func (l *lowering) createTable(n *ast.CreateTableStmt) *ir.CreateTable {
	t := &ir.CreateTable{
		Object: ir.ObjectTable, Name: l.name(n.Table), IfNotExists: n.IfNotExists,
		Temporary: n.TemporaryKeyword == ast.TemporaryLocal || n.TemporaryKeyword == ast.TemporaryGlobal,
		Columns:   l.columnDefs(n.Cols),
	}
	if n.ReferTable != nil {
		t.Like = []ir.Name{l.name(n.ReferTable)}
	}
	if n.Select != nil {
		t.As = l.query(n.Select)
	}
	return t
}

func (l *lowering) columnDefs(list []*ast.ColumnDef) []ir.ColumnDef {
	out := make([]ir.ColumnDef, 0, len(list))
	for _, c := range list {
		d := ir.ColumnDef{Name: l.ident(c.Name.Name)}
		if c.Tp != nil {
			d.Type = c.Tp.String()
		}
		for _, o := range c.Options {
			if o.Tp == ast.ColumnOptionGenerated {
				d.Computed = l.expr(o.Expr)
			}
		}
		out = append(out, d)
	}
	return out
}

func (l *lowering) createView(n *ast.CreateViewStmt) *ir.CreateView {
	v := &ir.CreateView{Name: l.name(n.ViewName), OrReplace: n.OrReplace, Query: l.query(n.Select)}
	for _, c := range n.Cols {
		v.Columns = append(v.Columns, ir.ColumnDef{Name: l.ident(c)})
	}
	return v
}

// alter lowers what ALTER TABLE does to names, columns and rows.
func (l *lowering) alter(n *ast.AlterTableStmt) ir.Node {
	a := &ir.Alter{Object: ir.ObjectTable, Name: l.name(n.Table)}
	for _, s := range n.Specs {
		switch s.Tp {
		case ast.AlterTableRenameTable:
			return &ir.RenameStmt{Object: ir.ObjectTable, Pairs: []ir.RenamePair{{From: a.Name, To: l.name(s.NewTable)}}}
		case ast.AlterTableAddColumns:
			for _, c := range s.NewColumns {
				a.Actions = append(a.Actions, ir.AlterAction{Kind: ir.AlterAddColumn, Column: l.ident(c.Name.Name)})
			}
		case ast.AlterTableDropColumn:
			a.Actions = append(a.Actions, ir.AlterAction{Kind: ir.AlterDropColumn, Column: l.ident(s.OldColumnName.Name)})
		case ast.AlterTableRenameColumn:
			a.Actions = append(a.Actions, ir.AlterAction{Kind: ir.AlterRenameColumn,
				Column: l.ident(s.OldColumnName.Name), NewColumn: l.ident(s.NewColumnName.Name)})
		case ast.AlterTableChangeColumn:
			if len(s.NewColumns) == 1 {
				a.Actions = append(a.Actions, ir.AlterAction{Kind: ir.AlterRenameColumn,
					Column: l.ident(s.OldColumnName.Name), NewColumn: l.ident(s.NewColumns[0].Name.Name)})
			}
		case ast.AlterTableExchangePartition:
			a.Actions = append(a.Actions, ir.AlterAction{Kind: ir.AlterExchange, Table: l.name(s.NewTable)})
		}
	}
	return a
}
