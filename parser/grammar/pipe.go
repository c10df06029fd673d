package grammar

import "github.com/tributary-data/tributary/parser/ir"

// pipes reads the |> operators behind a query. Each that changes the columns makes
// a SELECT over what stands before it; joins and filters go on in the same one, so
// that its aliases stay visible.
func (p *parser) pipes(q *ir.Query, start uint32) *ir.Query {
	for n := 0; p.accept(tPipeGt); n++ {
		if n > p.lim.MaxNesting {
			p.limit(limitNesting)
			break
		}
		q = p.pipe(q, start)
		q.End = int32(p.prev().end)
	}
	return q
}

// pipe reads one operator over the query before it.
func (p *parser) pipe(q *ir.Query, start uint32) *ir.Query {
	if !p.is(tIdent) {
		p.expected("a pipe operator")
		return q
	}
	if next, done := p.pipeInPlace(q, start); done {
		return next
	}
	if p.setOperator() {
		return p.pipeUnion(q, start)
	}
	out, s := p.pipeSelect(q, start)
	switch {
	case p.isWord(kwSelect):
		*s = p.selectOver(s, out)
	case p.word(kwExtend):
		s.Items = p.mem.items.Copy(append(p.starItem(start), p.selectItems()...))
	case p.word(kwSet):
		s.Items = p.modifiedStar(start, p.setMods())
	case p.word(kwDrop):
		s.Items = p.modifiedStar(start, p.dropMods())
	case p.word(kwRename):
		mods := &ir.StarMods{}
		p.renames(mods)
		s.Items = p.modifiedStar(start, mods)
	case p.word(kwAggregate):
		p.aggregate(s)
	case p.word(kwDistinct):
		s.Distinct = true
		s.Items = p.starItem(start)
	case p.word(kwCall):
		call := p.column()
		f := p.mem.froms.One()
		f.Kind, f.Func, f.Lateral = ir.FromFunc, call, true
		s.From = append(s.From, f)
		p.elementSuffixes(f)
		s.Items = p.starItem(start)
	case p.word(kwWindow):
		s.Items = p.mem.items.Copy(append(p.starItem(start), p.selectItems()...))
	default:
		p.expected("a pipe operator")
	}
	s.Span = p.span(start)
	return out
}

// pipeInPlace reads the operators that leave the columns as they are.
func (p *parser) pipeInPlace(q *ir.Query, start uint32) (*ir.Query, bool) {
	switch p.t.kw {
	case kwAs:
		p.next()
		out, s := p.wrap(q, start)
		if len(s.From) == 1 && !s.From[0].Alias.Set() {
			s.From[0].Alias = p.aliasIdent()
		} else {
			p.aliasIdent()
		}
		return out, true
	case kwWhere:
		p.next()
		out, s := p.open(q, start)
		s.Where = p.and(s.Where, p.expr())
		return out, true
	case kwOrder:
		p.next()
		p.needWord(kwBy)
		q.OrderBy = append(q.OrderBy, p.orderItems()...)
		return q, true
	case kwLimit:
		p.limitClause(q)
		return q, true
	case kwTablesample:
		p.sample()
		return q, true
	case kwPivot, kwUnpivot, kwMatchRecognize:
		out, s := p.wrap(q, start)
		p.elementSuffixes(s.From[0])
		return out, true
	}
	if j := p.joinWords(); j.words > 0 {
		out, s := p.open(q, start)
		f, _ := p.joined()
		s.From = append(s.From, f)
		return out, true
	}
	return q, false
}

// and joins two conditions, of which the first may be missing.
func (p *parser) and(a, b *ir.Expr) *ir.Expr {
	if a == nil {
		return b
	}
	if a.Kind == ir.ExprOp && a.Text == "AND" {
		a.Args = append(a.Args, b)
		return a
	}
	return p.op("AND", a.Start, a, b)
}

// open gives the query as a SELECT * that can take further joins and conditions.
func (p *parser) open(q *ir.Query, start uint32) (*ir.Query, *ir.Select) {
	if openStar(q) {
		return q, q.Select
	}
	return p.wrap(q, start)
}

// openStar tells whether a query is a plain SELECT * without anything behind FROM
// but a filter.
func openStar(q *ir.Query) bool {
	s := q.Select
	if s == nil || q.OrderBy != nil || q.Limited || q.With != nil || s.Distinct || s.GroupBy != nil || len(s.Items) != 1 {
		return false
	}
	e := s.Items[0].Expr
	return e.Kind == ir.ExprStar && e.More == nil && len(e.Name) == 0 && e.Args == nil && e.Start == e.End
}

// wrap makes the query the only element of a SELECT *, or gives it as it is if it
// is one already.
func (p *parser) wrap(q *ir.Query, start uint32) (*ir.Query, *ir.Select) {
	if openStar(q) && len(q.Select.From) == 1 && q.Select.Where == nil {
		return q, q.Select
	}
	out := p.mem.query.One()
	s := p.mem.selcts.One()
	f := p.mem.froms.One()
	f.Kind, f.Query, f.Span = ir.FromQuery, q, q.Span
	s.From = []*ir.From{f}
	s.Items = p.starItem(start)
	s.Span = p.span(start)
	out.Select, out.Span = s, s.Span
	return out, s
}

// pipeSelect gives a SELECT over the query whose list is still to come: the one
// that is there if it is a plain SELECT *.
func (p *parser) pipeSelect(q *ir.Query, start uint32) (*ir.Query, *ir.Select) {
	if openStar(q) {
		return q, q.Select
	}
	return p.wrap(q, start)
}

// selectOver reads |> SELECT .. over the FROM of s.
func (p *parser) selectOver(s *ir.Select, q *ir.Query) ir.Select {
	out := *p.selectCore(q)
	out.From = s.From
	out.Where = s.Where
	return out
}

func (p *parser) modifiedStar(start uint32, mods *ir.StarMods) []ir.Item {
	items := p.starItem(start)
	items[0].Expr.More = mods
	return items
}

// setMods reads a = e, b = f as a star that replaces columns.
func (p *parser) setMods() *ir.StarMods {
	mods := &ir.StarMods{}
	for {
		name := p.aliasIdent()
		p.need(tEq)
		mods.Replace = append(mods.Replace, ir.Item{Expr: p.expr(), Alias: name})
		if !p.accept(tComma) {
			return mods
		}
	}
}

func (p *parser) dropMods() *ir.StarMods {
	mods := &ir.StarMods{}
	for {
		mods.Except = append(mods.Except, p.aliasIdent())
		if !p.accept(tComma) {
			return mods
		}
	}
}

func (p *parser) renames(mods *ir.StarMods) {
	for {
		from := p.aliasIdent()
		p.word(kwAs)
		mods.Rename = append(mods.Rename, ir.Rename{From: from, To: p.aliasIdent()})
		if !p.accept(tComma) {
			return
		}
	}
}

// aggregate reads AGGREGATE items GROUP BY keys: the keys come first in the result.
func (p *parser) aggregate(s *ir.Select) {
	var items []ir.Item
	for !p.isWord(kwGroup) && !p.is(tPipeGt) && !p.ended() && !p.is(tRParen) {
		item := p.selectItem()
		p.anyWord(kwAsc, kwDesc)
		items = append(items, item)
		if !p.accept(tComma) {
			break
		}
	}
	var keys []ir.Item
	if p.word(kwGroup) {
		p.words(kwAnd, kwOrder)
		p.needWord(kwBy)
		for {
			item := p.aliased(p.expr())
			for p.anyWord(kwAsc, kwDesc, kwNulls, kwFirst, kwLast) {
			}
			keys = append(keys, item)
			s.GroupBy = append(s.GroupBy, item.Expr)
			if !p.accept(tComma) {
				break
			}
		}
	}
	s.Items = p.mem.items.Copy(append(keys, items...))
}

// pipeUnion reads |> UNION ALL (q1), (q2).
func (p *parser) pipeUnion(q *ir.Query, start uint32) *ir.Query {
	set := &ir.SetOp{Branches: []ir.SetBranch{{Query: q}}}
	b := p.setBranch()
	for {
		b.Query, _ = p.term()
		set.Branches = append(set.Branches, b)
		if !p.accept(tComma) {
			break
		}
	}
	out := p.mem.query.One()
	out.SetOp = set
	out.Span = p.span(start)
	return out
}
