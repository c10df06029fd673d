package grammar

import "github.com/tributary-data/tributary/parser/ir"

// opAlias reads the alias behind PIVOT, UNPIVOT or MATCH_RECOGNIZE.
func (p *parser) opAlias(op *ir.TableOp, start uint32) {
	if p.word(kwAs) || p.tableAlias() {
		op.Alias = p.aliasIdent()
		if p.is(tLParen) {
			op.Columns = p.identList()
		}
	}
	op.Span = p.span(start)
}

// pivot reads PIVOT (aggregates FOR columns IN (values)).
func (p *parser) pivot() *ir.TableOp {
	op := &ir.TableOp{Kind: ir.OpPivot}
	start := p.t.pos
	p.next()
	p.word(kwXml)
	p.need(tLParen)
	for p.turn() {
		e := p.expr()
		op.Aggregates = append(op.Aggregates, p.aliased(e))
		if !p.accept(tComma) || p.f.trailingCommas && p.isWord(kwFor) {
			break
		}
	}
	p.needWord(kwFor)
	for p.turn() {
		e := p.operand()
		if e.Kind == ir.ExprTuple {
			op.For = append(op.For, e.Args...)
		} else {
			op.For = append(op.For, e)
		}
		if p.accept(tComma) {
			continue
		}
		p.needWord(kwIn)
		p.pivotValues(op)
		if p.ended() || p.is(tRParen) || p.isAny(kwDefault, kwGroup) {
			break
		}
	}
	if p.word(kwDefault) {
		p.needWord(kwOn)
		p.needWord(kwNull)
		p.skipParens()
	}
	if p.words(kwGroup, kwBy) {
		op.GroupBy = p.exprList()
	}
	p.need(tRParen)
	p.opAlias(op, start)
	return op
}

// pivotValues reads the values behind IN: a list, ANY, a query, or an enum's name.
func (p *parser) pivotValues(op *ir.TableOp) {
	if !p.is(tLParen) {
		p.aliasIdent()
		op.PivotAny = true
		return
	}
	if p.queryBehindParens() {
		op.Query, op.PivotAny = p.parenQuery(), true
		return
	}
	p.next()
	if p.word(kwAny) {
		op.PivotAny = true
		if p.words(kwOrder, kwBy) {
			p.orderItems()
		}
		p.need(tRParen)
		return
	}
	p.opItems(op)
	p.need(tRParen)
}

func (p *parser) opItems(op *ir.TableOp) {
	for !p.is(tRParen) && !p.is(tEOF) {
		e := p.expr()
		item := p.aliased(e)
		if e.Kind == ir.ExprAlias {
			item = ir.Item{Expr: e.Args[0], Alias: e.Name[0]}
		}
		op.In = append(op.In, item)
		if !p.accept(tComma) {
			return
		}
	}
}

// unpivot reads UNPIVOT (value FOR key IN (columns)).
func (p *parser) unpivot() *ir.TableOp {
	op := &ir.TableOp{Kind: ir.OpUnpivot}
	start := p.t.pos
	p.next()
	if p.anyWord(kwInclude, kwExclude) {
		p.needWord(kwNulls)
	}
	p.need(tLParen)
	if p.is(tLParen) {
		op.Into = p.identList()
	} else {
		op.Into = []ir.Ident{p.aliasIdent()}
		for p.accept(tComma) {
			op.Into = append(op.Into, p.aliasIdent())
		}
	}
	p.needWord(kwFor)
	if p.is(tLParen) {
		if keys := p.identList(); len(keys) > 0 {
			op.Key = keys[0]
		}
	} else {
		op.Key = p.aliasIdent()
	}
	p.needWord(kwIn)
	p.need(tLParen)
	p.opItems(op)
	p.need(tRParen)
	p.need(tRParen)
	p.opAlias(op, start)
	return op
}

// matchRecognize reads MATCH_RECOGNIZE (..).
func (p *parser) matchRecognize() *ir.TableOp {
	op := &ir.TableOp{Kind: ir.OpMatch}
	start := p.t.pos
	p.next()
	if !p.enter() {
		return op
	}
	defer p.leave()
	p.need(tLParen)
	for p.turn() && !p.is(tRParen) && !p.is(tEOF) {
		if !p.matchClause(op) {
			p.expected("a clause of MATCH_RECOGNIZE")
		}
	}
	p.need(tRParen)
	p.opAlias(op, start)
	return op
}

func (p *parser) matchClause(op *ir.TableOp) bool {
	switch p.t.kw {
	case kwPartition:
		p.next()
		p.needWord(kwBy)
		op.PartitionBy = p.exprList()
	case kwOrder:
		p.next()
		p.needWord(kwBy)
		op.OrderBy = p.orderItems()
	case kwMeasures:
		p.next()
		op.Measures = p.matchItems()
	case kwOne, kwAll:
		op.AllRows = p.isWord(kwAll)
		p.skipToMatchClause()
	case kwAfter, kwWithin:
		p.skipToMatchClause()
	case kwPattern:
		p.next()
		p.patternSymbols(op)
		if p.isWord(kwWithin) {
			p.next()
			p.operand()
		}
	case kwSubset:
		p.next()
		for {
			op.Symbols = append(op.Symbols, p.aliasIdent())
			p.need(tEq)
			p.skipParens()
			if !p.accept(tComma) {
				return true
			}
		}
	case kwDefine:
		p.next()
		op.Define = p.defineItems()
	default:
		return false
	}
	return true
}

// skipToMatchClause skips a clause without expressions that matter.
func (p *parser) skipToMatchClause() {
	p.next()
	for !p.isAny(kwPattern, kwAfter, kwDefine, kwMeasures, kwSubset, kwWithin) && !p.is(tRParen) && !p.ended() {
		if p.isWord(kwTo) || p.isWord(kwPast) {
			p.next()
		}
		p.skipToken()
	}
}

// patternSymbols gathers the pattern variables of PATTERN (A B+ (C | D)*).
func (p *parser) patternSymbols(op *ir.TableOp) {
	p.need(tLParen)
	for depth := 1; depth > 0 && !p.ended(); p.next() {
		switch p.t.kind {
		case tLParen:
			depth++
		case tRParen:
			depth--
			if depth == 0 {
				p.next()
				return
			}
		case tIdent, tQuoted:
			if !p.isWord(kwPermute) && !hasIdent(op.Symbols, p.raw(p.t)) && len(op.Symbols) < maxSymbols {
				op.Symbols = append(op.Symbols, p.ident(p.t))
			}
		}
	}
}

// maxSymbols bounds the pattern variables kept; engines allow fewer.
const maxSymbols = 256

func hasIdent(list []ir.Ident, name string) bool {
	for _, id := range list {
		if id.Name == name {
			return true
		}
	}
	return false
}

// matchClauses are the words that start a clause of MATCH_RECOGNIZE behind MEASURES.
var matchClauses = wordSetOf("one all after within pattern subset define")

// matchItems reads the measures: [FINAL|RUNNING] expression [AS] name.
func (p *parser) matchItems() []ir.Item {
	var items []ir.Item
	for {
		if p.isAny(kwFinal, kwRunning) && p.peek(1).kind == tIdent {
			p.next()
		}
		e := p.expr()
		item := ir.Item{Expr: e}
		if p.word(kwAs) || p.is(tQuoted) || p.is(tIdent) && !matchClauses.has(p.t.kw) {
			item.Alias = p.aliasIdent()
		}
		items = append(items, item)
		if !p.accept(tComma) {
			return items
		}
	}
}

// defineItems reads name AS condition.
func (p *parser) defineItems() []ir.Item {
	var items []ir.Item
	for {
		name := p.aliasIdent()
		p.needWord(kwAs)
		items = append(items, ir.Item{Expr: p.expr(), Alias: name})
		if !p.accept(tComma) {
			return items
		}
	}
}

// pivotQuery reads DuckDB's PIVOT t ON c USING sum(x) GROUP BY g, and UNPIVOT t ON
// a, b INTO NAME n VALUE v, as a SELECT * from the table with the operation on it.
func (p *parser) pivotQuery() *ir.Select {
	s := p.mem.selcts.One()
	start := p.t.pos
	op := &ir.TableOp{Kind: ir.OpPivot}
	if p.isWord(kwUnpivot) {
		op.Kind = ir.OpUnpivot
	}
	p.next()
	f := p.mem.froms.One()
	p.element(f)
	f.Span = p.span(start)
	if p.word(kwOn) {
		p.pivotOn(op)
	}
	if p.word(kwUsing) {
		for {
			op.Aggregates = append(op.Aggregates, p.aliased(p.expr()))
			if !p.accept(tComma) {
				break
			}
		}
	}
	if p.words(kwGroup, kwBy) {
		op.GroupBy = p.exprList()
	}
	if p.word(kwInto) {
		p.unpivotInto(op)
	}
	op.Span = p.span(start)
	p.mem.more(f).Ops = []*ir.TableOp{op}
	s.Items = p.starItem(start)
	s.From = []*ir.From{f}
	s.Span = p.span(start)
	return s
}

// pivotOn reads the columns behind ON: those that PIVOT spreads, or those that
// UNPIVOT gathers.
func (p *parser) pivotOn(op *ir.TableOp) {
	for p.turn() {
		e := p.operand()
		if op.Kind == ir.OpUnpivot {
			op.In = append(op.In, p.aliased(e))
		} else {
			op.For = append(op.For, e)
			op.PivotAny = true
			if p.word(kwIn) {
				op.PivotAny = false
				p.pivotValues(op)
			}
		}
		if !p.accept(tComma) || p.isAny(kwInto, kwUsing) {
			return
		}
	}
}

func (p *parser) unpivotInto(op *ir.TableOp) {
	p.needWord(kwName)
	op.Key = p.aliasIdent()
	p.needWord(kwValue)
	for {
		op.Into = append(op.Into, p.aliasIdent())
		if !p.accept(tComma) {
			return
		}
	}
}
