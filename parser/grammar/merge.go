package grammar

import "github.com/tributary-data/tributary/parser/ir"

// merge reads MERGE.
func (p *parser) merge(with *ir.With) ir.Node {
	m := &ir.Merge{With: with}
	p.next()
	p.topClause()
	if p.words(kwWith, kwSchema) {
		p.next()
	}
	p.word(kwInto)
	m.Target = p.fromElement(ir.JoinComma)
	p.needWord(kwUsing)
	m.Source = p.fromElement(ir.JoinComma)
	switch {
	case p.word(kwOn):
		m.On = p.expr()
	case p.isWord(kwUsing) && p.peek(1).kind == tLParen:
		p.next()
		m.Source.Using = p.exceptList()
	default:
		p.expected("ON")
	}
	if p.isWord(kwRemove) { // Redshift: REMOVE DUPLICATES
		start := p.t.pos
		p.next()
		p.next()
		m.Whens = []*ir.MergeWhen{{Span: p.span(start), Matched: true, Update: true, Star: true}, {Span: p.span(start), Insert: true, Star: true}}
	}
	for p.turn() && p.isWord(kwWhen) {
		m.Whens = append(m.Whens, p.mergeWhen())
	}
	if len(m.Whens) == 0 && !p.failed() {
		p.expected("WHEN")
	}
	for p.turn() && p.mergeClause(m) {
	}
	return m
}

func (p *parser) mergeClause(m *ir.Merge) bool {
	switch p.t.kw {
	case kwOutput:
		m.Output = p.output()
	case kwReturning:
		m.Returning, _ = p.returning()
	case kwLog:
		if p.peek(1).kw != kwErrors {
			return false
		}
		m.ErrorLog = p.logErrors()
	default:
		return p.dmlTail()
	}
	return true
}

// mergeWhen reads one WHEN branch.
func (p *parser) mergeWhen() *ir.MergeWhen {
	w := &ir.MergeWhen{}
	start := p.t.pos
	p.next()
	w.Matched = !p.word(kwNot)
	p.needWord(kwMatched)
	if p.word(kwBy) {
		w.BySource = p.isWord(kwSource)
		p.next()
	}
	if p.word(kwAnd) {
		w.Cond = p.expr()
	}
	p.needWord(kwThen)
	switch {
	case p.word(kwUpdate):
		w.Update = true
		p.mergeUpdate(w)
	case p.word(kwInsert):
		w.Insert = true
		p.mergeInsert(w)
	case p.word(kwDelete):
		w.Delete = true
	case p.words(kwDo, kwNothing):
	case p.isWord(kwRaise), p.isWord(kwError): // DuckDB: ERROR 'message'
		p.next()
		if p.is(tString) {
			p.next()
		}
	default:
		p.expected("UPDATE, INSERT, DELETE or DO NOTHING")
	}
	for p.turn() && p.mergeCondition(w) {
	}
	w.Span = p.span(start)
	return w
}

// mergeCondition reads Oracle's WHERE and DELETE WHERE behind a branch.
func (p *parser) mergeCondition(w *ir.MergeWhen) bool {
	switch {
	case p.word(kwWhere):
		w.Where = p.expr()
	case p.isWords(kwDelete, kwWhere):
		p.next()
		p.next()
		w.DeleteWhere = p.expr()
	default:
		return false
	}
	return true
}

func (p *parser) mergeUpdate(w *ir.MergeWhen) {
	switch {
	case p.accept(tStar):
		w.Star = true
		return
	case p.words(kwAll, kwBy, kwName), p.words(kwBy, kwName), p.words(kwBy, kwPosition):
		w.Star = true
		return
	case !p.isWord(kwSet) && (p.ended() || p.isWord(kwWhen)):
		w.Star = true // DuckDB: UPDATE alone
		return
	}
	p.needWord(kwSet)
	if p.accept(tStar) {
		w.Star = true
		if p.anyWord(kwExcept, kwExclude) {
			w.Except = p.exceptList()
		}
		return
	}
	w.Set = p.assignments()
}

func (p *parser) mergeInsert(w *ir.MergeWhen) {
	switch {
	case p.accept(tStar):
		w.Star = true
		if p.anyWord(kwExcept, kwExclude) {
			w.Except = p.exceptList()
		}
		return
	case p.words(kwAll, kwBy, kwName), p.words(kwBy, kwName), p.words(kwBy, kwPosition), p.word(kwRow):
		w.Star = true
		return
	case p.ended() || p.isWord(kwWhen):
		w.Star = true
		return
	}
	if p.is(tLParen) {
		w.Columns = p.insertColumns()
	}
	if p.word(kwOverriding) {
		p.next()
		p.word(kwValue)
	}
	switch {
	case p.words(kwDefault, kwValues):
	case p.word(kwRow):
		w.Star = true
	case p.anyWord(kwValues, kwValue):
		if p.is(tLParen) {
			_, w.Values = p.parenList(nil)
			break
		}
		w.Values = []*ir.Expr{p.expr()}
	default:
		p.expected("VALUES")
	}
}
