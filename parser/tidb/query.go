package tidb

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/tributary-data/tributary/parser/ir"
)

// query lowers a SELECT, VALUES, TABLE or set operation.
func (l *lowering) query(n ast.Node) *ir.Query {
	switch n := n.(type) {
	case *ast.SelectStmt:
		return l.selectQuery(n)
	case *ast.SetOprStmt:
		q := &ir.Query{Span: l.span(n), With: l.with(n.With), SetOp: l.setOp(n.SelectList)}
		l.tail(q, n.OrderBy, n.Limit)
		return l.flatten(q)
	case *ast.SetOprSelectList:
		q := &ir.Query{Span: l.span(n), With: l.with(n.With), SetOp: l.setOp(n)}
		l.tail(q, n.OrderBy, n.Limit)
		return l.flatten(q)
	case *ast.SubqueryExpr:
		return l.query(n.Query)
	}
	return &ir.Query{}
}

// flatten takes a set operation of one branch for that branch.
func (l *lowering) flatten(q *ir.Query) *ir.Query {
	if len(q.SetOp.Branches) != 1 {
		return q
	}
	inner := q.SetOp.Branches[0].Query
	q.SetOp, q.Nested = nil, inner
	return q
}

func (l *lowering) tail(q *ir.Query, order *ast.OrderByClause, limit *ast.Limit) {
	q.OrderBy = l.orderBy(order)
	if limit != nil {
		q.Limited = true
		for _, e := range []ast.ExprNode{limit.Count, limit.Offset} {
			if _, literal := e.(ast.ValueExpr); e != nil && !literal {
				limits := q.AddLimits()
				limits.Counts = append(limits.Counts, l.expr(e))
			}
		}
	}
}

// setOp lowers a chain; INTERSECT binds tighter than the others.
func (l *lowering) setOp(list *ast.SetOprSelectList) *ir.SetOp {
	op := &ir.SetOp{}
	for _, s := range list.Selects {
		var after *ast.SetOprType
		switch s := s.(type) {
		case *ast.SelectStmt:
			after = s.AfterSetOperator
		case *ast.SetOprSelectList:
			after = s.AfterSetOperator
		}
		b := ir.SetBranch{Query: l.query(s)}
		if after != nil {
			b.Op, b.All = setKind(*after)
		}
		if last := len(op.Branches) - 1; b.Op == ir.SetIntersect && last >= 0 {
			left := op.Branches[last].Query
			if left.SetOp == nil || left.SetOp.Branches[len(left.SetOp.Branches)-1].Op != ir.SetIntersect {
				left = &ir.Query{Span: left.Span, SetOp: &ir.SetOp{Branches: []ir.SetBranch{{Query: left}}}}
				op.Branches[last].Query = left
			}
			left.SetOp.Branches = append(left.SetOp.Branches, b)
			continue
		}
		op.Branches = append(op.Branches, b)
	}
	return op
}

func setKind(t ast.SetOprType) (ir.SetKind, bool) {
	switch t {
	case ast.UnionAll:
		return ir.SetUnion, true
	case ast.Except:
		return ir.SetExcept, false
	case ast.ExceptAll:
		return ir.SetExcept, true
	case ast.Intersect:
		return ir.SetIntersect, false
	case ast.IntersectAll:
		return ir.SetIntersect, true
	}
	return ir.SetUnion, false
}

func (l *lowering) with(w *ast.WithClause) *ir.With {
	if w == nil {
		return nil
	}
	out := &ir.With{Recursive: w.IsRecursive}
	for _, c := range w.CTEs {
		cte := &ir.CTE{Span: l.span(c), Name: l.ident(c.Name), Query: l.query(c.Query)}
		for _, n := range c.ColNameList {
			cte.Columns = append(cte.Columns, l.ident(n))
		}
		out.CTEs = append(out.CTEs, cte)
	}
	return out
}

func (l *lowering) selectQuery(n *ast.SelectStmt) *ir.Query {
	q := l.newQuery(ir.Query{Span: l.span(n), With: l.with(n.With)})
	switch n.Kind {
	case ast.SelectStmtKindValues:
		lists := make([][]ast.ExprNode, len(n.Lists))
		for i, row := range n.Lists {
			lists[i] = row.Values
		}
		q.Values = l.values(lists).Values
	case ast.SelectStmtKindTable:
		if from := l.join(n.From.TableRefs); len(from) == 1 {
			q.Table = from[0]
		}
	default:
		q.Select = l.selects(n)
	}
	l.tail(q, n.OrderBy, n.Limit)
	return q
}

func (l *lowering) selects(n *ast.SelectStmt) *ir.Select {
	s := l.newSelect(ir.Select{Span: l.span(n), Distinct: n.Distinct})
	if n.Fields != nil {
		s.Items = l.itemsRoom(len(n.Fields.Fields))
		for _, f := range n.Fields.Fields {
			s.Items = append(s.Items, l.item(f))
		}
	}
	if n.From != nil && n.From.TableRefs != nil {
		s.From = l.join(n.From.TableRefs)
	}
	s.Where = l.expr(n.Where)
	if n.GroupBy != nil {
		s.GroupBy = l.argsRoom(len(n.GroupBy.Items))
		for _, b := range n.GroupBy.Items {
			s.GroupBy = append(s.GroupBy, l.expr(b.Expr))
		}
	}
	if n.Having != nil {
		s.Having = l.expr(n.Having.Expr)
	}
	for i := range n.WindowSpecs {
		w := &n.WindowSpecs[i]
		more := s.AddMore()
		more.Windows = append(more.Windows, ir.NamedWindow{Name: l.ident(w.Name), Window: l.window(w, false)})
	}
	if o := n.SelectIntoOpt; o != nil && o.FileName != "" {
		s.AddMore().Into = &ir.Target{Path: o.FileName, Span: l.span(n)}
	}
	return s
}

func (l *lowering) item(f *ast.SelectField) ir.Item {
	if w := f.WildCard; w != nil {
		e := l.newExpr(ir.Expr{Kind: ir.ExprStar, Span: l.fieldSpan(f)})
		if w.Schema.O != "" {
			e.Name = append(e.Name, l.ident(w.Schema))
		}
		if w.Table.O != "" {
			e.Name = append(e.Name, l.ident(w.Table))
		}
		return ir.Item{Expr: e}
	}
	e := l.expr(f.Expr)
	e.Span = l.fieldSpan(f)
	it := ir.Item{Expr: e}
	if f.AsName.O != "" {
		it.Alias = l.ident(f.AsName)
	}
	return it
}

// fieldSpan is where a select item stands; its text names the column where nothing
// else does.
func (l *lowering) fieldSpan(f *ast.SelectField) ir.Span {
	start := l.base + int32(f.Offset)
	l.after = start
	return ir.Span{Start: start, End: start + int32(len(f.OriginalText()))}
}

// join lowers a tree of joins to a flat list.
func (l *lowering) join(j *ast.Join) []*ir.From {
	var spine []*ast.Join
	var first ast.ResultSetNode = j
	for {
		x, ok := first.(*ast.Join)
		if !ok || x.ExplicitParens && len(spine) > 0 {
			break
		}
		spine = append(spine, x)
		first = x.Left
	}
	out := l.element(first)
	for i, x := range slices.Backward(spine) {
		if x.Right == nil {
			continue
		}
		right := l.joined(x)
		// The tree does not tell a comma from CROSS JOIN, but a comma binds less than a
		// join with a condition, which would then not stand above it.
		if len(right) > 0 && right[0].Join == ir.JoinComma && slices.ContainsFunc(spine[:i], conditional) {
			right[0].Join = ir.JoinCross
		}
		out = append(out, right...)
	}
	return out
}

// conditional reports a join that is more than a product of its sides.
func conditional(j *ast.Join) bool {
	return j.On != nil || len(j.Using) > 0 || j.NaturalJoin || j.Tp != ast.CrossJoin
}

// joined gives the right side of a join, its first element marked with how it
// joins. A comma list is spliced; a join that stands on the right as a whole is a
// group.
func (l *lowering) joined(x *ast.Join) []*ir.From {
	right := l.element(x.Right)
	if len(right) == 0 {
		return nil
	}
	if len(right) > 1 && conditional(x) {
		right = []*ir.From{{Kind: ir.FromGroup, Span: right[0].Span, More: &ir.FromMore{Group: right}}}
	}
	f := right[0]
	switch {
	case x.Tp == ast.LeftJoin:
		f.Join = ir.JoinLeft
	case x.Tp == ast.RightJoin:
		f.Join = ir.JoinRight
	case conditional(x) || x.StraightJoin:
		f.Join = ir.JoinInner
	default:
		f.Join = ir.JoinComma
	}
	f.Natural = x.NaturalJoin
	if x.On != nil {
		f.On = l.expr(x.On.Expr)
	}
	for _, c := range x.Using {
		f.Using = append(f.Using, l.ident(c.Name))
	}
	return right
}

// element lowers one side of a join.
func (l *lowering) element(n ast.ResultSetNode) []*ir.From {
	switch n := n.(type) {
	case *ast.Join:
		inner := l.join(n)
		if n.ExplicitParens {
			return []*ir.From{{Kind: ir.FromGroup, Span: l.span(n), More: &ir.FromMore{Group: inner}}}
		}
		return inner
	case *ast.TableSource:
		return l.tableSource(n)
	case *ast.TableName:
		return l.alone(l.newFrom(ir.From{Kind: ir.FromTable, Name: l.name(n), Span: l.span(n)}))
	case *ast.SelectStmt, *ast.SetOprStmt:
		return []*ir.From{{Kind: ir.FromQuery, Query: l.query(n), Span: l.span(n)}}
	}
	return nil
}

func (l *lowering) tableSource(n *ast.TableSource) []*ir.From {
	f := l.newFrom(ir.From{Span: l.span(n), Lateral: n.Lateral})
	switch src := n.Source.(type) {
	case *ast.TableName:
		f.Kind, f.Name = ir.FromTable, l.name(src)
		if src.AsOf != nil && src.AsOf.TsExpr != nil {
			f.AddMore().AsOf = []*ir.Expr{l.expr(src.AsOf.TsExpr)}
		}
	case *ast.Join:
		f.Kind, f.AddMore().Group = ir.FromGroup, l.join(src)
	default:
		f.Kind, f.Query = ir.FromQuery, l.query(src)
	}
	if n.AsName.O != "" {
		f.Alias = l.ident(n.AsName)
	}
	for _, c := range n.ColumnNames {
		f.Columns = append(f.Columns, l.ident(c))
	}
	return l.alone(f)
}

func (l *lowering) orderBy(o *ast.OrderByClause) []ir.OrderItem {
	if o == nil {
		return nil
	}
	out := make([]ir.OrderItem, 0, len(o.Items))
	for _, b := range o.Items {
		out = append(out, ir.OrderItem{Expr: l.expr(b.Expr), Desc: b.Desc})
	}
	return out
}

// window lowers a window; over is true for OVER clauses, where a name alone refers
// to a named window.
func (l *lowering) window(w *ast.WindowSpec, over bool) *ir.Window {
	out := &ir.Window{}
	switch {
	case w.Ref.O != "":
		out.Base = l.ident(w.Ref)
	case over && w.Name.O != "":
		out.Base = l.ident(w.Name)
	}
	if w.PartitionBy != nil {
		for _, b := range w.PartitionBy.Items {
			out.PartitionBy = append(out.PartitionBy, l.expr(b.Expr))
		}
	}
	out.OrderBy = l.orderBy(w.OrderBy)
	return out
}
