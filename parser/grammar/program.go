package grammar

import (
	"github.com/tributary-data/tributary/parser/ir"
)

// enterProgram goes into a body, in which statements end with semicolons and words
// such as LOOP and END end queries.
func (p *parser) enterProgram() bool {
	p.program++
	return p.enter()
}

func (p *parser) leaveProgram() {
	p.program--
	p.leave()
}

func (p *parser) atEnd() bool { return p.isWord(kwEnd) }

// begin reads BEGIN: a block, a transaction, or Flink's statement set.
func (p *parser) begin() ir.Node {
	second := p.peek(1)
	switch second.kw {
	case kwStatement:
		p.next()
		return p.statementSet()
	case kwTransaction, kwWork, kwIsolation, kwRead, kwDeferrable, kwImmediate, kwExclusive, kwDistributed, kwDeferred, kwDialog, kwConversation, kwName:
		return p.other()
	case kwTran:
		return p.beginTran()
	case kwTry, kwCatch:
		if p.f.noSemicolons {
			return p.tryBlock()
		}
	}
	if k := second.kind; k == tEOF || k == tSemi && (p.program == 0 || !p.f.noSemicolons) || k == tBorder {
		p.next()
		return &ir.Other{Verb: "BEGIN"}
	}
	return p.block()
}

func (p *parser) beginTran() ir.Node {
	p.next()
	p.next()
	if p.t.flags&flagNewline == 0 && (p.is(tIdent) && !startWords.has(p.t.kw) || p.is(tVariable) || p.is(tQuoted)) {
		p.next()
	}
	if p.words(kwWith, kwMark) && p.is(tString) {
		p.next()
	}
	return &ir.Other{Verb: "BEGIN"}
}

// tryBlock reads T-SQL's BEGIN TRY .. END TRY.
func (p *parser) tryBlock() ir.Node {
	p.next()
	kw := p.t.kw
	p.next()
	b := &ir.Block{Scope: true}
	if !p.enterProgram() {
		return b
	}
	defer p.leaveProgram()
	b.Body = p.body(p.atEnd)
	p.needWord(kwEnd)
	p.needWord(kw)
	return b
}

// block reads BEGIN .. [EXCEPTION ..] END.
func (p *parser) block() ir.Node {
	b := &ir.Block{Scope: true}
	if !p.enterProgram() {
		return b
	}
	defer p.leaveProgram()
	p.needWord(kwBegin)
	p.words(kwNot, kwAtomic)
	if p.word(kwAtomic) && p.isWord(kwWith) && p.peek(1).kind == tLParen {
		p.next()
		p.skipBrackets()
	}
	p.blockBody(b)
	p.blockEnd()
	return b
}

// blockBody reads statements and exception handlers up to END.
func (p *parser) blockBody(b *ir.Block) {
	for p.turn() {
		b.Body = append(b.Body, p.body(p.endsBlock)...)
		switch {
		case p.isWord(kwException):
			p.handlers(b)
		case p.isWord(kwEnd) && p.strayEnd():
			p.next()
			p.next()
			p.accept(tSemi)
			continue
		case !p.isWord(kwEnd) && !p.ended():
			p.next() // a stray ELSE or WHEN behind an error
			continue
		}
		return
	}
}

// strayEnd tells an END IF or END LOOP that an error left without its beginning.
func (p *parser) strayEnd() bool {
	switch p.peek(1).kw {
	case kwIf, kwLoop, kwWhile, kwFor, kwCase, kwRepeat:
		return true
	}
	return false
}

func (p *parser) endsBlock() bool {
	switch p.t.kw {
	case kwEnd:
		return true
	case kwException:
		return p.peek(1).kw == kwWhen
	case kwElse, kwElsif, kwElseif, kwUntil:
		return true
	case kwWhen:
		return true
	}
	return false
}

// handlers reads EXCEPTION WHEN x THEN statements.
func (p *parser) handlers(b *ir.Block) {
	p.next()
	for p.word(kwWhen) {
		for !p.isWord(kwThen) && !p.ended() {
			p.next()
		}
		p.needWord(kwThen)
		b.Body = append(b.Body, p.body(p.endsBlock)...)
		for p.isWord(kwEnd) && p.strayEnd() {
			p.next()
			p.next()
			b.Body = append(b.Body, p.body(p.endsBlock)...)
		}
	}
}

// blockEnd reads END with the block's name behind it.
func (p *parser) blockEnd() {
	p.needWord(kwEnd)
	p.endLabel()
}

func (p *parser) endLabel() {
	if (p.is(tIdent) || p.is(tQuoted)) && (p.peek(1).kind == tSemi || p.peek(1).kind == tEOF || p.peek(1).kind == tBorder || p.peek(1).kind == tDot) && !p.f.noSemicolons {
		p.anyName()
	}
}

// declare reads DECLARE: variables, cursors, handlers, or the declarations of a
// PL/SQL block.
func (p *parser) declare() ir.Node {
	switch {
	case p.f.noSemicolons:
		p.next()
		return p.declareTSQL()
	case p.f.plsql || p.program == 0 && p.declarationsFollow():
		return p.declareBlock()
	}
	p.next()
	return p.declareOne()
}

// declarationsFollow tells DECLARE a INT; BEGIN .. END from the script statement
// DECLARE a INT DEFAULT 1, by the word BEGIN at the start of a declaration.
func (p *parser) declarationsFollow() bool {
	if !p.f.declareBlocks {
		return false
	}
	for n := 1; n < 4000; n++ {
		switch t := p.peek(n); t.kind {
		case tEOF, tBorder:
			return false
		case tSemi:
			next := p.peek(n + 1).kw
			if next == kwBegin {
				return true
			}
			if next == kwDeclare || startWords.has(next) {
				return false
			}
		}
	}
	return false
}

// declareBlock reads DECLARE declarations BEGIN .. END.
func (p *parser) declareBlock() ir.Node {
	b := &ir.Block{Scope: true}
	if !p.enterProgram() {
		return b
	}
	defer p.leaveProgram()
	p.next()
	b.Body = p.declarations()
	if !p.isWord(kwBegin) {
		return b
	}
	p.next()
	p.blockBody(b)
	p.blockEnd()
	return b
}

// declarations reads declarations of a PL/SQL block up to BEGIN or END.
func (p *parser) declarations() []*ir.Statement {
	return p.bodyOf(func() bool { return p.isWord(kwBegin) || p.isWord(kwEnd) }, p.declaration)
}

// bodyOf is body with another way to read each element.
func (p *parser) bodyOf(stop func() bool, read func() *ir.Statement) []*ir.Statement {
	var list []*ir.Statement
	for {
		p.turn()
		for p.is(tSemi) {
			p.next()
		}
		if p.is(tEOF) || p.is(tBorder) || stop() {
			return list
		}
		before, depth := p.i, p.depth
		st := read()
		if p.bad == nil && !p.ended() && !stop() {
			p.expected("the end of the declaration")
		}
		if p.bad != nil {
			p.depth = depth
			st = p.recover(before)
		}
		list = append(list, st)
		if p.i == before {
			p.next()
		}
	}
}

// declaration reads one declaration of a PL/SQL, PL/pgSQL or Snowflake block.
func (p *parser) declaration() *ir.Statement {
	start := p.t.pos
	var node ir.Node
	switch {
	case p.isWord(kwDeclare):
		p.next()
		return p.declaration()
	case p.isWord(kwCursor) && anyPart(p.peek(1)) && p.peek(1).kw != kwFor:
		p.next()
		node = p.declareCursor()
	case p.isAny(kwProcedure, kwFunction) && anyPart(p.peek(1)):
		node = p.localRoutine()
	case p.isAny(kwType, kwSubtype, kwPragma) && anyPart(p.peek(1)):
		node = p.other()
	default:
		node = p.declareOne()
	}
	return &ir.Statement{Span: p.span(start), Node: node}
}

// declareCursor reads c [(params)] [RETURN type] IS|FOR query behind CURSOR.
func (p *parser) declareCursor() ir.Node {
	v := ir.VarDecl{}
	start := p.t.pos
	v.Name = p.aliasIdent().Name
	v.Columns = p.cursorParameters()
	if p.anyWord(kwReturn) {
		p.dataType()
	}
	if p.anyWord(kwIs, kwFor, kwAs) {
		v.Cursor = p.query()
	}
	v.Span = p.span(start)
	return &ir.Declare{Vars: []ir.VarDecl{v}}
}

// declareOne reads a, b type [DEFAULT e], c CURSOR FOR query, and handlers.
func (p *parser) declareOne() ir.Node {
	if p.isAny(kwContinue, kwExit, kwUndo) && p.peek(1).kw == kwHandler {
		return p.handler()
	}
	p.words(kwOr, kwReplace)
	if p.isAny(kwVariable, kwVar) && p.peek(1).kind == tIdent && p.peek(1).kw != kwDefault && !typeWords.has(p.peek(1).kw) {
		p.next()
	}
	start := p.t.pos
	var names []ir.VarDecl
	for {
		if !anyPart(p.t) {
			p.expected("the name of a variable")
			return nil
		}
		names = append(names, ir.VarDecl{Name: p.anyName().String()})
		if !p.accept(tComma) {
			break
		}
	}
	v := &names[0]
	p.cursorWords()
	switch {
	case p.isWord(kwCursor):
		p.cursorBehindName(v)
	case p.isAny(kwException, kwCondition):
		p.skipStatement()
	default:
		p.variableType(v)
	}
	v.Span = p.span(start)
	for i := range names[1:] {
		n := names[i+1].Name
		names[i+1] = *v
		names[i+1].Name = n
	}
	return &ir.Declare{Vars: names}
}

// cursorWords skips what may stand between a cursor's name and CURSOR, if that follows.
func (p *parser) cursorWords() {
	n := 0
	for cursorKinds.has(p.peek(n).kw) {
		n++
	}
	if p.peek(n).kw != kwCursor {
		return
	}
	for range n {
		p.next()
	}
}

// cursorKinds are the words before CURSOR in a declaration.
var cursorKinds = wordSetOf("binary insensitive asensitive no scroll parallel retrieve")

// cursorParameters reads a cursor's (p type, …): its query may name them.
func (p *parser) cursorParameters() []ir.ColumnDef {
	if !p.accept(tLParen) {
		return nil
	}
	var defs []ir.ColumnDef
	for !p.is(tRParen) && !p.is(tEOF) {
		defs = append(defs, ir.ColumnDef{Name: p.aliasIdent()})
		p.skipElement()
		if !p.accept(tComma) {
			break
		}
	}
	p.need(tRParen)
	return defs
}

// cursorBehindName reads CURSOR [(params)] FOR query behind the cursor's name.
func (p *parser) cursorBehindName(v *ir.VarDecl) {
	p.next()
	for p.anyWord(kwLocal, kwGlobal, kwForwardOnly, kwScroll, kwStatic, kwKeyset, kwDynamic, kwFastForward, kwReadOnly, kwScrollLocks, kwOptimistic, kwTypeWarning, kwWith, kwWithout, kwHold, kwReturn) {
	}
	v.Columns = p.cursorParameters()
	if !p.anyWord(kwFor, kwIs) {
		return
	}
	if p.startsQuery() || p.is(tLParen) {
		v.Cursor = p.query()
		return
	}
	if anyPart(p.t) {
		v.CursorOf = p.aliasIdent().Name
	}
}

// variableType reads the type and first value of a variable.
func (p *parser) variableType(v *ir.VarDecl) {
	p.word(kwConstant)
	switch {
	case p.isWord(kwResultset):
		p.next()
		v.Type = "RESULTSET"
	case !p.is(tAssign) && !p.is(tEq) && !p.isWord(kwDefault) && !p.ended():
		p.rowType(v)
		v.Type = p.dataType()
		if p.isWord(kwOf) || p.isWord(kwIndex) {
			p.skipStatement()
		}
	}
	for p.anyWord(kwNot, kwNull) {
	}
	if p.isWord(kwCollate) {
		p.next()
		p.anyName()
	}
	for p.anyWord(kwNot, kwNull) {
	}
	if p.accept(tAssign) || p.accept(tEq) || p.word(kwDefault) {
		v.Default = p.valueOrQuery()
	}
}

// rowType notes the table or column of t%ROWTYPE and t.c%TYPE.
func (p *parser) rowType(v *ir.VarDecl) {
	n := 1
	for p.turn() && p.peek(n).kind == tDot && anyPart(p.peek(n+1)) && n < 9 {
		n += 2
	}
	if p.peek(n).kind != tPercent || p.peek(n+1).kw != kwRowtype && p.peek(n+1).kw != kwType {
		return
	}
	at := p.i
	v.RowOf = p.anyName()
	v.IsTable = false
	p.jump(at)
}

// handler reads MySQL's DECLARE CONTINUE HANDLER FOR c statement.
func (p *parser) handler() ir.Node {
	p.next()
	p.next()
	p.needWord(kwFor)
	for {
		p.word(kwNot)
		p.next()
		p.anyWord(kwFound, kwValue)
		for p.is(tString) {
			p.next()
		}
		if !p.accept(tComma) {
			break
		}
	}
	if p.ended() {
		return &ir.Other{Verb: "DECLARE"}
	}
	b := &ir.Block{}
	b.Body = []*ir.Statement{p.statement()}
	return b
}

// declareTSQL reads DECLARE @a INT = 1, @t TABLE (..), @c CURSOR, and c CURSOR FOR
// query.
func (p *parser) declareTSQL() ir.Node {
	d := &ir.Declare{}
	for {
		v := ir.VarDecl{}
		start := p.t.pos
		if !anyPart(p.t) {
			p.expected("the name of a variable")
			return d
		}
		v.Name = p.aliasIdent().Name
		p.word(kwAs)
		for p.anyWord(kwInsensitive, kwScroll) {
		}
		switch {
		case p.isWord(kwTable):
			p.next()
			v.IsTable = true
			if p.is(tLParen) {
				v.Columns = p.viewColumnDefs()
			}
		case p.isWord(kwCursor):
			p.cursorBehindName(&v)
			if p.isWord(kwFor) && p.peek(1).kw == kwUpdate {
				p.forClause()
			}
		default:
			v.Type = p.dataType()
			if p.accept(tEq) {
				v.Default = p.valueOrQuery()
			}
		}
		v.Span = p.span(start)
		d.Vars = append(d.Vars, v)
		if !p.accept(tComma) {
			return d
		}
	}
}

// ifStatement reads IF in both forms: with THEN and END IF, or T-SQL's.
func (p *parser) ifStatement() ir.Node {
	b := &ir.Block{}
	if !p.enterProgram() {
		return b
	}
	defer p.leaveProgram()
	p.next()
	b.Conds = append(b.Conds, p.expr())
	if p.f.noSemicolons && !p.isWord(kwThen) {
		b.Body = append(b.Body, p.oneStatement())
		at := p.i
		for p.is(tSemi) {
			p.next()
		}
		if p.word(kwElse) {
			b.Body = append(b.Body, p.oneStatement())
		} else {
			p.jump(at)
		}
		return b
	}
	p.needWord(kwThen)
	for {
		p.turn()
		b.Body = append(b.Body, p.body(p.endsBranch)...)
		switch {
		case p.anyWord(kwElseif, kwElsif), p.isWords(kwElse, kwIf) && p.words(kwElse, kwIf):
			b.Conds = append(b.Conds, p.expr())
			p.needWord(kwThen)
			continue
		case p.word(kwElse):
			continue
		}
		p.needWord(kwEnd)
		p.needWord(kwIf)
		return b
	}
}

func (p *parser) endsBranch() bool {
	switch p.t.kw {
	case kwEnd, kwElse, kwElseif, kwElsif:
		return true
	case kwException:
		return p.peek(1).kw == kwWhen
	}
	return false
}

// oneStatement reads the single statement of T-SQL's IF, ELSE and WHILE.
func (p *parser) oneStatement() *ir.Statement {
	for p.is(tSemi) {
		p.next()
	}
	return p.bodyStatement()
}

// while reads WHILE in all forms.
func (p *parser) while() ir.Node {
	b := &ir.Block{}
	if !p.enterProgram() {
		return b
	}
	defer p.leaveProgram()
	p.next()
	b.Conds = append(b.Conds, p.expr())
	if p.anyWord(kwDo, kwLoop) {
		b.Body = p.body(p.endsBlock)
		p.endLoop()
		return b
	}
	if !p.f.noSemicolons {
		p.expected("DO or LOOP")
		return b
	}
	b.Body = []*ir.Statement{p.oneStatement()}
	return b
}

// endLoop reads END LOOP, END WHILE, END FOR or END REPEAT with a label.
func (p *parser) endLoop() {
	p.needWord(kwEnd)
	if !p.anyWord(kwLoop, kwWhile, kwFor, kwRepeat) {
		p.expected("LOOP, WHILE or FOR")
	}
	p.endLabel()
}

// loop reads LOOP .. END LOOP and REPEAT .. UNTIL c END REPEAT.
func (p *parser) loop() ir.Node {
	if p.peek(1).kind == tLParen && p.isWord(kwRepeat) && p.program == 0 {
		return nil
	}
	b := &ir.Block{}
	if !p.enterProgram() {
		return b
	}
	defer p.leaveProgram()
	p.next()
	b.Body = p.body(p.endsBlock)
	if p.word(kwUntil) {
		b.Conds = append(b.Conds, p.expr())
	}
	p.endLoop()
	return b
}

// caseStatement reads CASE with statements in its branches.
func (p *parser) caseStatement() ir.Node {
	b := &ir.Block{}
	if !p.enterProgram() {
		return b
	}
	defer p.leaveProgram()
	p.next()
	if !p.isWord(kwWhen) {
		b.Conds = append(b.Conds, p.expr())
	}
	for p.word(kwWhen) {
		b.Conds = append(b.Conds, p.exprList()...)
		p.needWord(kwThen)
		b.Body = append(b.Body, p.body(p.endsBlock)...)
	}
	if p.word(kwElse) {
		b.Body = append(b.Body, p.body(p.endsBlock)...)
	}
	p.needWord(kwEnd)
	p.word(kwCase)
	p.endLabel()
	return b
}

// forStatement reads FOR over rows or numbers, FOREACH and FORALL.
func (p *parser) forStatement() ir.Node {
	f := &ir.For{}
	if !p.enterProgram() {
		return f
	}
	defer p.leaveProgram()
	forall := p.isWord(kwForall)
	p.next()
	f.Var = p.aliasIdent()
	for p.accept(tComma) {
		f.Vars = append(f.Vars, p.aliasIdent())
	}
	if len(f.Vars) > 0 {
		f.Vars = append([]ir.Ident{f.Var}, f.Vars...)
	}
	if p.word(kwAs) && p.startsQuery() {
		f.Query = p.query()
		return p.forBody(f, nil, false)
	}
	if p.isWord(kwSlice) {
		p.next()
		p.next()
	}
	if p.isWord(kwCursor) { // MySQL-like: FOR r AS c CURSOR FOR query DO
		p.next()
	}
	if !p.anyWord(kwIn, kwFor) {
		p.expected("IN")
		return f
	}
	return p.forBody(f, p.forSource(f), forall)
}

// forBody reads the body of FOR. A loop over numbers is a block with the bounds as
// its conditions.
func (p *parser) forBody(f *ir.For, numbers []*ir.Expr, forall bool) ir.Node {
	if forall {
		p.words(kwSave, kwExceptions)
		f.Body = []*ir.Statement{p.statement()}
	} else {
		if !p.anyWord(kwLoop, kwDo) {
			p.expected("LOOP or DO")
		}
		f.Body = p.body(p.endsBlock)
		p.endLoop()
	}
	if numbers != nil {
		return &ir.Block{Conds: numbers, Counter: f.Var, Body: f.Body}
	}
	return f
}

// forIterator reads a value, a range a..b BY c, or Oracle's REPEAT e WHILE c WHEN d, and
// gives the first expression and all of them.
func (p *parser) forIterator() (*ir.Expr, []*ir.Expr) {
	p.word(kwRepeat)
	first := p.expr()
	all := []*ir.Expr{first}
	if p.accept(tDotDot) || p.word(kwTo) {
		all = append(all, p.expr())
		if p.word(kwBy) {
			all = append(all, p.expr())
		}
	}
	for p.f.plsql && p.anyWord(kwWhile, kwWhen) {
		all = append(all, p.expr())
	}
	return first, all
}

// forSource reads what FOR goes over. For numbers it gives their bounds.
func (p *parser) forSource(f *ir.For) []*ir.Expr {
	p.anyWord(kwReverse)
	switch {
	case p.word(kwExecute):
		f.Dynamic = p.expr()
		if p.word(kwUsing) {
			f.Using = p.usingList()
		}
		return nil
	case p.word(kwArray):
		return []*ir.Expr{p.expr()}
	case p.startsQuery():
		f.Query = p.query()
		return nil
	case p.isAny(kwIndices, kwValues) && p.peek(1).kw == kwOf:
		p.next()
		p.next()
		return []*ir.Expr{p.expr()}
	case p.is(tLParen) && p.queryBehindParens():
		f.Query = p.query()
		return nil
	}
	first, bounds := p.forIterator()
	if len(bounds) > 1 || p.is(tComma) {
		for p.accept(tComma) { // Oracle: one range behind the other
			_, more := p.forIterator()
			bounds = append(bounds, more...)
		}
		return bounds
	}
	switch first.Kind {
	case ir.ExprColumn, ir.ExprCall:
		f.Cursor = first.Name[len(first.Name)-1]
		return nil
	}
	return []*ir.Expr{first}
}

// returnStatement reads RETURN in all forms.
func (p *parser) returnStatement() ir.Node {
	r := &ir.Return{}
	p.next()
	switch {
	case p.word(kwQuery):
		if p.isWord(kwExecute) {
			p.next()
			return p.executeText()
		}
		r.Query = p.query()
	case p.isWord(kwNext) && p.program > 0:
		p.next()
		if !p.ended() {
			r.Expr = p.expr()
		}
	case p.isWord(kwTable) && p.peek(1).kind == tLParen:
		p.next()
		r.Expr, r.Query = p.returnTable()
	case p.ended(), p.isAny(kwEnd, kwElse), p.f.noSemicolons && p.statementFollows() && !p.startsQuery():
	case p.startsQuery(), p.is(tLParen) && p.queryBehindParens():
		r.Query = p.query()
	default:
		r.Expr = p.expr()
	}
	return r
}

// pipeRow reads Oracle's PIPE ROW (object), which a pipelined function returns one by one.
func (p *parser) pipeRow() ir.Node {
	p.next()
	p.next()
	return &ir.Return{Expr: p.expr()}
}

// returnTable reads Snowflake's RETURN TABLE (result) and TABLE (query).
func (p *parser) returnTable() (*ir.Expr, *ir.Query) {
	q, list := p.parenList(nil)
	if q != nil || len(list) == 0 {
		return nil, q
	}
	return list[0], nil
}

// openCursor reads OPEN c [FOR query] [USING ..].
func (p *parser) openCursor() ir.Node {
	o := &ir.Open{}
	p.next()
	p.word(kwGlobal)
	if !anyPart(p.t) && !p.is(tColon) || p.isAny(kwSymmetric, kwMaster) {
		p.skipStatement()
		return &ir.Other{Verb: "OPEN"}
	}
	p.accept(tColon)
	o.Cursor = p.anyName().String()
	if p.is(tLParen) {
		p.skipBrackets()
	}
	p.words(kwNo, kwScroll)
	p.word(kwScroll)
	if p.word(kwFor) {
		switch {
		case p.word(kwExecute):
			o.Dynamic = p.expr()
		case p.startsQuery(), p.is(tLParen) && p.queryBehindParens():
			o.Query = p.query()
		default:
			o.Dynamic = p.expr()
		}
	}
	if p.word(kwUsing) {
		o.Using = p.usingList()
	}
	return o
}

// fetch reads FETCH [NEXT] [FROM] c INTO variables.
func (p *parser) fetch() ir.Node {
	f := &ir.Fetch{}
	p.next()
	for p.anyWord(kwNext, kwPrior, kwFirst, kwLast, kwAbsolute, kwRelative, kwForward, kwBackward, kwAll) {
		p.accept(tMinus)
		if p.is(tNumber) {
			p.next()
		}
	}
	if p.is(tNumber) {
		p.next()
	}
	p.anyWord(kwFrom, kwIn)
	p.word(kwGlobal)
	if !anyPart(p.t) {
		p.skipStatement()
		return &ir.Other{Verb: "FETCH"}
	}
	f.Cursor = p.anyName().String()
	p.words(kwBulk, kwCollect)
	if p.word(kwInto) {
		f.Into = p.variableList()
	}
	if p.word(kwLimit) {
		p.expr()
	}
	return f
}

// async reads Snowflake's ASYNC (statement).
func (p *parser) async() ir.Node {
	p.next()
	p.need(tLParen)
	b := &ir.Block{Body: []*ir.Statement{p.statement()}}
	p.need(tRParen)
	return b
}

// perform reads PL/pgSQL's PERFORM, a SELECT whose result is dropped.
func (p *parser) perform() ir.Node {
	if p.program == 0 {
		return nil
	}
	q := p.mem.query.One()
	s := p.mem.selcts.One()
	start := p.t.pos
	p.next()
	s.Items = p.selectItems()
	for p.turn() && p.selectClause(s) {
	}
	s.Span = p.span(start)
	q.Select = s
	for p.turn() && p.tailClause(q) {
	}
	q.Span = p.span(start)
	return &ir.Other{Verb: "PERFORM", Queries: []*ir.Query{q}}
}

// let reads Snowflake's LET: a variable, cursor or result set.
func (p *parser) let() ir.Node {
	if !anyPart(p.peek(1)) {
		return nil
	}
	p.next()
	return p.declareOne()
}

// doStatement reads DO: PL/pgSQL text, or an expression.
func (p *parser) doStatement() ir.Node {
	p.next()
	language := ""
	if p.word(kwLanguage) {
		language = p.aliasIdent().Name
	}
	if p.is(tBody) || p.is(tString) {
		text := p.t
		p.next()
		if p.word(kwLanguage) {
			language = p.aliasIdent().Name
		}
		if language != "" && !sqlLanguages[lower(language)] {
			return &ir.CreateRoutine{Object: ir.ObjectProcedure, Language: lower(language), Opaque: true}
		}
		return &ir.Block{Scope: true, Body: p.sub(text, p.programText)}
	}
	return &ir.Other{Verb: "DO", Exprs: p.exprList()}
}

// programText reads the text of a PL/pgSQL or Snowflake body.
func (p *parser) programText() []*ir.Statement {
	p.program++
	defer func() { p.program-- }()
	for p.is(tHash) { // PL/pgSQL: #variable_conflict use_column
		p.next()
		for !p.ended() && p.t.flags&flagNewline == 0 {
			p.next()
		}
	}
	if !p.f.plsql && p.isWord(kwDeclare) {
		start := p.t.pos
		if n := p.declareText(); n != nil {
			return []*ir.Statement{{Span: p.span(start), Node: n}}
		}
	}
	return p.body(func() bool { return false })
}

// declareText reads DECLARE .. BEGIN .. END where DECLARE alone could be a
// statement too.
func (p *parser) declareText() ir.Node {
	at := p.i
	depth, bad := p.depth, p.bad
	n := p.declareBlock()
	if p.bad != nil && p.badTok == at {
		p.jump(at)
		p.depth, p.bad = depth, bad
		return nil
	}
	if p.bad != nil {
		p.recover(at)
	}
	return n
}
