package grammar

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// options reads (name = value, name value, name = (nested ..)). Names are in lower
// case. What has another form is skipped up to the next comma.
func (p *parser) options() []ir.Option {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	p.need(tLParen)
	var list []ir.Option
	for p.turn() && !p.is(tRParen) && !p.is(tEOF) {
		if o, ok := p.option(); ok {
			list = append(list, o)
		} else {
			p.skipElement()
		}
		for !p.is(tComma) && !p.is(tRParen) && !p.optionFollows() && !p.ended() {
			p.skipToken()
		}
		if !p.accept(tComma) && !p.optionFollows() {
			break
		}
	}
	p.need(tRParen)
	return list
}

// optionFollows tells whether another option follows without a comma between.
func (p *parser) optionFollows() bool {
	return (p.is(tIdent) || p.is(tString)) && (p.peek(1).kind == tEq || p.is(tIdent) && p.peek(1).kind == tString)
}

// option reads one option.
func (p *parser) option() (ir.Option, bool) {
	if !anyPart(p.t) {
		return ir.Option{}, false
	}
	o := ir.Option{Name: strings.ToLower(p.optionName())}
	p.accept(tEq)
	p.accept(tFatArrow)
	switch p.t.kind {
	case tComma, tRParen:
		return o, true
	case tString, tBody:
		o.Value = p.stringLiteral()
	case tNumber, tMinus:
		o.Value = p.sign2()
	case tLBracket:
		o.Value = p.arrayLiteral(p.t.pos)
	case tLParen:
		p.nestedOption(&o)
	case tIdent, tQuoted, tTemplate, tBind, tVariable, tStage:
		o.Value = p.optionWord()
	default:
		return o, false
	}
	return o, true
}

// optionName reads a name of words with dots and dashes, or a quoted one.
func (p *parser) optionName() string {
	if p.is(tString) {
		s := p.stringValue(p.t)
		p.next()
		return s
	}
	if p.is(tQuoted) {
		return p.aliasIdent().Name
	}
	start := p.t
	p.next()
	for (p.is(tDot) || p.is(tMinus)) && anyPart(p.peek(1)) {
		p.next()
		p.next()
	}
	return p.between(start)
}

// sign2 reads a number with its sign.
func (p *parser) sign2() *ir.Expr {
	start := p.t
	p.accept(tMinus)
	p.next()
	return p.literal(start)
}

// nestedOption reads (a = 1, b = 2), a list of values, or a query.
func (p *parser) nestedOption(o *ir.Option) {
	if k := p.peek(2).kind; p.peek(1).kind == tIdent && (k == tEq || k == tIdent) && !p.queryAt(1) {
		o.Items = p.options()
		return
	}
	start := p.t.pos
	q, list := p.parenList(nil)
	if q != nil {
		o.Value = p.subqueryOf(q, start)
		return
	}
	e := p.node(ir.ExprTuple, start)
	e.Args = list
	o.Value = e
}

// optionWord reads a value that is a word, a dotted name or a call.
func (p *parser) optionWord() *ir.Expr {
	start := p.t
	if p.is(tIdent) && p.f.reserved.has(p.t.kw) && p.peek(1).kind != tDot && !p.isWord(kwArray) {
		p.next()
		return p.literal(start)
	}
	if p.is(tIdent) && p.peek(1).kind == tLParen || p.is(tIdent) && p.peek(1).kind == tString && dateUnit(p.raw(p.t)) || p.isAny(kwTimestamp, kwDate, kwInterval, kwArray) {
		return p.operand()
	}
	p.next()
	for p.is(tDot) && anyPart(p.peek(1)) {
		p.next()
		p.next()
	}
	e := p.literal(start)
	e.Text = strings.Trim(e.Text, "`\"")
	return e
}
