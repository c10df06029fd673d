package grammar

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// startsQuery tells whether a query starts at the cursor.
func (p *parser) startsQuery() bool { return p.queryAt(0) }

// queryAt tells whether a query starts n tokens on.
func (p *parser) queryAt(n int) bool {
	t, second := p.peek(n), p.peek(n+1)
	switch t.kw {
	case kwSelect:
		return true
	case kwWith:
		return second.kind != tLParen || p.f.withExpressions
	case kwValues:
		return (second.kind == tLParen || second.kw == kwRow || p.literalElement(n+1) > 0) && !p.f.valuesFunction || second.kw == kwRow
	case kwFrom:
		return anyPart(second) || second.kind == tLParen
	case kwTable:
		return second.kind == tQuoted || second.kind == tTemplate || second.kind == tIdent && second.kw != kwFunction
	case kwDescribe, kwShow, kwSummarize:
		return p.f.fromFirst && (second.kind == tIdent || second.kind == tQuoted || second.kind == tString)
	case kwPivot, kwUnpivot:
		return p.f.fromFirst && (second.kind == tLParen && p.queryAt(n+2) || anyPart(second) && p.peek(n+2).kw != kwAs)
	}
	return false
}

// queryBehindParens tells whether the brackets at the cursor, one or many, open
// on a query.
func (p *parser) queryBehindParens() bool {
	n := 0
	for p.peek(n).kind == tLParen {
		n++
	}
	return n > 0 && p.queryAt(n)
}

// continuesQuery tells whether what follows a query in brackets makes it part of
// a greater query.
func (p *parser) continuesQuery() bool {
	switch p.t.kw {
	case kwUnion, kwExcept, kwIntersect, kwMinus, kwLimit, kwFetch, kwOffset:
		return true
	case kwOrder:
		return p.peek(1).kw == kwBy
	case kwFull, kwLeft, kwOuter, kwInner:
		return p.setOperator()
	}
	return p.is(tPipeGt)
}

// query reads a query: WITH, a chain of SELECTs, ORDER BY, LIMIT.
func (p *parser) query() *ir.Query {
	start := p.t.pos
	if !p.isWord(kwWith) {
		return p.queryFrom(nil, start)
	}
	with := p.with()
	return p.withQuery(with, start)
}

// withQuery reads the query behind a WITH clause.
func (p *parser) withQuery(with *ir.With, start uint32) *ir.Query {
	q := p.queryFrom(nil, start)
	if q.With != nil {
		q = p.nest(q, start)
	}
	q.With = with
	q.Start = int32(start)
	return q
}

// nest puts a query in brackets into one that has clauses of its own.
func (p *parser) nest(inner *ir.Query, start uint32) *ir.Query {
	q := p.mem.query.One()
	q.Nested = inner
	q.Span = p.span(start)
	return q
}

// parenQuery reads a query in brackets.
func (p *parser) parenQuery() *ir.Query {
	if !p.enter() {
		return &ir.Query{}
	}
	defer p.leave()
	p.need(tLParen)
	q := p.query()
	p.need(tRParen)
	return q
}

// queryFrom reads a chain of set operations with its clauses, of which the first
// branch may have been read already, in brackets.
func (p *parser) queryFrom(first *ir.Query, start uint32) *ir.Query {
	if first == nil {
		q, open := p.term()
		return p.queryAfter(q, open, start)
	}
	q, open := p.tail(first, start)
	return p.queryAfter(q, open, start)
}

// queryAfter goes on behind the first branch of a query.
func (p *parser) queryAfter(q *ir.Query, open bool, start uint32) *ir.Query {
	if p.f.dashNames && p.isWord(kwAs) && p.peek(2).kind == tPipeGt { // BigQuery: (query) AS t |> ..
		q = p.pipe(q, start)
	}
	if p.is(tPipeGt) {
		return p.pipes(q, start)
	}
	if !p.setOperator() {
		return q
	}
	q, open = p.intersections(q, open, start)
	if !p.setOperator() {
		return q
	}
	whole := p.mem.query.One()
	set := &ir.SetOp{Branches: p.mem.branches.Append(nil, ir.SetBranch{Query: q})}
	last := q
	for p.turn() && p.setOperator() {
		b := p.setBranch()
		at := p.t.pos
		b.Query, open = p.term()
		b.Query, open = p.intersections(b.Query, open, at)
		set.Branches = p.mem.branches.Append(set.Branches, b)
		last = b.Query
	}
	whole.SetOp = set
	liftTail(last, whole, open)
	whole.Span = p.span(start)
	if p.is(tPipeGt) {
		return p.pipes(whole, start)
	}
	return whole
}

// intersections reads the INTERSECTs behind a branch: they bind tighter.
func (p *parser) intersections(first *ir.Query, open bool, start uint32) (*ir.Query, bool) {
	if !p.isWord(kwIntersect) {
		return first, open
	}
	whole := p.mem.query.One()
	set := &ir.SetOp{Branches: []ir.SetBranch{{Query: first}}}
	last := first
	for p.turn() && p.isWord(kwIntersect) {
		b := p.setBranch()
		b.Query, open = p.term()
		set.Branches = p.mem.branches.Append(set.Branches, b)
		last = b.Query
	}
	whole.SetOp = set
	liftTail(last, whole, open)
	whole.Span = p.span(start)
	return whole, true
}

// liftTail moves the clauses that were read with the last branch to the whole
// chain, to which they belong unless they stand in brackets with that branch.
func liftTail(last, whole *ir.Query, open bool) {
	if !open {
		return
	}
	whole.OrderBy, last.OrderBy = last.OrderBy, nil
	whole.Limits, last.Limits = last.Limits, nil
	whole.Limited, last.Limited = last.Limited, false
}

// setOperator tells whether a set operation follows.
func (p *parser) setOperator() bool {
	switch p.t.kw {
	case kwUnion, kwExcept, kwIntersect:
		return true
	case kwMinus:
		return p.peek(1).kw == kwSelect || p.peek(1).kw == kwAll || p.peek(1).kw == kwDistinct || p.peek(1).kind == tLParen || p.peek(1).kw == kwValues || p.peek(1).kw == kwFrom || p.peek(1).kw == kwTable
	case kwFull, kwLeft, kwOuter, kwInner:
		return p.peek(1).kw == kwUnion || p.peek(1).kw == kwOuter && p.peek(2).kw == kwUnion
	}
	return false
}

// setBranch reads a set operator with its modifiers.
func (p *parser) setBranch() ir.SetBranch {
	b := ir.SetBranch{}
	inner, left := p.word(kwInner), p.word(kwLeft)
	outer := left
	for p.anyWord(kwFull, kwOuter) {
		outer = true
	}
	switch p.t.kw {
	case kwIntersect:
		b.Op = ir.SetIntersect
	case kwExcept, kwMinus:
		b.Op = ir.SetExcept
	}
	p.next()
	if p.word(kwAll) {
		b.All = true
	} else {
		p.word(kwDistinct)
	}
	switch {
	case p.words(kwBy, kwName):
		b.ByName = true
		if p.words(kwOn, kwDistinct) || p.word(kwOn) {
			b.By = p.identList()
		}
	case p.word(kwCorresponding):
		b.ByName, inner = true, !outer
		if p.word(kwBy) {
			b.By = p.identList()
		}
	case p.words(kwStrict, kwCorresponding):
		b.ByName = true
		if p.word(kwBy) {
			b.By = p.identList()
		}
	}
	b.Common, b.Left = b.ByName && inner, b.ByName && left
	return b
}

// term reads one branch: SELECT, VALUES, TABLE, FROM .., or a query in brackets,
// with the clauses behind it. It tells whether the clauses in the result stand
// outside of brackets.
func (p *parser) term() (q *ir.Query, open bool) {
	start := p.t.pos
	if p.is(tLParen) {
		return p.tail(p.parenQuery(), start)
	}
	q = p.mem.query.One()
	switch p.t.kw {
	case kwSelect:
		q.Select = p.selectCore(q)
	case kwValues:
		p.next()
		q.Values = p.values()
		if p.f.namedValues {
			q = p.namedValues(q, start)
		}
	case kwTable:
		p.next()
		q.Table = p.tableNamed(p.name("a table"))
	case kwFrom:
		q.Select = p.fromFirst(q)
	case kwPivot, kwUnpivot:
		if p.f.fromFirst {
			q.Select = p.pivotQuery()
			break
		}
		p.expected("a query")
	case kwWith:
		inner := p.query()
		*q = *inner
	case kwDescribe, kwShow, kwSummarize:
		if p.f.fromFirst {
			p.next()
			for !p.is(tRParen) && !p.ended() {
				p.skipToken()
			}
			q.Values = &ir.Values{}
			break
		}
		p.expected("a query")
	default:
		p.expected("a query")
	}
	for p.turn() && p.tailClause(q) {
	}
	q.Span = p.span(start)
	return q, true
}

// namedValues gives VALUES the names that may stand behind them in Spark and Snowflake:
// VALUES (1) AS t (a), which is a SELECT from them.
func (p *parser) namedValues(q *ir.Query, start uint32) *ir.Query {
	if !p.is(tLParen) && !p.isWord(kwAs) && !p.tableAlias() {
		return q
	}
	q.Span = p.span(start)
	f := p.mem.froms.One()
	f.Kind, f.Query = ir.FromQuery, q
	p.word(kwAs)
	if !p.is(tLParen) {
		f.Alias = p.aliasIdent()
	}
	if p.is(tLParen) {
		f.Columns = p.identList()
	}
	f.Span = p.span(start)
	return p.starFrom(f)
}

func (p *parser) tableNamed(n ir.Name) *ir.From {
	f := p.mem.froms.One()
	f.Kind, f.Span, f.Name = ir.FromTable, n.Span, n
	return f
}

// tail reads ORDER BY, LIMIT and the other clauses behind a query in brackets,
// which is then nested in one that has them.
func (p *parser) tail(q *ir.Query, start uint32) (*ir.Query, bool) {
	if !p.tailFollows() {
		return q, false
	}
	outer := p.nest(q, start)
	n := 0
	for p.turn() && p.tailClause(outer) {
		n++
	}
	if n == 0 {
		return q, false
	}
	outer.End = int32(p.prev().end)
	return outer, true
}

// tailFollows tells whether a clause of tailClause may follow.
func (p *parser) tailFollows() bool {
	switch p.t.kw {
	case kwOrder, kwLimit, kwOffset, kwFetch, kwFor, kwLock, kwOption, kwSettings, kwFormat, kwInto, kwWith, kwSort, kwCluster, kwDistribute, kwSample, kwUsing, kwInterpolate:
		return true
	}
	return false
}

// tailClause reads one clause behind a query.
func (p *parser) tailClause(q *ir.Query) bool {
	second := p.peek(1)
	switch p.t.kw {
	case kwOrder:
		if second.kw != kwBy && second.kw != kwSiblings {
			return false
		}
		p.next()
		p.word(kwSiblings)
		p.needWord(kwBy)
		p.orderBy(q)
	case kwLimit, kwOffset:
		if endish(second) {
			return false
		}
		p.limitClause(q)
	case kwFetch:
		if second.kw != kwFirst && second.kw != kwNext && second.kind != tNumber {
			return false
		}
		p.fetchClause(q)
	case kwFor:
		return p.forClause()
	case kwLock:
		if second.kw != kwIn {
			return false
		}
		p.next()
		p.next()
		p.anyWord(kwShare, kwExclusive)
		p.word(kwMode)
	case kwOption:
		p.next()
		p.skipParens()
	default:
		return p.rareTailClause(q, second)
	}
	return true
}

func (p *parser) rareTailClause(q *ir.Query, second token) bool {
	switch p.t.kw {
	case kwSettings:
		if !p.f.typedBinds || second.kind != tIdent {
			return false
		}
		p.next()
		p.settings()
	case kwFormat:
		if !p.f.typedBinds || second.kind != tIdent {
			return false
		}
		p.next()
		p.next()
	case kwInto:
		return p.intoBehind(q)
	case kwWith:
		switch second.kw {
		case kwTies, kwUr, kwCs, kwRs, kwRr, kwTotals:
			p.next()
			p.next()
		case kwFill:
			p.withFill()
		case kwCheck, kwRead, kwNo, kwData: // behind a definition
			p.withData()
		default:
			return false
		}
	case kwSort, kwCluster, kwDistribute:
		if second.kw != kwBy {
			return false
		}
		p.next()
		p.next()
		if q.Select == nil { // behind brackets
			q.OrderBy = append(q.OrderBy, p.orderItems()...)
			return true
		}
		p.sortBy(q.Select)
	case kwUsing:
		if second.kw != kwSample {
			return false
		}
		p.next()
		p.sample()
	case kwInterpolate:
		p.next()
		p.skipParens()
	default:
		return false
	}
	return true
}

// settings reads ClickHouse's SETTINGS a = 1, b = 2.
func (p *parser) settings() []ir.Option {
	var options []ir.Option
	for p.is(tIdent) || p.is(tQuoted) {
		o := ir.Option{Name: strings.ToLower(p.aliasIdent().Name)}
		if p.accept(tEq) {
			o.Value = p.operand()
		}
		options = append(options, o)
		if !p.accept(tComma) {
			break
		}
	}
	return options
}

func (p *parser) orderBy(q *ir.Query) {
	if p.isWord(kwAll) && (endish(p.peek(1)) || p.peek(1).kw == kwDesc || p.peek(1).kw == kwAsc || p.peek(1).kw == kwLimit || p.peek(1).kw == kwNulls) {
		p.next()
		p.anyWord(kwDesc, kwAsc)
		if p.word(kwNulls) {
			p.next()
		}
		return
	}
	q.OrderBy = append(q.OrderBy, p.orderItems()...)
}

// limitClause reads LIMIT and OFFSET in all their forms.
func (p *parser) limitClause(q *ir.Query) {
	q.Limited = true
	p.next()
	if p.word(kwAll) {
		return
	}
	p.limitValue(q)
	p.anyWord(kwPercent)
	p.anyWord(kwRow, kwRows)
	if p.accept(tComma) {
		p.limitValue(q)
	}
	if p.isWord(kwOffset) && !endish(p.peek(1)) {
		p.next()
		p.limitValue(q)
		p.anyWord(kwRow, kwRows)
	}
	if p.isWord(kwBy) {
		p.next()
		l := q.AddLimits()
		l.By = append(l.By, p.exprList()...)
	}
	p.words(kwWith, kwTies)
}

func (p *parser) limitValue(q *ir.Query) {
	if p.is(tNumber) && p.peek(1).kind == tPercent && (!operandFollows(p.peek(2)) || p.peek(2).kw == kwOffset) {
		p.next()
		p.next()
		return
	}
	if e := p.operand(); e.Kind != ir.ExprLiteral {
		l := q.AddLimits()
		l.Counts = append(l.Counts, e)
	}
}

// fetchClause reads FETCH FIRST n ROWS ONLY.
func (p *parser) fetchClause(q *ir.Query) {
	q.Limited = true
	p.next()
	p.anyWord(kwFirst, kwNext)
	if !p.isAny(kwRow, kwRows) && !p.ended() {
		p.limitValue(q)
	}
	p.word(kwPercent)
	p.anyWord(kwRow, kwRows)
	if !p.word(kwOnly) {
		p.words(kwWith, kwTies)
	}
}

// forClause skips FOR UPDATE, FOR JSON and their like.
func (p *parser) forClause() bool {
	switch p.peek(1).kw {
	case kwUpdate, kwShare, kwNo, kwKey:
		p.next()
		for p.anyWord(kwUpdate, kwShare, kwNo, kwKey, kwNowait, kwSkip, kwLocked, kwWait, kwOf) {
			if p.prev().kw == kwOf {
				p.nameList("a column or table")
			}
			if p.prev().kw == kwWait {
				p.accept(tNumber)
			}
		}
	case kwRead, kwFetch, kwBrowse:
		p.next()
		p.next()
		p.word(kwOnly)
	case kwXml, kwJson:
		p.next()
		p.next()
		for p.is(tIdent) && !p.isWord(kwOption) && (!p.f.noSemicolons || !p.statementFollows()) || p.is(tComma) || p.is(tLParen) {
			p.skipToken()
		}
	default:
		return false
	}
	return true
}

// endish tells whether a token ends a select list's or table's element, so that
// a word before it is an alias and not the start of a clause.
func endish(t token) bool {
	switch t.kind {
	case tComma, tRParen, tEOF, tSemi, tBorder, tDot, tRBracket, tEq, tPipeGt:
		return true
	case tIdent:
		switch t.kw {
		case kwFrom, kwWhere, kwOn, kwJoin, kwGroup, kwOrder, kwUnion, kwInner, kwLeft, kwRight, kwFull, kwCross, kwUsing, kwHaving, kwAs, kwIntersect, kwExcept, kwNatural, kwSet, kwInto:
			return true
		}
	}
	return false
}

// values reads the rows of VALUES. Rows of literals only are left out, but for the
// first.
func (p *parser) values() *ir.Values {
	v := &ir.Values{}
	for {
		p.turn()
		if len(v.Rows) > 0 && p.literalRow() {
			if !p.accept(tComma) && !p.is(tLParen) {
				return v
			}
			if p.f.trailingCommas && p.is(tRParen) {
				return v
			}
			continue
		}
		if !p.valuesRow(v) {
			return v
		}
		if !p.accept(tComma) && (!p.is(tLParen) || !p.f.typedBinds) {
			return v
		}
		if p.ended() || p.f.trailingCommas && p.is(tRParen) {
			return v
		}
	}
}

// rowBytes is about what a row of VALUES takes beside its expressions.
const rowBytes = 64

func (p *parser) addRow(v *ir.Values, row []*ir.Expr) {
	v.Rows = append(v.Rows, row)
	p.mem.heap += rowBytes
}

// literalRow skips a row that holds nothing but literals.
func (p *parser) literalRow() bool {
	at := p.i
	p.word(kwRow)
	if !p.accept(tLParen) {
		p.jump(at)
		return false
	}
	if p.literalList(); p.accept(tRParen) {
		return true
	}
	p.jump(at)
	return false
}

func (p *parser) valuesRow(v *ir.Values) bool {
	p.word(kwRow)
	if !p.is(tLParen) {
		p.addRow(v, []*ir.Expr{p.expr()})
		return !p.failed()
	}
	q, list := p.parenList(nil)
	if q != nil {
		list = []*ir.Expr{p.subqueryOf(q, p.prev().pos)}
	}
	p.addRow(v, list)
	return !p.failed()
}

// with reads a WITH clause.
func (p *parser) with() *ir.With {
	p.needWord(kwWith)
	w := &ir.With{}
	if p.isWord(kwRecursive) && p.peek(1).kw != kwAs {
		p.next()
		w.Recursive = true
	}
	for {
		p.turn()
		switch {
		case p.isWord(kwXmlnamespaces):
			p.next()
			p.skipParens()
		case p.isAny(kwFunction, kwProcedure) && anyPart(p.peek(1)) && p.peek(1).kw != kwAs:
			p.withFunction()
			if !p.is(tComma) && !p.isAny(kwFunction, kwProcedure) && anyPart(p.t) && !p.isAny(kwSelect, kwInsert, kwWith) {
				continue
			}
			if p.isAny(kwFunction, kwProcedure) {
				continue
			}
		default:
			w.CTEs = p.mem.cteLists.Append(w.CTEs, p.cte())
		}
		if !p.accept(tComma) || p.f.trailingCommas && p.isAny(kwSelect, kwInsert, kwFrom) {
			return w
		}
	}
}

// withFunction reads a function that a query defines for itself.
func (p *parser) withFunction() {
	if p.f.plsql {
		p.localRoutine()
		p.accept(tSemi)
		return
	}
	p.next()
	p.name("the name of the function")
	p.skipParens()
	for !p.isAny(kwReturn, kwBegin) && !p.ended() {
		p.skipToken()
	}
	if p.isWord(kwBegin) {
		p.block()
		return
	}
	p.needWord(kwReturn)
	p.expr()
}

// cte reads one element of a WITH.
func (p *parser) cte() *ir.CTE {
	c := p.mem.ctes.One()
	start := p.t.pos
	if p.f.withExpressions && !p.namedCTE() {
		c.Expr = p.expr()
		p.needWord(kwAs)
		c.Name = p.aliasIdent()
		c.Span = p.span(start)
		return c
	}
	if !p.nameStart() {
		p.expected("the name of a common table expression")
	}
	c.Name = p.aliasIdent()
	if p.is(tLParen) && !p.queryBehindParens() {
		c.Columns = p.identList()
	}
	if p.words(kwUsing, kwKey) {
		p.skipParens()
	}
	if !p.word(kwAs) && !(p.f.bareCTEs && p.is(tLParen)) {
		p.expected("AS")
	}
	p.word(kwNot)
	p.word(kwMaterialized)
	c.Query = p.cteBody()
	p.searchCycle(c)
	c.Span = p.span(start)
	return c
}

// namedCTE tells ClickHouse's WITH name AS (query) from WITH expression AS name.
func (p *parser) namedCTE() bool {
	if !p.is(tIdent) && !p.is(tQuoted) && !p.is(tTemplate) {
		return false
	}
	n := 1
	if p.peek(1).kind == tLParen {
		for p.peek(n).kind != tRParen {
			if k := p.peek(n).kind; k == tEOF || n > 400 {
				return false
			}
			n++
		}
		n++
	}
	return p.peek(n).kw == kwAs && p.peek(n+1).kind == tLParen
}

// cteBody reads a query or a data-changing statement in brackets.
func (p *parser) cteBody() *ir.Query {
	switch p.peek(1).kw {
	case kwInsert, kwUpdate, kwDelete, kwMerge:
		return p.parenDML()
	}
	return p.parenQuery()
}

// parenDML reads INSERT, UPDATE, DELETE or MERGE in brackets, as a query.
func (p *parser) parenDML() *ir.Query {
	if !p.enter() {
		return &ir.Query{}
	}
	defer p.leave()
	start := p.t.pos
	p.need(tLParen)
	q := p.mem.query.One()
	q.DML = p.dml(nil, p.t.pos)
	p.need(tRParen)
	q.Span = p.span(start)
	return q
}

// searchCycle reads SEARCH .. SET c and CYCLE .. SET c USING p behind a CTE.
func (p *parser) searchCycle(c *ir.CTE) {
	if p.isWord(kwSearch) && (p.peek(1).kw == kwDepth || p.peek(1).kw == kwBreadth) {
		for !p.isWord(kwSet) && !p.ended() {
			p.next()
		}
		p.next()
		c.Extra = append(c.Extra, p.aliasIdent())
	}
	if p.isWord(kwCycle) && anyPart(p.peek(1)) {
		for !p.isWord(kwSet) && !p.ended() {
			p.next()
		}
		p.next()
		c.Extra = append(c.Extra, p.aliasIdent())
		if p.word(kwTo) {
			p.primary()
			p.needWord(kwDefault)
			p.primary()
		}
		if p.word(kwUsing) {
			c.Extra = append(c.Extra, p.aliasIdent())
		}
	}
}
