package tidb

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	driver "github.com/pingcap/tidb/pkg/parser/test_driver"

	"github.com/tributary-data/tributary/parser/ir"
)

func (l *lowering) exprs(list []ast.ExprNode) []*ir.Expr {
	out := l.argsRoom(len(list))
	for _, e := range list {
		out = append(out, l.expr(e))
	}
	return out
}

// op makes an operator over operands.
func (l *lowering) op(n ast.Node, text string, args ...ast.ExprNode) *ir.Expr {
	return l.newExpr(ir.Expr{Kind: ir.ExprOp, Span: l.span(n), Text: text, Args: l.exprs(args)})
}

// call makes a function call.
func (l *lowering) call(n ast.Node, name string, args []ast.ExprNode) *ir.Expr {
	return l.newExpr(ir.Expr{Kind: ir.ExprCall, Span: l.span(n), Name: append(l.identsRoom(1), ir.Ident{Name: name}), Args: l.exprs(args)})
}

// expr lowers an expression; nil stays nil.
func (l *lowering) expr(n ast.ExprNode) *ir.Expr {
	switch n := n.(type) {
	case nil:
		return nil
	case *driver.ValueExpr:
		return l.literal(n)
	case *driver.ParamMarkerExpr:
		return l.newExpr(ir.Expr{Kind: ir.ExprParam, Span: l.span(n), Text: "?"})
	case *ast.ColumnNameExpr:
		span := l.span(n)
		return l.newExpr(ir.Expr{Kind: ir.ExprColumn, Span: span, Name: l.columnName(n.Name).Parts})
	case *ast.BinaryOperationExpr:
		return l.binary(n)
	case *ast.ParenthesesExpr:
		return l.expr(n.Expr)
	case *ast.PositionExpr: // GROUP BY 1
		if n.P != nil {
			return l.expr(n.P)
		}
		return l.newExpr(ir.Expr{Kind: ir.ExprLiteral, Span: l.span(n), Text: strconv.Itoa(n.N)})
	case *ast.VariableExpr:
		return l.variable(n)
	case *ast.CaseExpr:
		return l.caseOf(n)
	case *ast.SubqueryExpr:
		return l.newExpr(ir.Expr{Kind: ir.ExprSubquery, Span: l.span(n), Query: l.query(n.Query)})
	}
	if e := l.function(n); e != nil {
		return e
	}
	return l.predicate(n)
}

// function lowers calls of all kinds.
func (l *lowering) function(n ast.ExprNode) *ir.Expr {
	switch n := n.(type) {
	case *ast.FuncCallExpr:
		return l.call(n, n.FnName.O, n.Args)
	case *ast.FuncCastExpr:
		e := l.newExpr(ir.Expr{Kind: ir.ExprCast, Span: l.span(n), Args: append(l.argsRoom(1), l.expr(n.Expr))})
		if n.Tp != nil {
			e.Text = n.Tp.String()
		}
		return e
	case *ast.AggregateFuncExpr:
		e := l.call(n, n.F, n.Args)
		c := l.newCall(ir.Call{Distinct: n.Distinct, OrderBy: l.orderBy(n.Order)})
		if strings.EqualFold(n.F, "count") && len(e.Args) == 1 && e.Args[0].Kind == ir.ExprLiteral {
			c.Star = true
		}
		e.More = c
		return e
	case *ast.WindowFuncExpr:
		e := l.call(n, n.Name, n.Args)
		e.More = l.newCall(ir.Call{Distinct: n.Distinct, Over: l.window(&n.Spec, true)})
		return e
	case *ast.ValuesExpr:
		e := l.newExpr(ir.Expr{Kind: ir.ExprCall, Span: l.span(n), Name: []ir.Ident{{Name: "VALUES"}}})
		if n.Column != nil {
			e.Args = []*ir.Expr{l.expr(n.Column)}
		}
		return e
	case *ast.SetCollationExpr:
		return l.expr(n.Expr)
	case *ast.JSONSumCrc32Expr:
		return l.call(n, "JSON_SUM_CRC32", []ast.ExprNode{n.Expr})
	case *ast.MatchAgainst:
		e := l.call(n, "MATCH", nil)
		for _, c := range n.ColumnNames {
			e.Args = append(e.Args, l.newExpr(ir.Expr{Kind: ir.ExprColumn, Span: e.Span, Name: l.columnName(c).Parts}))
		}
		e.Args = append(e.Args, l.expr(n.Against))
		return e
	}
	return nil
}

// predicate lowers operators that are not binary.
func (l *lowering) predicate(n ast.ExprNode) *ir.Expr {
	switch n := n.(type) {
	case *ast.BetweenExpr:
		return l.op(n, "BETWEEN", n.Expr, n.Left, n.Right)
	case *ast.IsNullExpr:
		return l.op(n, "IS NULL", n.Expr)
	case *ast.IsTruthExpr:
		return l.op(n, "IS TRUE", n.Expr)
	case *ast.PatternLikeOrIlikeExpr:
		return l.op(n, "LIKE", n.Expr, n.Pattern)
	case *ast.PatternRegexpExpr:
		return l.op(n, "REGEXP", n.Expr, n.Pattern)
	case *ast.UnaryOperationExpr:
		return l.op(n, strings.ToUpper(n.Op.String()), n.V)
	case *ast.RowExpr:
		return l.newExpr(ir.Expr{Kind: ir.ExprTuple, Span: l.span(n), Args: l.exprs(n.Values)})
	case *ast.ExistsSubqueryExpr:
		return l.newExpr(ir.Expr{Kind: ir.ExprExists, Span: l.span(n), Query: l.subquery(n.Sel)})
	case *ast.PatternInExpr:
		return l.in(n)
	case *ast.CompareSubqueryExpr:
		return l.newExpr(ir.Expr{Kind: ir.ExprQuantified, Span: l.span(n), Args: []*ir.Expr{l.expr(n.L)}, Query: l.subquery(n.R)})
	}
	return l.newExpr(ir.Expr{Kind: ir.ExprLiteral, Span: l.span(n)})
}

func (l *lowering) subquery(n ast.ExprNode) *ir.Query {
	for {
		switch x := n.(type) {
		case *ast.ParenthesesExpr:
			n = x.Expr
			continue
		case *ast.SubqueryExpr:
			return l.query(x.Query)
		}
		return &ir.Query{}
	}
}

func (l *lowering) in(n *ast.PatternInExpr) *ir.Expr {
	e := l.newExpr(ir.Expr{Kind: ir.ExprIn, Span: l.span(n), Args: append(l.argsRoom(1), l.expr(n.Expr))})
	for _, x := range n.List {
		if _, literal := x.(*driver.ValueExpr); !literal {
			e.Args = append(e.Args, l.expr(x))
		}
	}
	if n.Sel != nil {
		e.Query = l.subquery(n.Sel)
	}
	return e
}

// binary lowers a chain of one operator to a flat list of operands. The left spine
// may be as long as the statement, so it is walked in a loop.
func (l *lowering) binary(n *ast.BinaryOperationExpr) *ir.Expr {
	var right []ast.ExprNode
	var left ast.ExprNode = n
	for {
		x, ok := left.(*ast.BinaryOperationExpr)
		if !ok || x.Op != n.Op {
			break
		}
		right = append(right, x.R)
		left = x.L
	}
	e := l.newExpr(ir.Expr{Kind: ir.ExprOp, Span: l.span(n), Text: opText(n.Op)})
	e.Args = append(l.argsRoom(len(right)+1), l.expr(left))
	for _, x := range slices.Backward(right) {
		e.Args = append(e.Args, l.expr(x))
	}
	return e
}

func opText(o opcode.Op) string {
	switch o {
	case opcode.LogicAnd:
		return "AND"
	case opcode.LogicOr:
		return "OR"
	case opcode.Plus:
		return "+"
	case opcode.EQ:
		return "="
	}
	return strings.ToUpper(o.String())
}

func (l *lowering) variable(n *ast.VariableExpr) *ir.Expr {
	name := "@" + n.Name
	if n.IsSystem {
		name = "@@" + n.Name
	}
	if n.Value != nil {
		return l.newExpr(ir.Expr{Kind: ir.ExprAssign, Span: l.span(n), Text: name, Args: []*ir.Expr{l.expr(n.Value)}})
	}
	return l.newExpr(ir.Expr{Kind: ir.ExprParam, Span: l.span(n), Text: name})
}

func (l *lowering) caseOf(n *ast.CaseExpr) *ir.Expr {
	c := &ir.Case{Operand: l.expr(n.Value)}
	for _, w := range n.WhenClauses {
		c.Whens = append(c.Whens, ir.When{Cond: l.expr(w.Expr), Then: l.expr(w.Result)})
	}
	c.Else = l.expr(n.ElseClause)
	return l.newExpr(ir.Expr{Kind: ir.ExprCase, Span: l.span(n), More: c})
}

// literal keeps a constant's text: strings may be SQL or names.
func (l *lowering) literal(n *driver.ValueExpr) *ir.Expr {
	e := l.newExpr(ir.Expr{Kind: ir.ExprLiteral, Span: l.span(n)})
	switch n.Kind() {
	case driver.KindString:
		e.IsString, e.Text = true, n.GetString()
	case driver.KindInt64:
		e.Text = strconv.FormatInt(n.GetInt64(), 10)
	case driver.KindUint64:
		e.Text = strconv.FormatUint(n.GetUint64(), 10)
	}
	return e
}
