package grammar

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// Binding strengths of operators, weakest first.
const (
	precOr = iota + 1
	precXor
	precAnd
	precNot
	precCompare
	precBit
	precAdd
	precMul
	precPower
)

// expr reads an expression.
func (p *parser) expr() *ir.Expr {
	e := p.binary(precOr)
	if p.is(tQuestion) && p.f.ternary {
		return p.ternary(e)
	}
	return e
}

// ternary reads ClickHouse's condition ? a : b.
func (p *parser) ternary(cond *ir.Expr) *ir.Expr {
	if !p.enter() {
		return cond
	}
	defer p.leave()
	p.next()
	then := p.expr()
	p.need(tColon)
	otherwise := p.expr()
	e := p.node(ir.ExprCall, uint32(cond.Start))
	e.Name = p.mem.idents.Copy([]ir.Ident{{Name: "if", Start: cond.Start}})
	e.Args = p.mem.args.Copy([]*ir.Expr{cond, then, otherwise})
	return e
}

// lambdaFollows tells whether the arrow at the cursor makes a lambda of what
// stands before it.
func (p *parser) lambdaFollows() bool {
	if !p.is(tArrow) || p.f.arrowIsJSON {
		return false
	}
	k := p.peek(1).kind
	return !p.f.arrowBoth || k != tString && k != tNumber
}

// operand reads an expression that binds tighter than comparisons, as BETWEEN
// and frame bounds take.
func (p *parser) operand() *ir.Expr { return p.binary(precBit) }

// node makes an expression that starts at a position and ends at the last token.
func (p *parser) node(k ir.ExprKind, start uint32) *ir.Expr {
	if p.crowded() {
		p.limit(limitMemory)
	}
	e := p.mem.exprs.One()
	e.Kind = k
	e.Start, e.End = int32(start), int32(p.prev().end)
	return e
}

// op makes an operator node with operands.
func (p *parser) op(text string, start int32, args ...*ir.Expr) *ir.Expr {
	e := p.node(ir.ExprOp, uint32(start))
	e.Text = text
	e.Args = p.mem.args.Copy(args)
	return e
}

// binary reads an expression whose operators bind at least as strongly as least.
func (p *parser) binary(least int) *ir.Expr {
	return p.binaryFrom(p.prefix(least), least)
}

// binaryFrom goes on with an expression whose first operand has been read.
// Operators of one strength that follow each other make one flat node.
func (p *parser) binaryFrom(left *ir.Expr, least int) *ir.Expr {
	for chain := 0; ; chain++ {
		prec, text, width := p.binaryOperator()
		if prec == 0 || prec < least {
			return left
		}
		if chain > p.lim.MaxNesting {
			p.limit(limitNesting)
			return left
		}
		if prec == precCompare {
			left = p.comparison(left, text, width)
			continue
		}
		left = p.chain(left, prec, text, width)
	}
}

// chain reads all operands of operators of one strength.
func (p *parser) chain(left *ir.Expr, prec int, text string, width int) *ir.Expr {
	mark := len(p.mem.argStack)
	p.mem.argStack = append(p.mem.argStack, left)
	for again := prec; again == prec; again, _, width = p.binaryOperator() {
		for range width {
			p.next()
		}
		if prec == precAdd && (p.is(tPlus) || p.is(tMinus)) {
			for p.is(tPlus) || p.is(tMinus) {
				p.next()
			}
		}
		right := p.binary(prec + 1)
		p.mem.argStack = append(p.mem.argStack, right)
	}
	e := p.node(ir.ExprOp, uint32(left.Start))
	e.Text = text
	e.Args = p.mem.takeArgs(mark)
	return e
}

// binaryOperator tells the strength of the operator at the cursor, 0 if there is
// none, its text, and how many tokens it has.
func (p *parser) binaryOperator() (prec int, text string, width int) {
	switch p.t.kind {
	case tIdent:
		return p.wordOperator()
	case tPlus:
		return precAdd, "+", 1
	case tMinus:
		return precAdd, "-", 1
	case tConcat:
		return precAdd, "||", 1
	case tStar:
		if p.outerJoinSign(tEq) {
			return precCompare, "=", 2
		}
		return precMul, "*", 1
	case tSlash:
		return precMul, "/", 1
	case tPercent:
		return precMul, "%", 1
	case tEq:
		return precCompare, "=", 1 + boolInt(p.outerJoinSign(tStar))
	case tNe:
		return precCompare, "<>", 1
	case tLt:
		return precCompare, "<", 1 + boolInt(p.peek(1).kind == tEq)
	case tGt:
		return precCompare, ">", 1 + boolInt(p.peek(1).kind == tEq)
	case tLe:
		return precCompare, "<=", 1
	case tGe:
		return precCompare, ">=", 1
	case tNullSafe:
		return precCompare, "<=>", 1
	case tAmpAmp:
		if p.f.operatorRuns {
			return precCompare, "&&", 1
		}
		return precAnd, "AND", 1
	}
	return p.rareOperator()
}

// outerJoinSign tells the second half of T-SQL's old outer joins, a *= b and a =* b.
func (p *parser) outerJoinSign(second kind) bool {
	next := p.peek(1)
	return p.f.noSemicolons && next.kind == second && next.pos == p.t.end
}

func (p *parser) rareOperator() (prec int, text string, width int) {
	switch p.t.kind {
	case tPipe:
		return precBit, "|", 1
	case tAmp:
		return precBit, "&", 1
	case tHash:
		return precBit, "#", 1
	case tShl:
		return precBit, "<<", 1
	case tShr:
		return precBit, ">>", 1
	case tCaret:
		return precPower, "^", 1
	case tTilde:
		return precCompare, "~", 1
	case tOperator:
		return precCompare, p.raw(p.t), 1
	case tBang:
		if p.peek(1).kind == tEq {
			return precCompare, "<>", 2
		}
	case tQuestion:
		if p.f.questionOps {
			return precCompare, "?", 1
		}
	case tAt:
		if p.f.operatorRuns {
			return precCompare, "@", 1
		}
	case tVariable:
		if p.f.operatorRuns && p.char(p.t.pos) == '@' {
			return precCompare, "@", 1
		}
	}
	return 0, "", 0
}

// wordOperator tells the operators that are words.
func (p *parser) wordOperator() (prec int, text string, width int) {
	switch p.t.kw {
	case 0:
		return 0, "", 0
	case kwAnd:
		return precAnd, "AND", 1
	case kwOr:
		return precOr, "OR", 1
	case kwXor:
		return precXor, "XOR", 1
	case kwNot:
		return p.notOperator()
	case kwIs, kwIn, kwLike, kwBetween, kwIlike, kwRlike, kwRegexp, kwIregexp, kwSimilar, kwIsnull, kwNotnull, kwOverlaps:
		return precCompare, p.t.kw.upper(), 1
	case kwMember, kwSounds, kwMatch, kwGlob, kwGlobal, kwContains, kwSubmultiset, kwMultiset, kwMatches, kwMatchAny, kwMatchAll, kwMatchPhrase:
		return p.rareWordOperator()
	case kwDiv, kwMod:
		if operandFollows(p.peek(1)) {
			return precMul, p.t.kw.upper(), 1
		}
	case kwOperator:
		if p.peek(1).kind == tLParen {
			return precCompare, "OPERATOR", 1
		}
	}
	return 0, "", 0
}

// operandFollows tells whether a token can start an operand; it tells an
// operator from an alias of the same spelling.
func operandFollows(t token) bool {
	switch t.kind {
	case tIdent, tQuoted, tNumber, tString, tVariable, tBind, tTemplate, tLParen, tMinus, tColon, tQuestion:
		return t.kw != kwFrom && t.kw != kwAs
	}
	return false
}

// notOperator tells NOT IN, NOT LIKE and their like from the prefix NOT.
func (p *parser) notOperator() (prec int, text string, width int) {
	switch kw := p.peek(1).kw; kw {
	case kwIn, kwLike, kwBetween, kwIlike, kwRlike, kwRegexp, kwIregexp, kwSimilar, kwMatch, kwGlob:
		return precCompare, kw.upper(), 2
	}
	return 0, "", 0
}

func (p *parser) rareWordOperator() (prec int, text string, width int) {
	second := p.peek(1)
	switch p.t.kw {
	case kwGlobal: // ClickHouse: GLOBAL IN, GLOBAL NOT IN
		if second.kw == kwIn {
			return precCompare, "IN", 2
		}
		if second.kw == kwNot && p.peek(2).kw == kwIn {
			return precCompare, "IN", 3
		}
		return 0, "", 0
	case kwMember:
		if second.kw == kwOf {
			return precCompare, "MEMBER OF", 2
		}
		return 0, "", 0
	case kwMultiset:
		if second.kw == kwExcept || second.kw == kwUnion || second.kw == kwIntersect {
			return precAdd, "MULTISET", 2 + boolInt(p.peek(2).kw == kwAll || p.peek(2).kw == kwDistinct)
		}
		return 0, "", 0
	case kwSounds:
		if second.kw == kwLike {
			return precCompare, "SOUNDS LIKE", 2
		}
		return 0, "", 0
	case kwContains:
		if second.kind == tString {
			return precCompare, "CONTAINS", 1
		}
		return 0, "", 0
	}
	if second.kind == tString || operandFollows(second) && second.kind != tLParen && !endish(second) && !p.f.reserved.has(second.kw) {
		return precCompare, p.t.kw.upper(), 1
	}
	return 0, "", 0
}

// comparison reads one comparison after its left operand.
func (p *parser) comparison(left *ir.Expr, text string, width int) *ir.Expr {
	for range width {
		p.next()
	}
	switch text {
	case "IS":
		return p.isTest(left)
	case "ISNULL", "NOTNULL":
		return p.op("IS NULL", left.Start, left)
	case "IN":
		return p.in(left)
	case "BETWEEN":
		return p.between2(left)
	case "LIKE", "ILIKE", "RLIKE", "REGEXP", "IREGEXP", "SIMILAR":
		return p.like(left, text)
	case "OPERATOR":
		p.skipParens()
	}
	if p.isAny(kwAny, kwAll, kwSome) && p.peek(1).kind == tLParen {
		return p.quantified(left, text)
	}
	return p.compareChain(left, text)
}

// compareChain reads a = b = c into one flat node.
func (p *parser) compareChain(left *ir.Expr, text string) *ir.Expr {
	right := p.binary(precBit)
	prec, _, width := p.binaryOperator()
	if !p.plainComparison(prec) {
		return p.op(text, left.Start, left, right)
	}
	mark := len(p.mem.argStack)
	p.mem.argStack = append(p.mem.argStack, left, right)
	for p.turn() && p.plainComparison(prec) {
		for range width {
			p.next()
		}
		if p.isAny(kwAny, kwAll, kwSome) && p.peek(1).kind == tLParen {
			p.next()
		}
		p.mem.argStack = append(p.mem.argStack, p.binary(precBit))
		prec, _, width = p.binaryOperator()
	}
	e := p.node(ir.ExprOp, uint32(left.Start))
	e.Text = text
	e.Args = p.mem.takeArgs(mark)
	return e
}

func (p *parser) plainComparison(prec int) bool {
	return prec == precCompare && p.t.kind != tIdent
}

// isTest reads what follows IS.
func (p *parser) isTest(left *ir.Expr) *ir.Expr {
	p.word(kwNot)
	switch {
	case p.word(kwNull):
		e := p.op("IS NULL", left.Start, left)
		if p.is(tCast) { // a IS NULL::boolean
			return p.postfix(e)
		}
		return e
	case p.word(kwDistinct):
		p.needWord(kwFrom)
		return p.op("IS DISTINCT FROM", left.Start, left, p.operand())
	case p.anyWord(kwJson):
		p.anyWord(kwObject, kwArray, kwScalar, kwValue)
		if p.isAny(kwWith, kwWithout) && p.peek(1).kw == kwUnique {
			p.next()
			p.next()
			p.anyWord(kwKeys, kwKey)
		}
		return p.op("IS JSON", left.Start, left)
	case p.is(tIdent) && p.peek(1).kw == kwSet && strings.EqualFold(p.raw(p.t), "a"):
		p.next()
		p.next()
		return p.op("IS A SET", left.Start, left)
	case p.word(kwOf):
		p.word(kwType)
		p.skipParens()
		return p.op("IS OF", left.Start, left)
	case p.isAny(kwNfc, kwNfd, kwNfkc, kwNfkd) && p.peek(1).kw == kwNormalized:
		p.next()
		p.next()
		return p.op("IS NORMALIZED", left.Start, left)
	case p.anyWord(kwDangling, kwEmpty, kwTrue, kwFalse, kwUnknown, kwDocument, kwNormalized, kwNan, kwInfinite):
		return p.op("IS", left.Start, left)
	}
	return p.op("IS", left.Start, left, p.operand())
}

// in reads what follows IN.
func (p *parser) in(left *ir.Expr) *ir.Expr {
	if !p.is(tLParen) {
		right := p.operand()
		e := p.node(ir.ExprIn, uint32(left.Start))
		if p.f.typedBinds && right.Kind == ir.ExprColumn {
			e.Text = ir.InName
		}
		e.Args = p.mem.args.Copy([]*ir.Expr{left, right})
		return e
	}
	q, list := p.parenList(left)
	e := p.node(ir.ExprIn, uint32(left.Start))
	e.Query, e.Args = q, list
	return e
}

// parenList reads (query), or (a, b, c) with the literals left out where first
// is given; first then stands first in the list.
func (p *parser) parenList(first *ir.Expr) (*ir.Query, []*ir.Expr) {
	if !p.enter() {
		return nil, nil
	}
	defer p.leave()
	p.need(tLParen)
	mark := len(p.mem.argStack)
	if first != nil {
		p.mem.argStack = append(p.mem.argStack, first)
	}
	if q := p.parenStart(first != nil); q != nil {
		p.need(tRParen)
		return q, p.mem.takeArgs(mark)
	}
	for p.accept(tComma) {
		if first != nil {
			p.literalList()
		}
		if p.is(tRParen) {
			break
		}
		p.mem.argStack = append(p.mem.argStack, p.namedExpr())
		p.parameterType()
	}
	p.need(tRParen)
	return nil, p.mem.takeArgs(mark)
}

// parenStart reads the first element of a parenthesised list onto the stack, or,
// if the whole content of the brackets is a query, that.
func (p *parser) parenStart(skipLiterals bool) *ir.Query {
	switch {
	case p.is(tRParen):
		return nil
	case p.startsQuery():
		return p.query()
	case p.is(tLParen):
		q, e := p.bracketed()
		if q != nil {
			return q
		}
		p.mem.argStack = append(p.mem.argStack, e)
		return nil
	case skipLiterals && p.literalElement(0) > 0:
		if p.literalList(); p.is(tRParen) {
			return nil
		}
	}
	p.mem.argStack = append(p.mem.argStack, p.namedExpr())
	p.parameterType()
	return nil
}

// parameterType skips the type of a parameter of Snowflake's lambdas: (a INT, b
// VARIANT) -> a + b.
func (p *parser) parameterType() {
	if p.f.stages && p.is(tIdent) && (p.peek(1).kind == tComma || p.peek(1).kind == tRParen) {
		p.next()
	}
}

// bracketed reads an element that starts with a bracket: a query, which may go on
// behind the bracket, or an expression.
func (p *parser) bracketed() (*ir.Query, *ir.Expr) {
	start := p.t.pos
	q, list := p.parenList(nil)
	if q != nil && (p.is(tRParen) || p.continuesQuery()) {
		return p.queryFrom(q, start), nil
	}
	return nil, p.named(p.binaryFrom(p.postfix(p.parenthesised(q, list, start)), precOr))
}

// parenthesised makes an expression of what stood in brackets that open at start.
func (p *parser) parenthesised(q *ir.Query, list []*ir.Expr, start uint32) *ir.Expr {
	if q != nil {
		e := p.node(ir.ExprSubquery, start)
		e.Query = q
		return e
	}
	if p.lambdaFollows() {
		return p.lambda(list, start)
	}
	if len(list) == 1 && p.prev().kind == tRParen && p.toks[p.i-2].kind != tComma {
		list[0].Span = p.span(start) // the brackets belong to the text that may name it
		return list[0]
	}
	e := p.node(ir.ExprTuple, start)
	e.Args = list
	return e
}

// literalList skips literals separated by commas, whose values matter to no
// lineage. It stops before the first element that is more than a literal, and
// never takes the closing bracket.
func (p *parser) literalList() {
	for p.turn() {
		n := p.literalElement(0)
		if n == 0 {
			return
		}
		switch p.peek(n).kind {
		case tComma:
			p.jump(p.i + n + 1)
			p.steps += n + 1
		case tRParen:
			p.jump(p.i + n)
			p.steps += n
			return
		default:
			return
		}
	}
}

// literalElement gives the number of tokens of the literal n tokens on, or 0.
func (p *parser) literalElement(n int) int {
	t := p.peek(n)
	switch t.kind {
	case tNumber, tString:
		return 1
	case tMinus:
		if p.peek(n+1).kind == tNumber {
			return 2
		}
	case tIdent:
		if t.kw == kwNull || t.kw == kwTrue || t.kw == kwFalse || t.kw == kwDefault {
			return 1
		}
	}
	return 0
}

func (p *parser) between2(left *ir.Expr) *ir.Expr {
	p.anyWord(kwSymmetric, kwAsymmetric)
	low := p.operand()
	p.needWord(kwAnd)
	high := p.operand()
	return p.op("BETWEEN", left.Start, left, low, high)
}

func (p *parser) like(left *ir.Expr, text string) *ir.Expr {
	if text == "SIMILAR" {
		p.word(kwTo) // without it inside SUBSTRING
		text = "SIMILAR TO"
	}
	p.word(kwBinary)
	if p.isAny(kwAny, kwAll, kwSome) && p.peek(1).kind == tLParen {
		return p.quantified(left, text)
	}
	right := p.operand()
	if p.word(kwEscape) {
		p.operand()
	}
	return p.op(text, left.Start, left, right)
}

// quantified reads ANY (..), ALL (..), SOME (..) after an operator.
func (p *parser) quantified(left *ir.Expr, text string) *ir.Expr {
	p.next()
	q, list := p.parenList(left)
	if p.word(kwEscape) {
		p.operand()
	}
	k := ir.ExprOp
	if q != nil {
		k = ir.ExprQuantified
	}
	e := p.node(k, uint32(left.Start))
	e.Query, e.Args, e.Text = q, list, text
	return e
}

// prefix reads an operand with the operators before it.
func (p *parser) prefix(least int) *ir.Expr {
	switch p.t.kind {
	case tMinus, tPlus, tTilde, tBang, tOperator, tAt:
		return p.sign()
	case tIdent:
		switch p.t.kw {
		case kwNot:
			return p.not(least)
		case kwPrior, kwConnectByRoot:
			return p.prior()
		case kwBinary, kwApproximate:
			if p.t.kw == kwApproximate && p.peek(1).kind == tIdent && p.peek(2).kind == tLParen {
				p.next()
			}
			if p.t.kw == kwBinary && p.peek(1).kind != tLParen && operandFollows(p.peek(1)) {
				p.next()
			}
		}
	}
	return p.postfix(p.primary())
}

// not reads a chain of NOTs, which nest as deep as they are many.
func (p *parser) not(least int) *ir.Expr {
	start := p.t.pos
	for n := 0; p.word(kwNot) || p.is(tBang) && p.accept(tBang); n++ {
		if n+p.depth > p.lim.MaxNesting {
			p.limit(limitNesting)
			break
		}
	}
	inner := p.binary(max(precNot, least))
	return p.op("NOT", int32(start), inner)
}

// sign reads a chain of unary operators.
func (p *parser) sign() *ir.Expr {
	start, text := p.t.pos, p.raw(p.t)
	for n := 0; p.is(tMinus) || p.is(tPlus) || p.is(tTilde) || p.is(tBang) || p.is(tOperator) || p.is(tAt); n++ {
		if n+p.depth > p.lim.MaxNesting {
			p.limit(limitNesting)
			break
		}
		p.next()
	}
	inner := p.postfix(p.primary())
	if inner.Kind == ir.ExprLiteral && !inner.IsString {
		inner.Start = int32(start)
		inner.Text = p.cut(int(start), int(inner.End))
		return inner
	}
	return p.op(text, int32(start), inner)
}

// prior reads Oracle's PRIOR x and CONNECT_BY_ROOT x, as calls.
func (p *parser) prior() *ir.Expr {
	t := p.t
	if next := p.peek(1); !operandFollows(next) || p.f.reserved.has(next.kw) && next.kw != kwNull || p.clauseStart(next) {
		return p.postfix(p.primary())
	}
	p.next()
	arg := p.postfix(p.primary())
	e := p.node(ir.ExprCall, t.pos)
	e.Name = p.mem.idents.Copy([]ir.Ident{p.ident(t)})
	e.Args = p.mem.args.Copy([]*ir.Expr{arg})
	return e
}

// clauseStart tells the words that start a clause behind an expression.
func (p *parser) clauseStart(t token) bool {
	switch t.kw {
	case kwLimit, kwAsc, kwDesc, kwNulls, kwOffset, kwFetch:
		return true
	}
	return false
}

// literal makes a literal of the tokens from start on.
func (p *parser) literal(start token) *ir.Expr {
	e := p.node(ir.ExprLiteral, start.pos)
	e.Text = p.between(start)
	return e
}

// param makes a placeholder of the tokens from start on.
func (p *parser) param(start token) *ir.Expr {
	e := p.node(ir.ExprParam, start.pos)
	e.Text = p.between(start)
	return e
}

// stringLiteral reads a string and those that follow it directly, which are one
// value in several dialects.
func (p *parser) stringLiteral() *ir.Expr {
	start := p.t
	value := p.stringValue(p.t)
	p.next()
	if p.joinsString() {
		value = p.joinedStrings(value)
	}
	if p.isWord(kwUescape) && p.peek(1).kind == tString {
		p.next()
		p.next()
	}
	e := p.node(ir.ExprLiteral, start.pos)
	e.Text, e.IsString = value, true
	return e
}

// joinsString tells whether a string follows that goes on with the one before it; in
// T-SQL it is an alias.
func (p *parser) joinsString() bool {
	return p.is(tString) && !p.f.noSemicolons && (p.char(p.t.pos) == '\'' || p.f.doubleQuoteStrings && p.char(p.t.pos) == '"')
}

// joinedStrings reads the strings that follow the first one.
func (p *parser) joinedStrings(first string) string {
	var b strings.Builder
	b.WriteString(first)
	for p.joinsString() {
		b.WriteString(p.stringValue(p.t))
		p.next()
	}
	return b.String()
}

// namedExpr reads an expression that may have a name: f(a AS b).
func (p *parser) namedExpr() *ir.Expr { return p.named(p.expr()) }

// named reads AS name behind an expression inside brackets.
func (p *parser) named(e *ir.Expr) *ir.Expr {
	if !p.isWord(kwAs) || p.peek(1).kind != tIdent && p.peek(1).kind != tQuoted && p.peek(1).kind != tString {
		return e
	}
	p.next()
	alias := p.aliasIdent()
	out := p.node(ir.ExprAlias, uint32(e.Start))
	out.Name = p.mem.idents.Copy([]ir.Ident{alias})
	out.Args = p.mem.args.Copy([]*ir.Expr{e})
	return out
}
