package grammar

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// primary reads an operand without the operators around it.
func (p *parser) primary() *ir.Expr {
	t := p.t
	switch t.kind {
	case tNumber:
		p.next()
		return p.literal(t)
	case tString:
		if p.char(t.pos) == '"' && p.peek(1).kind == tDot && p.peek(1).pos == t.end {
			return p.column()
		}
		return p.stringLiteral()
	case tBody:
		p.next()
		e := p.literal(t)
		e.Text, e.IsString = p.stringValue(t), true
		return e
	case tIdent:
		return p.wordPrimary()
	case tQuoted:
		return p.column()
	case tTemplate, tBind:
		if p.peek(1).kind == tDot && p.peek(1).pos == t.end || p.peek(1).kind == tLParen && p.peek(1).pos == t.end {
			return p.column()
		}
		p.next()
		return p.param(t)
	case tVariable:
		return p.variable()
	case tQuestion:
		p.next()
		return p.param(t)
	case tLParen:
		q, list := p.parenList(nil)
		return p.parenthesised(q, list, t.pos)
	case tStar:
		p.next()
		if p.isWord(kwColumns) && p.peek(1).kind == tLParen {
			return p.columnsStar(nil, t.pos)
		}
		e := p.node(ir.ExprStar, t.pos)
		p.starModifiers(e)
		return e
	}
	return p.rarePrimary()
}

func (p *parser) rarePrimary() *ir.Expr {
	t := p.t
	switch t.kind {
	case tColon:
		return p.bind()
	case tLBracket:
		return p.arrayLiteral(t.pos)
	case tLBrace:
		return p.braceLiteral()
	case tStage:
		p.next()
		e := p.literal(t)
		e.IsString = true
		return e
	case tHash, tDollar:
		if n := p.peek(1); n.kind == tNumber && n.pos == t.end {
			p.next()
			p.next()
			return p.param(t)
		}
	}
	p.expected("an expression")
	return p.node(ir.ExprLiteral, t.pos)
}

// variable reads @x, $x, and MySQL's @x := e.
func (p *parser) variable() *ir.Expr {
	t := p.t
	p.next()
	if p.is(tAssign) {
		p.next()
		value := p.expr()
		e := p.node(ir.ExprAssign, t.pos)
		e.Text = p.raw(t)
		e.Args = p.mem.args.Copy([]*ir.Expr{value})
		return e
	}
	e := p.node(ir.ExprParam, t.pos)
	e.Text = p.raw(t)
	return e
}

// bind reads :name, :1, :'name'. A field of a bound record (:NEW.id) is a column.
func (p *parser) bind() *ir.Expr {
	t := p.t
	p.next()
	if !anyPart(p.t) || p.t.pos != t.end {
		p.expected("the name of a bound value")
		return p.node(ir.ExprLiteral, t.pos)
	}
	if p.is(tIdent) && p.peek(1).kind == tDot {
		e := p.column()
		e.Start = int32(t.pos)
		return e
	}
	p.next()
	return p.param(t)
}

// wordPrimary reads an operand that starts with a word.
func (p *parser) wordPrimary() *ir.Expr {
	kw := p.t.kw
	if kw == 0 {
		return p.column()
	}
	if e := p.keywordPrimary(kw); e != nil {
		return e
	}
	if p.f.typedBinds && (kw == kwAnd || kw == kwOr) && p.peek(1).kind == tLParen {
		return p.column() // ClickHouse has them as functions too
	}
	if kw == kwKey && p.f.keyColumns {
		return p.column()
	}
	if p.f.reserved.has(kw) && !joinSides.has(kw) && p.peek(1).kind != tLParen && p.peek(1).kind != tDot || neverOperand.has(kw) {
		p.expected("an expression")
		return p.node(ir.ExprLiteral, p.t.pos)
	}
	return p.column()
}

// keywordPrimary reads the operands that a keyword starts, or gives nil if this
// keyword is an ordinary name here.
func (p *parser) keywordPrimary(kw keyword) *ir.Expr {
	t, second := p.t, p.peek(1)
	switch kw {
	case kwNull, kwTrue, kwFalse, kwDefault:
		if second.kind == tLParen || second.kind == tDot {
			return nil
		}
		p.next()
		return p.literal(t)
	case kwCase:
		return p.caseExpr()
	case kwCast, kwTryCast, kwSafeCast, kwConvert, kwTryConvert, kwParse, kwTryParse, kwXmlcast:
		if second.kind == tLParen {
			return p.cast()
		}
	case kwExists:
		if second.kind == tLParen {
			return p.exists()
		}
	case kwInterval:
		return p.interval()
	case kwDate, kwTime, kwTimestamp, kwDatetime, kwTimestamptz, kwTimetz, kwJson, kwNumeric, kwBignumeric, kwDecimal, kwXml, kwGeography, kwBytes, kwChar, kwVarchar, kwDouble, kwReal, kwBigint, kwInteger:
		if second.kind == tString && second.flags&flagNewline == 0 {
			p.next()
			p.next()
			return p.literal(t)
		}
		return p.typedLiteral()
	case kwArray, kwMap, kwStruct, kwRow, kwMultiset, kwCursor:
		return p.constructor(kw)
	case kwNext:
		if p.isWords(kwNext, kwValue, kwFor) {
			return p.nextValue(3)
		}
	case kwNextval, kwPrevval:
		if second.kw == kwFor {
			return p.nextValue(2)
		}
	case kwCollation:
		if second.kw == kwFor && p.peek(2).kind == tLParen {
			p.next()
			p.next()
			return p.call(p.mem.idents.Copy([]ir.Ident{p.ident(t)}), t)
		}
	case kwLambda:
		if second.kind == tIdent {
			return p.pythonLambda()
		}
	case kwColumns:
		if second.kind == tLParen {
			return p.columnsStar(nil, t.pos)
		}
	}
	return nil
}

// typedLiteral reads TIMESTAMP WITH TIME ZONE '..' and TIMESTAMP(3) '..'.
func (p *parser) typedLiteral() *ir.Expr {
	t := p.t
	n := 1
	if p.peek(1).kind == tLParen && p.peek(2).kind == tNumber && p.peek(3).kind == tRParen {
		n = 4
	}
	if (p.peek(n).kw == kwWith || p.peek(n).kw == kwWithout) && p.peek(n+1).kw == kwTime {
		n += 3
	}
	if n == 1 || p.peek(n).kind != tString {
		return nil
	}
	for range n + 1 {
		p.next()
	}
	return p.literal(t)
}

func (p *parser) nextValue(words int) *ir.Expr {
	t := p.t
	for range words {
		p.next()
	}
	p.name("a sequence")
	if p.isWord(kwOver) && p.peek(1).kind == tLParen {
		p.next()
		p.skipBrackets()
	}
	return p.literal(t)
}

// interval reads INTERVAL '1' DAY, INTERVAL 1 + x DAY, INTERVAL '1 day', or gives
// nil if INTERVAL is a name here.
func (p *parser) interval() *ir.Expr {
	t, second := p.t, p.peek(1)
	switch {
	case second.kind == tLParen && p.afterParens(64).kind != tIdent && p.afterParens(64).kind != tString:
		return nil // the function INTERVAL(a, b)
	case !operandFollows(second) && second.kind != tPlus, second.kind == tIdent && p.f.reserved.has(second.kw) && p.peek(2).kind != tLParen && second.kw != kwCase:
		return nil
	}
	p.next()
	value := p.operandWithoutUnit()
	if p.is(tIdent) && dateUnit(p.raw(p.t)) {
		p.next()
		p.skipParens()
		if p.isWord(kwTo) && dateUnit(p.raw(p.peek(1))) {
			p.next()
			p.next()
			p.skipParens()
		}
		for (p.is(tNumber) || p.is(tString)) && p.peek(1).kind == tIdent && dateUnit(p.raw(p.peek(1))) {
			p.next() // Spark: INTERVAL 1 YEAR 2 MONTH
			p.next()
		}
	}
	if value.Kind == ir.ExprLiteral {
		return p.literal(t)
	}
	e := p.node(ir.ExprOp, t.pos)
	e.Text = "INTERVAL"
	e.Args = p.mem.args.Copy([]*ir.Expr{value})
	return e
}

// operandWithoutUnit reads the amount of an interval.
func (p *parser) operandWithoutUnit() *ir.Expr {
	var value *ir.Expr
	if p.is(tMinus) || p.is(tPlus) {
		value = p.sign()
	} else {
		value = p.postfix(p.primary())
	}
	if p.is(tIdent) {
		return value
	}
	if p.isInfixArithmetic() {
		return p.binaryFrom(value, precAdd)
	}
	return value
}

// isInfixArithmetic tells whether the amount of an interval goes on (INTERVAL a * 2
// DAY): then a unit must still follow, which is looked for a few tokens on.
func (p *parser) isInfixArithmetic() bool {
	prec, _, _ := p.binaryOperator()
	if prec < precAdd {
		return false
	}
	for n := 1; n < 12; n++ {
		t := p.peek(n)
		switch t.kind {
		case tIdent:
			if dateUnit(p.raw(t)) {
				return true
			}
			if t.kw != 0 && p.f.reserved.has(t.kw) {
				return false
			}
		case tRParen, tComma, tString, tEOF, tSemi:
			return false
		}
	}
	return false
}

// exists reads EXISTS (query), or the function EXISTS(array, lambda).
func (p *parser) exists() *ir.Expr {
	t := p.t
	if n := p.peek(2); n.kw != kwSelect && n.kw != kwWith && n.kw != kwFrom && n.kw != kwValues && n.kw != kwTable && n.kind != tLParen {
		return nil
	}
	p.next()
	q, list := p.parenList(nil)
	if q == nil {
		e := p.node(ir.ExprCall, t.pos)
		e.Name = p.mem.idents.Copy([]ir.Ident{p.ident(t)})
		e.Args = list
		return e
	}
	e := p.node(ir.ExprExists, t.pos)
	e.Query = q
	return e
}

// caseExpr reads CASE.
func (p *parser) caseExpr() *ir.Expr {
	if k := p.peek(1).kind; k == tDot || k == tComma {
		return nil
	}
	if !p.enter() {
		return p.node(ir.ExprLiteral, p.t.pos)
	}
	defer p.leave()
	start := p.t.pos
	p.next()
	c := p.mem.cases.One()
	if !p.isWord(kwWhen) {
		c.Operand = p.expr()
	}
	var room [4]ir.When
	whens := room[:0]
	for p.word(kwWhen) {
		cond := p.expr()
		for p.accept(tComma) {
			p.expr()
		}
		p.needWord(kwThen)
		whens = append(whens, ir.When{Cond: cond, Then: p.expr()})
	}
	c.Whens = p.mem.whens.Copy(whens)
	if p.word(kwElse) {
		c.Else = p.expr()
	}
	if len(whens) == 0 {
		p.expected("WHEN")
	}
	p.needWord(kwEnd)
	e := p.node(ir.ExprCase, start)
	e.More = c
	return e
}

// cast reads CAST(e AS type) and the other ways to say it.
func (p *parser) cast() *ir.Expr {
	start, kw := p.t.pos, p.t.kw
	name := p.t
	p.next()
	p.next()
	if !p.enter() {
		return p.node(ir.ExprLiteral, start)
	}
	defer p.leave()
	var e, value *ir.Expr
	var typ string
	switch {
	case (kw == kwConvert || kw == kwTryConvert) && p.f.convertTypeFirst:
		typ = p.dataType()
		p.need(tComma)
		value = p.expr()
	default:
		if p.startsQuery() {
			value = p.subqueryOf(p.query(), p.t.pos)
		} else {
			value = p.expr()
		}
		switch {
		case p.word(kwAs):
			typ = p.castType()
		case p.isWord(kwUsing):
		case p.accept(tComma) && kw == kwConvert && !p.is(tString):
			typ = p.dataType()
		}
	}
	p.closeCall()
	if typ == "" {
		e = p.node(ir.ExprCall, start)
		e.Name = p.mem.idents.Copy([]ir.Ident{p.ident(name)})
	} else {
		e = p.node(ir.ExprCast, start)
		e.Text = typ
	}
	e.Args = p.mem.args.Copy([]*ir.Expr{value})
	return e
}

// castType reads the type of a cast; some engines take it as a string.
func (p *parser) castType() string {
	if p.is(tString) {
		t := p.t
		p.next()
		return p.stringValue(t)
	}
	return p.dataType()
}

// closeCall skips the clauses that are left before a call's closing bracket.
func (p *parser) closeCall() {
	for !p.is(tRParen) && !p.ended() {
		p.skipToken()
	}
	p.need(tRParen)
}

func (p *parser) subqueryOf(q *ir.Query, start uint32) *ir.Expr {
	e := p.node(ir.ExprSubquery, start)
	e.Query = q
	return e
}

// constructor reads ARRAY[..], MAP[..], STRUCT(..), ROW(..) and their like, or
// gives nil if the word is a name here.
func (p *parser) constructor(kw keyword) *ir.Expr {
	t, second := p.t, p.peek(1)
	switch {
	case second.kind == tLBracket && kw == kwArray:
		p.next()
		return p.arrayLiteral(t.pos)
	case second.kind == tLBracket && kw == kwMap:
		p.next()
		e := p.arrayLiteral(t.pos)
		e.Kind = ir.ExprMap
		return e
	case second.kind == tLBracket && kw == kwMultiset:
		p.next()
		return p.arrayLiteral(t.pos)
	case second.kind == tLBrace && kw == kwMap:
		p.next()
		return p.braceLiteral()
	case second.kind == tLt && (kw == kwArray || kw == kwStruct):
		return p.typedConstructor(kw)
	case second.kind != tLParen:
		return nil
	case kw == kwStruct || kw == kwRow:
		p.next()
		return p.structCall(t.pos)
	case kw == kwArray || kw == kwMultiset || kw == kwCursor:
		return p.arrayCall(kw)
	}
	return nil
}

// typedConstructor reads ARRAY<T>[..] and STRUCT<..>(..).
func (p *parser) typedConstructor(kw keyword) *ir.Expr {
	start := p.t
	p.next()
	p.angleBrackets()
	switch {
	case p.is(tLBracket):
		return p.arrayLiteral(start.pos)
	case p.is(tLParen) && kw == kwStruct:
		e := p.structCall(start.pos)
		p.nameFields(e, start)
		return e
	case p.is(tLParen):
		_, list := p.parenList(nil)
		e := p.node(ir.ExprArray, start.pos)
		e.Args = list
		return e
	}
	p.expected("the values of the " + strings.ToLower(kw.String()))
	return p.node(ir.ExprLiteral, start.pos)
}

// nameFields gives the values of STRUCT<a INT, b STRING>(1, 'x') the names in the
// type that stands before them.
func (p *parser) nameFields(e *ir.Expr, start token) {
	i := p.i
	for i > 0 && p.toks[i].pos > start.pos {
		i--
	}
	fields, _ := e.More.(ir.Fields)
	n, depth := 0, 0
	for i++; i < len(p.toks) && n < len(fields); i++ {
		switch t := p.toks[i]; t.kind {
		case tLt, tLParen:
			depth++
			if depth == 1 && t.kind == tLt {
				p.nameField(fields, &n, i+1)
			}
			continue
		case tShr:
			depth -= 2
		case tGt, tRParen:
			depth--
		case tComma:
			if depth == 1 {
				p.nameField(fields, &n, i+1)
			}
		}
		if depth <= 0 {
			return
		}
	}
}

func (p *parser) nameField(fields ir.Fields, n *int, i int) {
	if *n < len(fields) && anyPart(p.toks[i]) && anyPart(p.toks[i+1]) && !fields[*n].Set() {
		fields[*n] = p.ident(p.toks[i])
	}
	*n++
}

// structCall reads the values of a struct or row, which may be named.
func (p *parser) structCall(start uint32) *ir.Expr {
	q, list := p.parenList(nil)
	if q != nil {
		e := p.node(ir.ExprStruct, start)
		e.Args = p.mem.args.Copy([]*ir.Expr{p.subqueryOf(q, start)})
		return e
	}
	e := p.node(ir.ExprStruct, start)
	e.Args = list
	fields := make(ir.Fields, len(list))
	for i, a := range list {
		if a.Kind == ir.ExprAlias {
			fields[i] = a.Name[0]
			list[i] = a.Args[0]
		}
	}
	e.More = fields
	return e
}

// arrayCall reads ARRAY(query), ARRAY(a, b), MULTISET(query), CURSOR(query).
func (p *parser) arrayCall(kw keyword) *ir.Expr {
	t := p.t
	p.next()
	q, list := p.parenList(nil)
	if q == nil && kw != kwArray {
		e := p.node(ir.ExprCall, t.pos)
		e.Name = p.mem.idents.Copy([]ir.Ident{p.ident(t)})
		e.Args = list
		return e
	}
	e := p.node(ir.ExprArray, t.pos)
	e.Query, e.Args = q, list
	return e
}

// arrayLiteral reads [a, b, c], a DuckDB list comprehension, or a map [k: v].
func (p *parser) arrayLiteral(start uint32) *ir.Expr {
	if !p.enter() {
		return p.node(ir.ExprLiteral, start)
	}
	defer p.leave()
	p.need(tLBracket)
	mark := len(p.mem.argStack)
	for p.turn() && !p.is(tRBracket) && !p.is(tEOF) {
		p.mem.argStack = append(p.mem.argStack, p.namedExpr())
		if p.isWord(kwFor) {
			p.comprehension()
			break
		}
		if !p.accept(tComma) && !p.accept(tColon) {
			break
		}
	}
	p.need(tRBracket)
	e := p.node(ir.ExprArray, start)
	e.Args = p.mem.takeArgs(mark)
	return e
}

// comprehension reads FOR x [, i] IN list [IF condition] and leaves it on the stack as
// the calls with lambdas that it is.
func (p *parser) comprehension() {
	top := len(p.mem.argStack) - 1
	body := p.mem.argStack[top]
	p.next()
	names := []ir.Ident{p.aliasIdent()}
	if p.accept(tComma) {
		names = append(names, p.aliasIdent())
	}
	p.needWord(kwIn)
	list := p.expr()
	if p.word(kwIf) {
		list = p.overList("list_filter", list, names, p.expr())
	}
	p.mem.argStack[top] = p.overList("list_transform", list, names, body)
}

// overList is a call of a function that goes over a list with a lambda.
func (p *parser) overList(function string, list *ir.Expr, names []ir.Ident, body *ir.Expr) *ir.Expr {
	lambda := p.node(ir.ExprLambda, uint32(body.Start))
	lambda.Name = p.mem.idents.Copy(names)
	lambda.Args = p.mem.args.Copy([]*ir.Expr{body})
	call := p.node(ir.ExprCall, uint32(body.Start))
	call.Name = p.mem.idents.Copy([]ir.Ident{{Name: function, Start: body.Start}})
	call.Args = p.mem.args.Copy([]*ir.Expr{list, lambda})
	return call
}

// braceLiteral reads {'a': 1, b: 2}, {*}, and ODBC escapes {fn f(x)}, {d '..'}.
func (p *parser) braceLiteral() *ir.Expr {
	if !p.enter() {
		return p.node(ir.ExprLiteral, p.t.pos)
	}
	defer p.leave()
	start := p.t
	isMap := p.prev().kw == kwMap
	p.next()
	if p.is(tIdent) && p.peek(1).kind != tColon && !p.is(tRBrace) {
		return p.odbcEscape(start)
	}
	mark, names := len(p.mem.argStack), len(p.mem.identStack)
	for !p.is(tRBrace) && !p.is(tEOF) {
		p.braceEntry(isMap)
		if !p.accept(tComma) {
			break
		}
	}
	p.need(tRBrace)
	e := p.node(ir.ExprStruct, start.pos)
	if isMap {
		e.Kind = ir.ExprMap
	} else {
		e.More = ir.Fields(p.mem.takeIdents(names))
	}
	e.Args = p.mem.takeArgs(mark)
	return e
}

// braceEntry reads one key: value of a brace literal.
func (p *parser) braceEntry(isMap bool) {
	if p.is(tStar) {
		p.mem.identStack = append(p.mem.identStack, ir.Ident{})
		p.mem.argStack = append(p.mem.argStack, p.primary())
		return
	}
	if isMap || !anyPart(p.t) || p.is(tNumber) {
		p.mem.argStack = append(p.mem.argStack, p.expr())
		if !isMap {
			p.mem.identStack = append(p.mem.identStack, ir.Ident{})
			p.mem.argStack = p.mem.argStack[:len(p.mem.argStack)-1]
		}
	} else {
		p.mem.identStack = append(p.mem.identStack, p.aliasIdent())
	}
	if !p.accept(tColon) {
		p.need(tAssign)
	}
	p.mem.argStack = append(p.mem.argStack, p.expr())
}

// odbcEscape reads what follows an opening brace that no key follows.
func (p *parser) odbcEscape(start token) *ir.Expr {
	if p.peek(1).kind == tString {
		p.next()
		p.next()
		p.need(tRBrace)
		return p.literal(start)
	}
	if p.peek(1).kind == tIdent || p.peek(1).kind == tQuoted {
		p.next()
	}
	e := p.expr()
	p.need(tRBrace)
	return e
}

// lambda reads -> body after its parameters.
func (p *parser) lambda(params []*ir.Expr, start uint32) *ir.Expr {
	if !p.enter() {
		return p.node(ir.ExprLiteral, start)
	}
	defer p.leave()
	p.next()
	mark := len(p.mem.identStack)
	for _, a := range params {
		if a.Kind == ir.ExprColumn && len(a.Name) == 1 {
			p.mem.identStack = append(p.mem.identStack, a.Name[0])
		}
	}
	names := p.mem.takeIdents(mark)
	body := p.expr()
	e := p.node(ir.ExprLambda, start)
	e.Name = names
	e.Args = p.mem.args.Copy([]*ir.Expr{body})
	return e
}

// pythonLambda reads DuckDB's lambda x, y: body, or gives nil.
func (p *parser) pythonLambda() *ir.Expr {
	n := 1
	for p.turn() && p.peek(n).kind == tIdent && p.peek(n+1).kind == tComma && n < 16 {
		n += 2
	}
	if p.peek(n).kind != tIdent || p.peek(n+1).kind != tColon {
		return nil
	}
	start := p.t.pos
	p.next()
	mark := len(p.mem.identStack)
	for {
		p.mem.identStack = append(p.mem.identStack, p.aliasIdent())
		if !p.accept(tComma) {
			break
		}
	}
	names := p.mem.takeIdents(mark)
	p.need(tColon)
	body := p.expr()
	e := p.node(ir.ExprLambda, start)
	e.Name = names
	e.Args = p.mem.args.Copy([]*ir.Expr{body})
	return e
}
