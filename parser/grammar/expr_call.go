package grammar

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// column reads a dotted name: a column, a qualified star, a call, or the
// parameter of a lambda.
func (p *parser) column() *ir.Expr {
	if e := p.plainColumn(); e != nil {
		return e
	}
	start := p.t
	mark := len(p.mem.identStack)
	p.mem.identStack = append(p.mem.identStack, p.ident(p.t))
	p.next()
	p.uescape(&p.mem.identStack[mark])
	for p.is(tDot) || p.is(tDotDot) {
		if p.is(tDot) && p.peek(1).kind == tStar {
			return p.qualifiedStar(mark, start.pos)
		}
		if p.is(tDot) && p.peek(1).kw == kwColumns && p.peek(2).kind == tLParen {
			p.next()
			return p.columnsStar(p.mem.takeIdents(mark), start.pos)
		}
		if !p.nameDot() {
			break
		}
		p.mem.identStack = append(p.mem.identStack, p.ident(p.t))
		p.next()
	}
	if p.is(tAt) && p.f.plsql && p.t.pos == p.prev().end && anyPart(p.peek(1)) { // f@link(x)
		p.databaseLink()
	}
	if p.is(tLParen) && !p.outerJoinMark() {
		return p.call(p.mem.takeIdents(mark), start)
	}
	if p.is(tString) && start.kind == tIdent && p.prev() == start && p.char(p.t.pos) == '\'' && (p.f.typedStrings || p.t.pos == start.end && p.char(start.pos) == '_') {
		p.mem.identStack = p.mem.identStack[:mark]
		p.next()
		return p.literal(start)
	}
	e := p.node(ir.ExprColumn, start.pos)
	e.Name = p.mem.takeIdents(mark)
	if p.is(tArrow) && len(e.Name) == 1 && p.lambdaFollows() {
		return p.lambda([]*ir.Expr{e}, start.pos)
	}
	return e
}

// plainColumn reads what most columns are, a and t.a, without a stack; nil unless what
// follows ends any name for sure.
func (p *parser) plainColumn() *ir.Expr {
	width := 1
	if p.peek(1).kind == tDot && p.peek(2).kind == tIdent {
		width = 3
	}
	switch p.peek(width).kind {
	case tComma, tRParen, tEq, tNe, tLt, tGt, tLe, tGe, tPlus, tMinus, tStar, tSlash, tSemi, tEOF:
	case tIdent:
		if p.peek(width).kw == kwUescape {
			return nil
		}
	default:
		return nil
	}
	start := p.t.pos
	parts := append(p.mem.idents.Room(1+width/2), p.ident(p.t))
	if width == 3 {
		parts = append(parts, p.ident(p.peek(2)))
	}
	for range width {
		p.next()
	}
	e := p.node(ir.ExprColumn, start)
	e.Name = parts
	return e
}

// outerJoinMark tells whether Oracle's (+) stands here.
func (p *parser) outerJoinMark() bool {
	return p.peek(1).kind == tPlus && p.peek(2).kind == tRParen
}

func (p *parser) qualifiedStar(mark int, start uint32) *ir.Expr {
	p.next()
	p.next()
	e := p.node(ir.ExprStar, start)
	e.Name = p.mem.takeIdents(mark)
	p.starModifiers(e)
	return e
}

// postfix reads what may follow an operand directly: fields, indexes, casts,
// JSON paths, time zones.
func (p *parser) postfix(e *ir.Expr) *ir.Expr {
	for n := 0; ; n++ {
		if n > p.lim.MaxNesting {
			p.limit(limitNesting)
			return e
		}
		var next *ir.Expr
		switch p.t.kind {
		case tDot:
			next = p.field(e)
		case tLBracket:
			next = p.index(e)
		case tCast:
			next = p.castSuffix(e)
		case tColon:
			next = p.colonPath(e)
		case tArrow, tArrow2, tOperator:
			next = p.jsonAccess(e)
		case tLParen:
			switch {
			case p.outerJoinMark():
				p.skipBrackets()
				continue
			case p.f.stages && e.Kind == ir.ExprCall && callsIdentifier(e): // Snowflake: IDENTIFIER('f')(x)
				_, list := p.parenList(nil)
				next = p.node(ir.ExprCall, uint32(e.Start))
				next.Name, next.Args = e.Name, list
			case p.f.plsql && e.Kind == ir.ExprCall: // an element of the collection that a function gives
				_, list := p.parenList(e)
				next = p.node(ir.ExprIndex, uint32(e.Start))
				next.Args = list
			default:
				return e
			}
		case tQuestion: // Databricks: x?::INT
			if p.peek(1).kind != tCast || p.peek(1).pos != p.t.end {
				return e
			}
			p.next()
			next = p.castSuffix(e)
		case tBang:
			next = p.modelMethod(e)
		case tIdent:
			next = p.wordSuffix(e)
		default:
			return e
		}
		if next == e {
			return e
		}
		e = next
	}
}

// callsIdentifier reports IDENTIFIER(..), which names a function.
func callsIdentifier(e *ir.Expr) bool {
	return len(e.Name) == 1 && len(e.Args) == 1 && strings.EqualFold(e.Name[0].Name, "identifier")
}

// field reads .name, .*, .method(..) behind an operand.
func (p *parser) field(base *ir.Expr) *ir.Expr {
	t := p.peek(1)
	switch {
	case t.kind == tStar:
		p.next()
		p.next()
		e := p.node(ir.ExprStar, uint32(base.Start))
		e.Args = p.mem.args.Copy([]*ir.Expr{base})
		p.starModifiers(e)
		return e
	case (t.kind == tCaret || t.kind == tColon) && p.f.typedBinds && anyPart(p.peek(2)): // j.^sub, j.a.:Int64
		p.next()
		p.next()
		p.dataType()
		return base
	case !anyPart(t):
		return base
	}
	p.next()
	p.next()
	name := p.mem.idents.Copy([]ir.Ident{p.ident(t)})
	if p.is(tLParen) && !p.outerJoinMark() {
		return p.methodCall(base, name, t)
	}
	e := p.node(ir.ExprField, uint32(base.Start))
	e.Name = name
	e.Args = p.mem.args.Copy([]*ir.Expr{base})
	return e
}

// methodCall reads base.f(args) as f(base, args).
func (p *parser) methodCall(base *ir.Expr, name []ir.Ident, t token) *ir.Expr {
	e := p.call(name, t)
	e.Start = base.Start
	e.Args = p.mem.args.Copy(append([]*ir.Expr{base}, e.Args...))
	return e
}

// modelMethod reads Snowflake's object!METHOD(args).
func (p *parser) modelMethod(base *ir.Expr) *ir.Expr {
	if base.Kind != ir.ExprColumn || p.peek(1).kind != tIdent || p.peek(2).kind != tLParen {
		return base
	}
	p.next()
	t := p.t
	p.next()
	return p.call(p.mem.idents.Copy([]ir.Ident{p.ident(t)}), t)
}

// index reads [i] and [from:to].
func (p *parser) index(base *ir.Expr) *ir.Expr {
	if !p.enter() {
		return base
	}
	defer p.leave()
	p.next()
	mark := len(p.mem.argStack)
	p.mem.argStack = append(p.mem.argStack, base)
	for p.turn() && !p.is(tRBracket) && !p.is(tEOF) {
		switch {
		case p.accept(tColon), p.accept(tComma):
		case p.is(tMinus) && (p.peek(1).kind == tColon || p.peek(1).kind == tRBracket):
			p.next()
		case p.is(tCast): // x[::2]
			p.next()
		default:
			p.mem.argStack = append(p.mem.argStack, p.expr())
			if !p.is(tColon) && !p.is(tComma) && !p.is(tRBracket) {
				p.need(tRBracket)
			}
		}
	}
	p.need(tRBracket)
	e := p.node(ir.ExprIndex, uint32(base.Start))
	e.Args = p.mem.takeArgs(mark)
	return e
}

func (p *parser) castSuffix(base *ir.Expr) *ir.Expr {
	p.next()
	typ := p.dataType()
	e := p.node(ir.ExprCast, uint32(base.Start))
	e.Text = typ
	e.Args = p.mem.args.Copy([]*ir.Expr{base})
	return e
}

// colonPath reads the path in JSON of Snowflake and Databricks: col:a.b[0]."c".
func (p *parser) colonPath(base *ir.Expr) *ir.Expr {
	if !p.f.colonPaths || !anyPart(p.peek(1)) && p.peek(1).kind != tLBracket {
		return base
	}
	p.next()
	mark := len(p.mem.identStack)
	for p.turn() {
		if anyPart(p.t) {
			p.mem.identStack = append(p.mem.identStack, p.ident(p.t))
			p.next()
		}
		if (p.is(tDot) || p.is(tColon)) && anyPart(p.peek(1)) {
			p.next()
			continue
		}
		break
	}
	e := p.node(ir.ExprField, uint32(base.Start))
	e.Name = p.mem.takeIdents(mark)
	e.Args = p.mem.args.Copy([]*ir.Expr{base})
	return e
}

// jsonAccess reads -> 'k', ->> 'k', #> path, #>> path, many in a row as one node.
func (p *parser) jsonAccess(base *ir.Expr) *ir.Expr {
	if !p.jsonOperator() {
		return base
	}
	mark := len(p.mem.argStack)
	p.mem.argStack = append(p.mem.argStack, base)
	for p.jsonOperator() {
		p.next()
		key := p.prefixWithout()
		p.mem.argStack = append(p.mem.argStack, key)
	}
	e := p.node(ir.ExprIndex, uint32(base.Start))
	e.Args = p.mem.takeArgs(mark)
	return e
}

func (p *parser) jsonOperator() bool {
	switch p.t.kind {
	case tArrow, tArrow2:
		return true
	case tOperator:
		s := p.raw(p.t)
		return s == "#>" || s == "#>>"
	}
	return false
}

// prefixWithout reads the key of a JSON access: an operand and its casts.
func (p *parser) prefixWithout() *ir.Expr {
	if p.is(tMinus) {
		return p.sign()
	}
	key := p.primary()
	for n := 0; p.is(tCast) && n < p.lim.MaxNesting; n++ {
		key = p.castSuffix(key)
	}
	return key
}

// wordSuffix reads COLLATE and AT TIME ZONE.
func (p *parser) wordSuffix(base *ir.Expr) *ir.Expr {
	switch p.t.kw {
	case kwCollate:
		if !anyPart(p.peek(1)) {
			return base
		}
		p.next()
		p.anyName()
		return p.op("COLLATE", base.Start, base)
	case kwAt:
		switch p.peek(1).kw {
		case kwTime:
			if p.peek(2).kw != kwZone {
				return base
			}
			p.next()
			p.next()
			p.next()
			zone := p.atZone()
			return p.op("AT TIME ZONE", base.Start, base, zone)
		case kwLocal:
			p.next()
			p.next()
			return p.op("AT TIME ZONE", base.Start, base)
		}
	case kwDay, kwYear:
		if p.intervalUnits() {
			return p.op("INTERVAL", base.Start, base)
		}
	}
	return base
}

// intervalUnits takes DAY [(n)] TO SECOND [(n)] or YEAR TO MONTH behind the difference
// of two times.
func (p *parser) intervalUnits() bool {
	n := 1
	if p.peek(1).kind == tLParen && p.peek(2).kind == tNumber && p.peek(3).kind == tRParen {
		n = 4
	}
	if p.peek(n).kw != kwTo || !dateUnit(p.raw(p.peek(n+1))) {
		return false
	}
	for range n + 2 {
		p.next()
	}
	if p.is(tLParen) && p.peek(1).kind == tNumber {
		p.skipBrackets()
	}
	return true
}

func (p *parser) atZone() *ir.Expr {
	zone := p.primary()
	for n := 0; p.is(tCast) && n < p.lim.MaxNesting; n++ {
		zone = p.castSuffix(zone)
	}
	return zone
}

// call reads the arguments and clauses of a call whose name stands before the
// opening bracket.
func (p *parser) call(name []ir.Ident, t token) *ir.Expr {
	if !p.enter() {
		return p.node(ir.ExprLiteral, t.pos)
	}
	defer p.leave()
	if len(name) > 1 {
		if receiver, method := p.receiver(name); receiver != nil {
			return p.methodCall(receiver, method, p.t)
		}
	}
	e := p.mem.exprs.One()
	e.Kind, e.Start, e.Name = ir.ExprCall, int32(t.pos), name
	c := ir.Call{}
	e.Args = p.arguments(t.kw, &c)
	if p.f.typedBinds && p.is(tLParen) {
		c.Params = e.Args
		e.Args = p.arguments(0, &c)
	}
	if len(name) == 1 {
		p.dateParts(e)
	}
	p.callClauses(&c)
	if used(&c) {
		more := p.mem.calls.One()
		*more = c
		e.More = more
	}
	e.End = int32(p.prev().end)
	return e
}

// used tells whether any clause of a call is there.
func used(c *ir.Call) bool {
	return c.Distinct || c.Star || c.Params != nil || c.OrderBy != nil || c.WithinGroup != nil || c.Keep != nil ||
		c.Having != nil || c.Filter != nil || c.Over != nil || c.Columns != nil
}

// receiver splits a dotted name into a column and a method of it, in dialects
// whose methods can be told from functions of a schema.
func (p *parser) receiver(name []ir.Ident) (*ir.Expr, []ir.Ident) {
	last := len(name) - 1
	if !p.f.methods.has(strings.ToLower(name[last].Name)) {
		return nil, nil
	}
	base := p.node(ir.ExprColumn, uint32(name[0].Start))
	base.Name = name[:last:last]
	return base, name[last:]
}

// arguments reads a parenthesised argument list with the clauses inside it.
func (p *parser) arguments(kw keyword, c *ir.Call) []*ir.Expr {
	p.need(tLParen)
	mark := len(p.mem.argStack)
	p.argumentStart(kw, c)
	for p.turn() && !p.is(tRParen) && !p.is(tEOF) {
		if !p.argument(c) {
			break
		}
		more := p.separator(kw)
		for p.turn() && !more && p.argumentClause(c) {
			more = p.separator(kw)
		}
		if !more {
			break
		}
	}
	p.need(tRParen)
	args := p.mem.takeArgs(mark)
	if len(args) == 1 && args[0].Kind == ir.ExprStar && args[0].Name == nil && args[0].More == nil && args[0].Args == nil {
		c.Star = true
		return nil
	}
	return args
}

// argumentStart reads the words that may stand before the first argument.
func (p *parser) argumentStart(kw keyword, c *ir.Call) {
	switch {
	case p.isWord(kwDistinct) || p.isWord(kwUnique) && p.peek(1).kind == tIdent:
		p.next()
		c.Distinct = true
		if p.word(kwOn) && p.is(tLParen) {
			p.skipBrackets()
		}
	case p.isWord(kwAll) && p.peek(1).kind != tRParen && p.peek(1).kind != tComma && p.peek(1).kind != tDot:
		p.next()
	case kw == kwExtract || kw == kwCeil || kw == kwFloor:
		p.extractUnit()
	case kw == kwTrim:
		p.trimSide()
	case kw == kwXmlelement:
		p.elementName()
	}
}

// extractUnit skips the unit of EXTRACT(unit FROM e).
func (p *parser) extractUnit() {
	if p.peek(1).kw == kwFrom {
		p.next()
		p.next()
		return
	}
	if p.peek(1).kind == tLParen && p.peek(3).kind == tRParen && p.peek(4).kw == kwFrom {
		for range 5 {
			p.next()
		}
	}
}

// elementName reads the name of the element that XMLELEMENT makes.
func (p *parser) elementName() {
	if p.isAny(kwName, kwEntityescaping, kwNoentityescaping) && anyPart(p.peek(1)) {
		p.next()
	}
	if (p.is(tIdent) || p.is(tQuoted)) && (p.peek(1).kind == tComma || p.peek(1).kind == tRParen) {
		t := p.t
		p.next()
		p.mem.argStack = append(p.mem.argStack, p.literal(t))
		p.accept(tComma)
	}
}

// trimSide skips BOTH, LEADING or TRAILING of TRIM, and a FROM directly behind.
func (p *parser) trimSide() {
	if p.isAny(kwBoth, kwLeading, kwTrailing) && p.peek(1).kind != tRParen && p.peek(1).kind != tComma {
		p.next()
	}
	p.word(kwFrom)
}

// separator takes what stands between two arguments: a comma, or in some
// functions a word.
func (p *parser) separator(kw keyword) bool {
	switch p.t.kind {
	case tComma:
		p.next()
		return true
	case tColon:
		p.next()
		return true
	case tSemi: // T-SQL: OPENROWSET('provider', 'place'; 'user'; 'word', object)
		if p.f.noSemicolons && p.prev().kind == tString && p.peek(1).kind == tString {
			p.next()
			return true
		}
	case tIdent:
		switch p.t.kw {
		case kwFrom, kwFor, kwPlacing, kwValue, kwPassing, kwIn:
			p.next()
			p.words(kwBy, kwValue)
			p.words(kwBy, kwRef)
			return true
		case kwTo:
			if kw == kwCeil || kw == kwFloor {
				p.next()
				p.next()
				return true
			}
		case kwUsing:
			p.next()
			if p.peek(1).kind == tRParen && p.is(tIdent) {
				p.next()
			}
			return true
		}
	}
	return false
}

// argument reads one argument onto the stack. It is false when none follows.
func (p *parser) argument(c *ir.Call) bool {
	if (p.is(tIdent) || p.is(tQuoted) || p.is(tVariable)) && (p.peek(1).kind == tFatArrow || p.peek(1).kind == tAssign && !p.is(tVariable)) {
		p.namedArgument()
		return true
	}
	if p.is(tIdent) && p.t.kw != 0 {
		if p.argumentClause(c) {
			return true
		}
		if done := p.keywordArgument(); done {
			return true
		}
	}
	if p.is(tRParen) || p.is(tComma) && p.prev().kind == tComma {
		return p.is(tComma)
	}
	if p.is(tIdent) && (p.peek(1).kind == tIdent || p.peek(1).kind == tQuoted) && p.typedLambda() {
		return true
	}
	if start := p.t.pos; p.is(tLParen) {
		q, e := p.bracketed()
		if q != nil {
			e = p.subqueryOf(q, start)
		}
		p.mem.argStack = append(p.mem.argStack, e)
		return true
	}
	p.mem.argStack = append(p.mem.argStack, p.namedExpr())
	if p.f.plsql && (p.is(tIdent) || p.is(tQuoted)) && (p.peek(1).kind == tComma || p.peek(1).kind == tRParen) {
		p.next() // Oracle: the name of an attribute of XMLATTRIBUTES or XMLFOREST
	}
	return true
}

// typedLambda reads Snowflake's lambda with a typed parameter: x INT -> x + 1.
func (p *parser) typedLambda() bool {
	if p.peek(2).kind != tArrow || p.f.arrowIsJSON {
		return false
	}
	start := p.t.pos
	name := p.node(ir.ExprColumn, start)
	name.Name = p.mem.idents.Copy([]ir.Ident{p.ident(p.t)})
	p.next()
	p.next()
	p.mem.argStack = append(p.mem.argStack, p.lambda([]*ir.Expr{name}, start))
	return true
}

// keywordArgument reads arguments that start with a keyword: a query, a table.
func (p *parser) keywordArgument() bool {
	switch p.t.kw {
	case kwTable:
		if p.peek(1).kind == tIdent || p.peek(1).kind == tQuoted || p.peek(1).kind == tLParen || p.peek(1).kind == tTemplate {
			p.tableArgument()
			return true
		}
	case kwVariadic:
		p.next()
		if (p.is(tIdent) || p.is(tQuoted)) && (p.peek(1).kind == tFatArrow || p.peek(1).kind == tAssign) {
			p.namedArgument()
			return true
		}
	case kwChanges, kwVersion: // T-SQL: CHANGETABLE(CHANGES t, 0)
		if p.peek(1).kind == tIdent || p.peek(1).kind == tQuoted {
			start := p.t.pos
			p.next()
			e := p.node(ir.ExprTableArg, start)
			e.More = p.tableNamed(p.anyName())
			p.mem.argStack = append(p.mem.argStack, e)
			return true
		}
	case kwLanguage: // T-SQL: CONTAINSTABLE(t, c, 'text', LANGUAGE 'English')
		if p.peek(1).kind == tString || p.peek(1).kind == tNumber {
			p.next()
		}
	case kwBulk: // T-SQL: OPENROWSET(BULK 'path')
		if p.peek(1).kind == tString {
			p.next()
		}
	case kwModel: // BigQuery: ML.PREDICT(MODEL m, TABLE t)
		if p.peek(1).kind == tIdent || p.peek(1).kind == tQuoted {
			start := p.t
			p.next()
			p.anyName()
			p.mem.argStack = append(p.mem.argStack, p.literal(start))
			return true
		}
	case kwKey:
		if p.peek(1).kind == tString || operandFollows(p.peek(1)) && (p.peek(2).kw == kwValue || p.peek(2).kw == kwIs) {
			p.next()
		}
	case kwSelect, kwWith, kwFrom, kwValues:
		if p.startsQuery() {
			start := p.t.pos
			q := p.query()
			p.mem.argStack = append(p.mem.argStack, p.subqueryOf(q, start))
			return true
		}
	}
	return false
}

// tableArgument reads TABLE t [PARTITION BY ..] [ORDER BY ..] as an argument.
func (p *parser) tableArgument() {
	start := p.t.pos
	from := p.tableArg()
	e := p.node(ir.ExprTableArg, start)
	e.More = from
	p.mem.argStack = append(p.mem.argStack, e)
	p.words(kwWith, kwSet, kwSemantics)
	p.words(kwWith, kwRow, kwSemantics)
	if p.words(kwPartition, kwBy) || p.words(kwCluster, kwBy) || p.words(kwDistribute, kwBy) {
		if !p.is(tLParen) {
			p.mem.argStack = append(p.mem.argStack, p.expr())
		} else {
			_, list := p.parenList(nil)
			p.mem.argStack = append(p.mem.argStack, list...)
		}
	}
	if p.words(kwOrder, kwBy) {
		p.orderItem()
	}
	p.anyWord(kwPrune, kwKeep)
}

// namedArgument reads name => value.
func (p *parser) namedArgument() {
	start := p.t
	p.next()
	p.next()
	mark := len(p.mem.argStack)
	if !p.keywordArgument() {
		p.mem.argStack = append(p.mem.argStack, p.expr())
	}
	value := p.mem.argStack[mark]
	p.mem.argStack = p.mem.argStack[:mark]
	e := p.node(ir.ExprNamedArg, start.pos)
	e.Name = p.mem.idents.Copy([]ir.Ident{p.ident(start)})
	e.Args = p.mem.args.Copy([]*ir.Expr{value})
	p.mem.argStack = append(p.mem.argStack, e)
}

// argumentClause reads one clause inside the brackets of a call.
func (p *parser) argumentClause(c *ir.Call) bool {
	switch p.t.kw {
	case kwOrder:
		if p.peek(1).kw != kwBy {
			return p.orderOfFile()
		}
		p.next()
		p.next()
		c.OrderBy = p.orderItems()
	case kwLimit, kwSeparator:
		if k := p.peek(1).kind; k != tNumber && k != tString && k != tVariable && k != tIdent && k != tBind && k != tColon && k != tQuestion {
			return false
		}
		p.next()
		p.expr()
	case kwHaving:
		p.next()
		p.anyWord(kwMax, kwMin)
		c.Having = p.expr()
	case kwWhere:
		p.next()
		c.Filter = p.expr()
	case kwIgnore, kwRespect:
		if p.peek(1).kw != kwNulls {
			return false
		}
		p.next()
		p.next()
	case kwColumns:
		if p.peek(1).kind == tEq || p.peek(1).kind == tLParen && p.prev().kind == tLParen {
			return false
		}
		p.next()
		c.Columns = p.tableColumns()
	case kwPartition, kwCluster:
		if p.peek(1).kw != kwBy {
			return false
		}
		p.next()
		p.next()
		p.partitionInCall()
	default:
		return p.skippedClause()
	}
	return true
}

// orderOfFile skips the ORDER (a ASC) UNIQUE of T-SQL's OPENROWSET(BULK ..), which says how
// the file is sorted.
func (p *parser) orderOfFile() bool {
	if !p.f.noSemicolons || p.peek(1).kind != tLParen {
		return false
	}
	p.next()
	p.skipBrackets()
	p.word(kwUnique)
	return true
}

// skippedClause skips a clause inside the brackets of a call that says how and not
// what: RETURNING type, NULL ON NULL, ON OVERFLOW and their like.
func (p *parser) skippedClause() bool {
	switch p.t.kw {
	case kwNull, kwAbsent, kwError, kwEmpty, kwDefault:
		uri := p.isWord(kwDefault) && p.peek(1).kind == tString // of XMLNAMESPACES
		if p.peek(1).kw != kwOn && p.peek(2).kw != kwOn && !uri {
			return false
		}
	case kwPlan: // of JSON_TABLE
		if p.prev().kind != tRParen {
			return false
		}
	case kwOn, kwReturning, kwFormat, kwStrict, kwUnconditional, kwConditional, kwWithout, kwNested, kwIndent:
		if p.prev().kind == tComma || p.prev().kind == tLParen || p.peek(1).kind == tRParen || p.peek(1).kind == tComma {
			return false
		}
	case kwKeep, kwOmit:
		if p.peek(1).kw != kwQuotes {
			return false
		}
	case kwWith:
		if k := p.peek(1).kw; k != kwUnique && k != kwWrapper && k != kwConditional && k != kwUnconditional && k != kwArray && k != kwWithout {
			return false
		}
	default:
		return false
	}
	if p.isWord(kwReturning) && p.peek(1).kw == kwSequence { // XMLTABLE: RETURNING SEQUENCE BY REF
		p.next()
		p.next()
		p.words(kwBy, kwRef)
		return true
	}
	p.skipElement()
	return true
}

// partitionInCall reads the list of a PARTITION BY behind a table argument.
func (p *parser) partitionInCall() {
	p.mem.argStack = append(p.mem.argStack, p.expr())
}

// callClauses reads the clauses behind a call.
func (p *parser) callClauses(c *ir.Call) {
	for p.turn() && p.is(tIdent) && p.t.kw != 0 {
		second := p.peek(1)
		switch {
		case p.t.kw == kwFilter && second.kind == tLParen:
			p.next()
			p.next()
			p.word(kwWhere)
			c.Filter = p.expr()
			p.need(tRParen)
		case p.t.kw == kwWithin && second.kw == kwGroup:
			p.next()
			p.next()
			c.WithinGroup = p.parenOrder()
		case p.t.kw == kwKeep && second.kind == tLParen:
			p.next()
			c.Keep = p.keepClause()
		case (p.t.kw == kwIgnore || p.t.kw == kwRespect) && second.kw == kwNulls:
			p.next()
			p.next()
		case p.t.kw == kwFrom && (second.kw == kwFirst || second.kw == kwLast) && p.fromFirstLast():
			p.next()
			p.next()
		case p.t.kw == kwOver && (second.kind == tLParen || second.kind == tIdent || second.kind == tQuoted):
			p.next()
			c.Over = p.windowOrName()
		case p.t.kw == kwAgainst && second.kind == tLParen:
			p.next()
			p.skipBrackets()
		default:
			return
		}
	}
}

// fromFirstLast tells NTH_VALUE(..) FROM FIRST OVER from a FROM clause.
func (p *parser) fromFirstLast() bool {
	switch p.peek(2).kw {
	case kwOver, kwIgnore, kwRespect:
		return true
	}
	return false
}

func (p *parser) parenOrder() []ir.OrderItem {
	p.need(tLParen)
	var items []ir.OrderItem
	if p.words(kwOrder, kwBy) {
		items = p.orderItems()
	} else if !p.is(tRParen) {
		items = p.orderItems()
	}
	p.need(tRParen)
	return items
}

// keepClause reads Oracle's (DENSE_RANK FIRST ORDER BY ..).
func (p *parser) keepClause() []ir.OrderItem {
	p.need(tLParen)
	p.next()
	p.anyWord(kwFirst, kwLast)
	var items []ir.OrderItem
	if p.words(kwOrder, kwBy) {
		items = p.orderItems()
	}
	p.need(tRParen)
	return items
}

// windowOrName reads what follows OVER.
func (p *parser) windowOrName() *ir.Window {
	if p.is(tLParen) {
		return p.window()
	}
	return &ir.Window{Base: p.aliasIdent()}
}

// window reads a window in brackets.
func (p *parser) window() *ir.Window {
	w := p.mem.windows.One()
	p.need(tLParen)
	if (p.is(tIdent) && !p.isAny(kwPartition, kwOrder, kwRows, kwRange, kwGroups, kwDistribute, kwSort, kwCluster) || p.is(tQuoted)) && !p.is(tRParen) {
		w.Base = p.aliasIdent()
	}
	if p.words(kwPartition, kwBy) || p.words(kwDistribute, kwBy) || p.words(kwCluster, kwBy) {
		w.PartitionBy = p.exprList()
	}
	if p.words(kwOrder, kwBy) || p.words(kwSort, kwBy) {
		w.OrderBy = p.orderItems()
	}
	if p.anyWord(kwRows, kwRange, kwGroups) {
		w.Frame = p.frame()
	}
	p.need(tRParen)
	return w
}

// frame reads the bounds of a window frame and keeps those that are not literals.
func (p *parser) frame() []*ir.Expr {
	var bounds []*ir.Expr
	n := 1
	if p.word(kwBetween) {
		n = 2
	}
	for ; n > 0; n-- {
		switch {
		case p.word(kwUnbounded), p.words(kwCurrent, kwRow):
		default:
			if b := p.operand(); b.Kind != ir.ExprLiteral {
				bounds = append(bounds, b)
			}
		}
		p.anyWord(kwPreceding, kwFollowing)
		if n == 2 {
			p.needWord(kwAnd)
		}
	}
	if p.word(kwExclude) {
		for !p.is(tRParen) && !p.ended() {
			p.next()
		}
	}
	return bounds
}

func (p *parser) exprList() []*ir.Expr {
	mark := len(p.mem.argStack)
	for {
		p.mem.argStack = append(p.mem.argStack, p.namedExpr())
		if !p.accept(tComma) {
			return p.mem.takeArgs(mark)
		}
	}
}

// orderItems reads the keys of ORDER BY.
func (p *parser) orderItems() []ir.OrderItem {
	var room [4]ir.OrderItem
	items := room[:0]
	for {
		items = append(items, p.orderItem())
		if !p.accept(tComma) {
			return p.mem.orders.Copy(items)
		}
	}
}

func (p *parser) orderItem() ir.OrderItem {
	item := ir.OrderItem{Expr: p.namedExpr()}
	for {
		p.turn()
		switch {
		case p.word(kwAsc):
		case p.word(kwDesc):
			item.Desc = true
		case p.isWord(kwNulls) && (p.peek(1).kw == kwFirst || p.peek(1).kw == kwLast):
			p.next()
			p.next()
		case p.isWord(kwUsing) && p.peek(1).kind != tLParen:
			p.next()
			p.next()
			if p.prev().kw == kwOperator { // USING OPERATOR(schema.<)
				p.skipParens()
			}
		case p.isWord(kwCollate):
			p.next()
			p.next()
		case p.isWords(kwWith, kwFill):
			p.withFill()
		default:
			return item
		}
	}
}

// withFill reads ClickHouse's WITH FILL of a sort key.
func (p *parser) withFill() {
	p.next()
	p.next()
	for p.anyWord(kwFrom, kwTo, kwStep, kwStaleness) {
		p.expr()
	}
	if p.word(kwInterpolate) {
		p.skipParens()
	}
}
