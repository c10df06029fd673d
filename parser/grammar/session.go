package grammar

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// use reads USE.
func (p *parser) use() ir.Node {
	p.next()
	u := &ir.Use{}
	if anyPart(p.peek(1)) && p.peek(1).flags&flagNewline == 0 {
		switch p.t.kw {
		case kwCatalog:
			u.Object = ir.ObjectCatalog
			p.next()
		case kwDatabase:
			u.Object = ir.ObjectSchema
			if p.f.stages {
				u.Object = ir.ObjectCatalog
			}
			p.next()
		case kwSchema, kwNamespace, kwKeyspace:
			u.Object = ir.ObjectSchema
			p.next()
		case kwRole, kwWarehouse, kwSecondary, kwModules, kwModule:
			return p.other()
		}
	}
	if p.is(tString) {
		u.Name = ir.Name{Parts: []ir.Ident{p.aliasIdent()}}
	} else {
		u.Name = p.objectName("a schema or catalog")
	}
	p.skipStatement()
	return u
}

// set reads SET of variables and settings.
func (p *parser) set() ir.Node {
	start := p.i
	p.next()
	switch {
	case p.isWord(kwCatalog) && anyPart(p.peek(1)):
		p.next()
		u := &ir.Use{Object: ir.ObjectCatalog, Name: p.name("a catalog")}
		p.skipStatement()
		return u
	case p.isWord(kwSchema) && (anyPart(p.peek(1)) || p.peek(1).kind == tEq) && !p.f.noSemicolons:
		return p.setSchema()
	case p.f.rawSettings && p.program == 0 && !p.isAny(kwVar, kwVariable):
		return p.rawSetting()
	case p.isAny(kwTransaction, kwRole, kwNames, kwConstraints, kwConstraint, kwSession) && p.peek(1).kind != tEq && p.peek(1).kind != tAssign && !p.setSessionVariable():
		p.jump(start)
		return p.other()
	}
	p.anyWord(kwVar, kwVariable)
	if p.peek(1).kind != tEq {
		p.anyWord(kwSession, kwGlobal, kwLocal, kwPersist)
	}
	if p.f.noSemicolons && !p.is(tVariable) {
		return p.setOption()
	}
	if n := p.setItems(); n != nil {
		return n
	}
	p.skipStatement()
	return &ir.Other{Verb: "SET"}
}

// setSessionVariable tells SET SESSION a = b from SET SESSION AUTHORIZATION.
func (p *parser) setSessionVariable() bool {
	if !p.isWord(kwSession) {
		return false
	}
	k := p.peek(2).kind
	return k == tEq || k == tAssign || k == tDot || p.peek(2).kw == kwTo
}

// setSchema reads SET SCHEMA x and SET SCHEMA 'x'.
func (p *parser) setSchema() ir.Node {
	p.next()
	p.accept(tEq)
	u := &ir.Use{Object: ir.ObjectSchema}
	if p.is(tString) {
		u.Name = ir.Name{Parts: []ir.Ident{{Name: p.stringValue(p.t), Start: int32(p.t.pos)}}}
		p.next()
	} else {
		u.Name = p.name("a schema")
	}
	p.skipStatement()
	return u
}

// rawSetting reads SET key = value where the value is text up to the end of the
// statement.
func (p *parser) rawSetting() ir.Node {
	key := p.t
	for !p.is(tEq) && !p.ended() {
		p.skipToken()
	}
	name := strings.TrimSpace(p.between(key))
	if p.prev().end <= key.pos || !p.accept(tEq) {
		p.skipStatement()
		return &ir.Other{Verb: "SET"}
	}
	name = strings.Trim(name, "'\"`")
	value := p.t
	from := p.t.pos
	for !p.ended() {
		p.next()
	}
	e := p.node(ir.ExprLiteral, from)
	if p.prev().end > from {
		e.Text = strings.TrimSpace(p.cut(int(from), int(p.prev().end)))
	}
	if value.kind == tString && p.prev() == value {
		e.Text, e.IsString = p.stringValue(value), true
	}
	return &ir.Set{Items: []ir.SetItem{{Names: []string{name}, Values: p.mem.args.Copy([]*ir.Expr{e})}}}
}

// setOption reads T-SQL's SET NOCOUNT ON and its like.
func (p *parser) setOption() ir.Node {
	for !p.ended() && !p.stopsSkipping() {
		on := p.isAny(kwOn, kwOff)
		p.skipToken()
		if on && !p.is(tComma) {
			break
		}
	}
	return &ir.Other{Verb: "SET"}
}

// setItems reads a = 1, b = 2; (a, b) = (1, 2); a TO x, y. It gives nil for
// anything else.
func (p *parser) setItems() ir.Node {
	s := &ir.Set{}
	for {
		item, ok := p.setItem()
		if !ok {
			if len(s.Items) == 0 {
				return nil
			}
			return s
		}
		s.Items = append(s.Items, item)
		if !p.accept(tComma) {
			return s
		}
	}
}

func (p *parser) setItem() (ir.SetItem, bool) {
	item := ir.SetItem{}
	start := p.t
	switch {
	case p.is(tLParen):
		for _, id := range p.identList() {
			item.Names = append(item.Names, id.Name)
		}
	case anyPart(p.t) || p.is(tColon):
		p.accept(tColon)
		p.anyWord(kwSession, kwGlobal)
		if !anyPart(p.t) {
			return item, false
		}
		p.anyName()
		for p.turn() && p.is(tLBracket) {
			p.skipBrackets()
		}
		item.Names = []string{p.between(start)}
	default:
		return item, false
	}
	if compoundSign(p.t.kind) && p.peek(1).kind == tEq {
		p.next()
	}
	if !p.accept(tEq) && !p.accept(tAssign) && !p.word(kwTo) {
		return item, false
	}
	mark := len(p.mem.argStack)
	p.mem.argStack = append(p.mem.argStack, p.settingValue())
	for p.is(tComma) && !p.assignsNext() {
		p.next()
		p.mem.argStack = append(p.mem.argStack, p.settingValue())
	}
	item.Values = p.mem.takeArgs(mark)
	return item, true
}

// assignsNext tells whether behind the comma another variable is set.
func (p *parser) assignsNext() bool {
	for n := 1; n < 8; n++ {
		t := p.peek(n)
		if t.kind == tEq || t.kind == tAssign || compoundSign(t.kind) && p.peek(n+1).kind == tEq {
			return true
		}
		if !anyPart(t) && t.kind != tDot {
			return false
		}
	}
	return false
}

// settingValue reads the value of a setting: an expression, or a bare word.
func (p *parser) settingValue() *ir.Expr {
	start := p.t
	if p.isWord(kwCursor) && p.f.noSemicolons { // T-SQL: SET @c = CURSOR FOR ..
		p.next()
		for !p.isWord(kwFor) && !p.ended() {
			p.next()
		}
		p.next()
		q := p.query()
		e := p.node(ir.ExprArray, start.pos)
		e.Query = q
		return e
	}
	if p.is(tIdent) && (p.f.reserved.has(p.t.kw) || p.isWord(kwOn)) && !p.isAny(kwCase, kwNot, kwNull, kwCast, kwSelect, kwWith, kwExists, kwTrue, kwFalse, kwArray, kwRow, kwStruct, kwLeft, kwRight, kwIf, kwReplace, kwDate, kwTimestamp, kwInterval, kwConvert) && p.peek(1).kind != tLParen {
		p.next()
		return p.literal(start)
	}
	return p.valueOrQuery()
}

// cache reads Spark's CACHE TABLE t [AS query].
func (p *parser) cache() ir.Node {
	p.next()
	p.word(kwLazy)
	if !p.isWord(kwTable) {
		p.skipStatement()
		return &ir.Other{Verb: "CACHE"}
	}
	p.next()
	c := &ir.Cache{Name: p.name("a table")}
	if p.word(kwOptions) {
		p.skipParens()
	}
	p.word(kwAs)
	if !p.ended() {
		c.Query = p.query()
	}
	return c
}

// explain reads EXPLAIN with its options in front of a statement.
func (p *parser) explain() ir.Node {
	p.next()
	for n := 0; n < 16 && !p.ended() && !p.explained(); n++ {
		p.skipToken()
	}
	if !p.explained() {
		p.skipStatement()
		return &ir.Explain{}
	}
	return &ir.Explain{Body: p.statement()}
}

func (p *parser) explained() bool {
	switch p.t.kw {
	case kwSelect, kwWith, kwInsert, kwUpdate, kwDelete, kwMerge, kwCreate, kwValues, kwReplace, kwExecute, kwAlter, kwDrop, kwTruncate, kwUse, kwRefresh, kwMsck, kwCall:
		return true
	case kwFrom, kwTable:
		return p.startsQuery()
	}
	return p.is(tLParen) && p.queryBehindParens()
}

// prepare reads PREPARE s FROM .. and PREPARE s AS ...
func (p *parser) prepare() ir.Node {
	p.next()
	s := &ir.Prepare{}
	if !anyPart(p.t) {
		p.expected("the name of the statement")
		return s
	}
	s.Name = p.aliasIdent().Name
	p.skipParens()
	switch {
	case p.word(kwFrom):
		if p.is(tString) || p.is(tVariable) || p.is(tBody) || p.is(tIdent) && !startWords.has(p.t.kw) && !p.isWord(kwUnload) {
			s.SQL = p.expr()
			return s
		}
		s.Body = p.statement()
	case p.word(kwAs):
		s.Body = p.statement()
	default:
		p.skipStatement()
	}
	return s
}

// callStatement reads CALL p(args).
func (p *parser) callStatement() ir.Node {
	p.next()
	at := p.i
	if p.is(tColon) {
		p.skipStatement()
		return &ir.CallStmt{}
	}
	name := p.objectName("a procedure")
	c := &ir.CallStmt{Name: name}
	if p.is(tLParen) {
		p.jump(at)
		if e := p.postfix(p.column()); e.Kind == ir.ExprCall {
			c.Args = e.Args
		}
	}
	if p.word(kwInto) {
		p.variableList()
	}
	return c
}

// batch reads TiDB's BATCH ON c LIMIT n in front of a change of rows.
func (p *parser) batch() ir.Node {
	for !p.isAny(kwInsert, kwUpdate, kwDelete, kwReplace) && !p.ended() {
		p.skipToken()
	}
	if p.ended() {
		p.expected("INSERT, UPDATE or DELETE")
		return nil
	}
	return p.dmlNode(nil)
}

// execute reads EXECUTE and EXEC of all engines.
func (p *parser) execute() ir.Node {
	second := p.peek(1)
	switch second.kw {
	case kwImmediate:
		p.next()
		p.next()
		return p.executeImmediate()
	case kwStatement:
		p.next()
		return p.statementSet()
	case kwTask, kwNotebook, kwAlert, kwJob, kwService, kwStreamlit, kwDbt, kwAs:
		if second.kw != kwAs || p.f.noSemicolons {
			return p.other()
		}
	case kwProcedure, kwFunction:
		p.next()
		return p.callStatement()
	case kwInsert, kwSelect, kwWith:
		p.next()
		return p.node1()
	case kwPlan:
		return p.other()
	}
	if p.f.noSemicolons {
		return p.execProcedure()
	}
	p.next()
	return p.executeText()
}

// executeImmediate reads what follows EXECUTE IMMEDIATE. A text that is written out
// is read as the body that it is.
func (p *parser) executeImmediate() ir.Node {
	if text := p.t; (p.is(tString) || p.is(tBody)) && p.endsAfterText() {
		p.next()
		return p.textBlock(text)
	}
	return p.executeText()
}

// endsAfterText tells whether a text is the whole expression, without values that
// are put into it.
func (p *parser) endsAfterText() bool {
	t := p.peek(1)
	return t.kind == tEOF || t.kind == tSemi || t.kind == tBorder || t.kind == tRParen
}

// textBlock reads the statements in a text as a block.
func (p *parser) textBlock(text token) ir.Node {
	return &ir.Block{Text: true, Body: p.sub(text, p.textStatements)}
}

func (p *parser) textStatements() []*ir.Statement {
	return p.body(func() bool { return false })
}

// executeText reads dynamic SQL: an expression, with INTO and USING, or the name of
// a prepared statement.
func (p *parser) executeText() ir.Node {
	x := &ir.Execute{}
	if p.word(kwFrom) { // Snowflake: a file of a stage
		p.skipStatement()
		x.SQL = p.node(ir.ExprParam, p.t.pos)
		return x
	}
	if (p.is(tIdent) || p.is(tQuoted)) && (p.program == 0 || p.f.execComments) && p.peek(1).kind != tConcat && p.peek(1).kind != tDot && !p.f.stages && (p.peek(1).kind != tLParen || p.f.copyData) {
		x.Prepared = p.aliasIdent().Name
		if p.is(tLParen) {
			_, x.Using = p.parenList(nil)
		}
	} else {
		x.SQL = p.valueOrQuery()
	}
	for {
		p.turn()
		switch {
		case p.word(kwInto):
			p.word(kwStrict)
			x.Into = p.variableList()
		case p.isWord(kwBulk) && p.peek(1).kw == kwCollect:
			p.next()
			p.next()
		case p.word(kwUsing):
			x.Using = p.usingList()
		case p.isAny(kwReturning, kwReturn):
			p.next()
		default:
			return x
		}
	}
}

// usingList reads the values put into dynamic SQL: IN OUT a, b AS name.
func (p *parser) usingList() []*ir.Expr {
	mark := len(p.mem.argStack)
	brackets := p.f.stages && p.accept(tLParen)
	for {
		if p.anyWord(kwIn, kwOut, kwInout) {
			p.word(kwOut)
		}
		p.mem.argStack = append(p.mem.argStack, p.namedExpr())
		if !p.accept(tComma) {
			break
		}
	}
	if brackets {
		p.need(tRParen)
	}
	return p.mem.takeArgs(mark)
}

// statementSet reads Flink's STATEMENT SET BEGIN .. END.
func (p *parser) statementSet() ir.Node {
	p.needWord(kwStatement)
	p.needWord(kwSet)
	p.accept(tSemi)
	p.word(kwBegin)
	p.accept(tSemi)
	b := &ir.Block{}
	p.program++
	b.Body = p.body(func() bool { return p.isWord(kwEnd) })
	p.program--
	p.needWord(kwEnd)
	return b
}

// execProcedure reads T-SQL's EXEC p @a = 1, EXEC (@sql), EXEC @rc = p.
func (p *parser) execProcedure() ir.Node {
	p.next()
	if p.is(tLParen) {
		if p.peek(1).kind == tString && p.peek(2).kind == tRParen {
			text := p.peek(1)
			p.skipBrackets()
			n := p.textBlock(text)
			p.execTail()
			return n
		}
		q, list := p.parenList(nil)
		x := &ir.Execute{}
		if q == nil && len(list) > 0 {
			x.SQL, x.Using = list[0], list[1:]
		}
		p.execTail()
		return x
	}
	if p.is(tVariable) && p.peek(1).kind == tEq {
		p.next()
		p.next()
	}
	if p.is(tVariable) { // EXEC @procedure
		x := &ir.Execute{SQL: p.primary()}
		p.execArguments()
		p.execTail()
		return x
	}
	name := p.name("a procedure")
	if p.is(tSemi) && p.peek(1).kind == tNumber { // p;1
		p.next()
		p.next()
	}
	if strings.EqualFold(name.Last().Name, "sp_executesql") {
		return p.spExecutesql()
	}
	c := &ir.CallStmt{Name: name, Args: p.execArguments()}
	p.execTail()
	return c
}

// spExecutesql reads the arguments of sp_executesql, of which the first is SQL.
func (p *parser) spExecutesql() ir.Node {
	if p.is(tVariable) && p.peek(1).kind == tEq {
		p.next()
		p.next()
	}
	if text := p.t; p.is(tString) && (p.peek(1).kind == tEOF || p.peek(1).kind == tSemi || p.peek(1).kind == tComma) {
		p.next()
		n := p.textBlock(text)
		if p.accept(tComma) {
			p.execArguments()
		}
		return n
	}
	x := &ir.Execute{}
	if list := p.execArguments(); len(list) > 0 {
		x.SQL, x.Using = list[0], list[1:]
	}
	p.execTail()
	return x
}

// execArguments reads 1, @a, @b = 2 OUTPUT without brackets.
func (p *parser) execArguments() []*ir.Expr {
	mark := len(p.mem.argStack)
	for {
		if p.is(tVariable) && p.peek(1).kind == tEq {
			p.next()
			p.next()
		}
		if p.ended() || p.is(tIdent) && (startWords.has(p.t.kw) || p.isAny(kwWith, kwEnd, kwElse)) && p.prev().kind != tComma && p.prev().kind != tEq {
			break
		}
		switch {
		case p.word(kwDefault):
		case p.is(tIdent):
			t := p.t
			p.next()
			for p.is(tDot) {
				p.next()
				p.next()
			}
			p.mem.argStack = append(p.mem.argStack, p.literal(t))
		default:
			p.mem.argStack = append(p.mem.argStack, p.operand())
		}
		p.anyWord(kwOutput, kwOut)
		if !p.accept(tComma) {
			break
		}
	}
	return p.mem.takeArgs(mark)
}

// execTail skips AT server, AS USER = .., WITH RESULT SETS (..).
func (p *parser) execTail() {
	for p.turn() {
		switch {
		case p.isWord(kwAt) && anyPart(p.peek(1)):
			p.next()
			p.word(kwDataSource)
			p.next()
		case p.isWord(kwAs) && (p.peek(1).kw == kwUser || p.peek(1).kw == kwLogin):
			p.next()
			p.next()
			p.accept(tEq)
			p.next()
		case p.isWord(kwWith) && (p.peek(1).kw == kwRecompile || p.peek(1).kw == kwResult):
			p.next()
			p.next()
			p.anyWord(kwSets)
			if !p.skipParens() {
				p.anyWord(kwUndefined, kwNone)
			}
		default:
			return
		}
	}
}
