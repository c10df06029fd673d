package grammar

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

func lower(s string) string { return strings.ToLower(s) }

// sqlLanguages are the languages of bodies that are SQL.
var sqlLanguages = wordsOf("sql plpgsql plsql spl pgplsql edbspl")

// createRoutine reads CREATE FUNCTION, PROCEDURE and MACRO; the cursor stands on
// that word.
func (p *parser) createRoutine(object ir.Object) ir.Node {
	r := &ir.CreateRoutine{Object: object}
	p.next()
	p.ifNotExists()
	r.Name = p.objectName("a name")
	if p.is(tSemi) && p.peek(1).kind == tNumber { // T-SQL: p;1
		p.next()
		p.next()
	}
	p.parameters(r)
	if p.f.noSemicolons {
		p.routineTSQL(r)
		return r
	}
	for p.turn() && p.routineClause(r) {
	}
	return r
}

// withProcedure reads Snowflake's WITH name AS PROCEDURE (..) .. CALL name (..): a
// procedure that lives for one call.
func (p *parser) withProcedure() ir.Node {
	r := &ir.CreateRoutine{Object: ir.ObjectProcedure}
	p.next()
	r.Name = p.objectName("a name")
	p.next()
	p.next()
	p.parameters(r)
	for p.turn() && p.routineClause(r) {
	}
	if p.isWord(kwCall) { // what it moves has been read with its body
		p.skipStatement()
	}
	return r
}

// parameters reads a parameter list, with or without brackets.
func (p *parser) parameters(r *ir.CreateRoutine) {
	brackets := p.is(tLParen)
	if !brackets && !p.is(tVariable) {
		return
	}
	if brackets {
		p.next()
	}
	for !p.is(tRParen) && !p.is(tEOF) {
		if v, ok := p.parameter(brackets); ok {
			r.Params = append(r.Params, v)
		}
		if !p.accept(tComma) {
			break
		}
	}
	if brackets {
		p.need(tRParen)
	}
}

// parameter reads [IN|OUT] name [IN|OUT] type [DEFAULT e].
func (p *parser) parameter(brackets bool) (ir.VarDecl, bool) {
	v := ir.VarDecl{}
	start := p.t.pos
	for p.isAny(kwIn, kwOut, kwInout, kwVariadic) && anyPart(p.peek(1)) {
		p.next()
	}
	if !anyPart(p.t) {
		p.expected("a parameter")
		return v, false
	}
	v.Name = p.aliasIdent().Name
	for p.anyWord(kwIn, kwOut, kwInout, kwNocopy, kwAs) {
	}
	if !p.is(tComma) && !p.is(tRParen) && !p.is(tEq) && !p.is(tAssign) && !p.isWord(kwDefault) && anyPart(p.t) {
		p.rowType(&v)
		if p.isWord(kwAny) && p.peek(1).kw == kwType {
			p.next()
			p.next()
		} else {
			v.Type = p.dataType()
		}
	}
	for p.anyWord(kwVarying, kwNot, kwNull) {
	}
	if p.accept(tEq) || p.accept(tAssign) || p.word(kwDefault) {
		v.Default = p.expr()
	}
	for p.anyWord(kwOutput, kwOut, kwReadonly) {
	}
	if brackets {
		p.skipElement()
	}
	v.Span = p.span(start)
	return v, true
}

// routineTSQL reads the rest of a T-SQL routine: its body goes to the batch's end.
func (p *parser) routineTSQL(r *ir.CreateRoutine) {
	if p.word(kwReturns) {
		p.returns(r)
	}
	for !p.isWord(kwAs) && !p.ended() && !p.isWord(kwBegin) && !p.isWord(kwReturn) {
		if p.isAny(kwExecute, kwExec) { // WITH EXECUTE AS OWNER
			p.next()
			p.word(kwAs)
		}
		p.skipToken()
	}
	p.word(kwAs)
	if p.isWord(kwExternal) {
		r.Opaque, r.Language = true, "clr"
		p.skipStatement()
		return
	}
	p.batchBody(r)
}

// batchBody reads statements up to the end of the batch.
func (p *parser) batchBody(r *ir.CreateRoutine) {
	if !p.enterProgram() {
		return
	}
	defer p.leaveProgram()
	for {
		r.Body = append(r.Body, p.body(func() bool { return p.isWord(kwEnd) })...)
		if !p.isWord(kwEnd) {
			break
		}
		p.next() // a stray END behind an error
		p.anyWord(kwTry, kwCatch)
	}
	p.queryBody(r)
}

// queryBody notes the query of a table function whose body is one RETURN.
func (p *parser) queryBody(r *ir.CreateRoutine) {
	if r.Object != ir.ObjectFunction || len(r.Body) != 1 {
		return
	}
	if ret, ok := r.Body[0].Node.(*ir.Return); ok {
		r.Query, r.Expr = ret.Query, ret.Expr
		r.Body = nil
	}
}

// returns reads the type that a function returns.
func (p *parser) returns(r *ir.CreateRoutine) {
	if p.is(tVariable) { // T-SQL: RETURNS @t TABLE (..)
		v := ir.VarDecl{Name: p.raw(p.t), IsTable: true}
		p.next()
		p.word(kwTable)
		if p.is(tLParen) {
			v.Columns = p.viewColumnDefs()
		}
		r.Returns = v.Columns
		r.Params = append(r.Params, v)
		return
	}
	if p.word(kwTable) {
		if p.is(tLParen) {
			r.Returns = p.viewColumnDefs()
		} else if p.is(tLt) {
			p.angleBrackets()
		}
		return
	}
	p.dataType()
	if p.isWord(kwNot) && p.peek(1).kw == kwNull {
		p.next()
		p.next()
	}
}

// routineClause reads one clause of a routine's definition; the body is one of them.
func (p *parser) routineClause(r *ir.CreateRoutine) bool {
	if p.ended() {
		return false
	}
	switch p.t.kw {
	case kwReturns:
		p.next()
		p.returns(r)
	case kwLanguage:
		p.next()
		if anyPart(p.t) {
			r.Language = lower(p.aliasIdent().Name)
			if sqlLanguages[r.Language] {
				r.Language = ""
			} else {
				r.Opaque = true
			}
		}
	case kwAs, kwIs:
		p.next()
		return p.routineBody(r)
	case kwExecute: // Snowflake: EXECUTE AS CALLER
		p.next()
		p.word(kwAs)
		p.next()
	case kwReturn:
		return p.returnClause(r)
	case kwBegin, kwDeclare, kwInsert, kwUpdate, kwDelete, kwSelect, kwMerge, kwIf, kwTruncate, kwCall, kwReplace:
		p.routineStatements(r)
		return false
	case kwSet:
		if p.f.valuesFunction { // MySQL: a body of one SET
			p.routineStatements(r)
			return false
		}
		p.next() // PostgreSQL: SET search_path = x
		for !p.ended() && !p.isAny(kwAs, kwLanguage, kwImmutable, kwStable, kwVolatile, kwSecurity) {
			p.skipToken()
		}
	default:
		p.skipToken()
	}
	return true
}

// returnClause reads RETURN type of Oracle, or the body RETURN e.
func (p *parser) returnClause(r *ir.CreateRoutine) bool {
	if p.f.plsql && !p.f.copyData {
		p.next()
		p.dataType()
		return true
	}
	p.next()
	switch {
	case p.startsQuery(), p.is(tLParen) && p.queryBehindParens():
		r.Query = p.query()
	default:
		r.Expr = p.expr()
	}
	return true
}

// routineStatements reads a body that is written out.
func (p *parser) routineStatements(r *ir.CreateRoutine) {
	if !p.enterProgram() {
		return
	}
	defer p.leaveProgram()
	start := p.t.pos
	if p.isWord(kwBegin) {
		n := p.block()
		r.Body = append(r.Body, &ir.Statement{Span: p.span(start), Node: n})
		return
	}
	r.Body = append(r.Body, p.bodyStatement())
}

// routineBody reads what follows AS or IS: text, an expression, a query, or a
// PL/SQL block with its declarations.
func (p *parser) routineBody(r *ir.CreateRoutine) bool {
	switch {
	case p.is(tString) || p.is(tBody):
		text := p.t
		p.next()
		if p.accept(tComma) && p.is(tString) { // C functions: 'object', 'symbol'
			p.next()
		}
		for p.turn() && p.routineClause(r) {
		}
		p.textBody(r, text)
		return false
	case p.isWord(kwLanguage), p.isWord(kwExternal):
		r.Opaque = true
		p.skipStatement()
		return false
	case p.isWord(kwTable) && r.Object == ir.ObjectFunction:
		p.next()
		r.Query = p.query()
		return false
	case p.f.plsql && !p.f.copyData:
		p.plsqlBody(r)
		return false
	case p.isAny(kwBegin, kwDeclare):
		p.routineStatements(r)
		return false
	case p.is(tLParen) && p.queryBehindParens() && r.Object == ir.ObjectFunction:
		r.Query = p.query()
		return false
	case p.startsQuery():
		r.Query = p.query()
		return false
	case r.Object == ir.ObjectProcedure:
		p.routineStatements(r)
		return false
	}
	r.Expr = p.expr()
	return true
}

// textBody reads a body that stands in a string, if its language is SQL.
func (p *parser) textBody(r *ir.CreateRoutine, text token) {
	if r.Language != "" || r.Opaque {
		r.Opaque = true
		return
	}
	if !p.f.textBodies {
		return // the name of a class
	}
	r.Body = p.sub(text, p.programText)
	if r.Object != ir.ObjectFunction || len(r.Body) != 1 {
		return
	}
	switch n := r.Body[0].Node.(type) {
	case *ir.QueryStmt:
		r.Query, r.Body = n.Query, nil
	case *ir.Return:
		r.Query, r.Expr, r.Body = n.Query, n.Expr, nil
	case *ir.Bad:
		p.expressionBody(r, text)
	}
}

// expressionBody reads again, as an expression, the text of a Snowflake function
// that is no statement.
func (p *parser) expressionBody(r *ir.CreateRoutine, text token) {
	if !p.f.stages {
		return
	}
	errs := len(p.errs)
	p.sub(text, func() []*ir.Statement {
		r.Expr = p.expr()
		if p.bad == nil && p.is(tEOF) {
			r.Body = nil
			p.errs = p.errs[:errs-1]
		} else {
			r.Expr = nil
		}
		p.bad = nil
		return nil
	})
}

// plsqlBody reads declarations BEGIN .. END of Oracle.
func (p *parser) plsqlBody(r *ir.CreateRoutine) {
	if !p.enterProgram() {
		return
	}
	defer p.leaveProgram()
	r.Body = p.declarations()
	start := p.t.pos
	if !p.isWord(kwBegin) {
		p.expected("BEGIN")
		return
	}
	p.next()
	b := &ir.Block{Scope: true}
	p.blockBody(b)
	p.blockEnd()
	r.Body = append(r.Body, &ir.Statement{Span: p.span(start), Node: b})
}

// localRoutine reads a procedure or function inside a package or block; a mere
// declaration has no body.
func (p *parser) localRoutine() ir.Node {
	object := ir.ObjectProcedure
	if p.isWord(kwFunction) {
		object = ir.ObjectFunction
	}
	r := &ir.CreateRoutine{Object: object}
	p.next()
	r.Name = p.objectName("a name")
	p.parameters(r)
	for p.turn() && !p.isAny(kwIs, kwAs) && !p.ended() {
		if p.word(kwReturn) {
			p.dataType()
			continue
		}
		p.skipToken()
	}
	if p.anyWord(kwIs, kwAs) {
		if p.isAny(kwLanguage, kwExternal) {
			r.Opaque = true
			p.skipStatement()
			return r
		}
		p.plsqlBody(r)
	}
	return r
}

// createPackage reads CREATE PACKAGE [BODY].
func (p *parser) createPackage() ir.Node {
	r := &ir.CreateRoutine{Object: "package"}
	p.next()
	body := p.word(kwBody)
	r.Name = p.objectName("the name of the package")
	for !p.isAny(kwIs, kwAs) && !p.ended() {
		p.skipToken()
	}
	p.next()
	if !p.enterProgram() {
		return r
	}
	defer p.leaveProgram()
	r.Body = p.declarations()
	if body && p.isWord(kwBegin) {
		start := p.t.pos
		p.next()
		b := &ir.Block{Scope: true}
		p.blockBody(b)
		r.Body = append(r.Body, &ir.Statement{Span: p.span(start), Node: b})
	}
	p.blockEnd()
	return r
}

// createTrigger reads CREATE TRIGGER; the cursor stands on that word.
func (p *parser) createTrigger() ir.Node {
	r := &ir.CreateRoutine{Object: ir.ObjectTrigger}
	p.next()
	p.ifNotExists()
	r.Name = p.objectName("the name of the trigger")
	for !p.isWord(kwOn) && !p.ended() {
		p.skipToken()
	}
	p.needWord(kwOn)
	p.words(kwNested, kwTable)
	if p.isAny(kwDatabase, kwSchema, kwAll) {
		p.next()
	} else {
		r.On = p.name("a table")
	}
	if p.f.noSemicolons {
		for !p.isWord(kwAs) && !p.ended() {
			if p.isAny(kwExecute, kwExec) && p.peek(1).kw == kwAs {
				p.next()
				p.next()
			}
			p.skipToken()
		}
		p.needWord(kwAs)
		p.batchBody(r)
		return r
	}
	for p.turn() && p.triggerClause(r) {
	}
	return r
}

// triggerClause reads one clause of a trigger; its body is the last.
func (p *parser) triggerClause(r *ir.CreateRoutine) bool {
	if p.ended() {
		return false
	}
	switch p.t.kw {
	case kwReferencing:
		p.next()
		for p.turn() && p.isAny(kwNew, kwOld, kwParent) {
			p.rowName(r)
		}
	case kwWhen:
		p.next()
		r.When = p.expr()
	case kwBegin, kwDeclare, kwCall, kwInsert, kwUpdate, kwDelete, kwSet, kwSelect, kwIf, kwMerge:
		p.triggerBody(r)
		return false
	case kwExecute:
		p.triggerFunction(r)
		return false
	case kwCompound:
		p.compoundTrigger(r)
		return false
	default:
		p.skipToken()
	}
	return true
}

// compoundTrigger reads Oracle's COMPOUND TRIGGER with its timing sections.
func (p *parser) compoundTrigger(r *ir.CreateRoutine) {
	if !p.enterProgram() {
		return
	}
	defer p.leaveProgram()
	p.next()
	p.needWord(kwTrigger)
	section := func() bool { return p.isAny(kwBefore, kwAfter, kwInstead, kwEnd) }
	r.Body = p.bodyOf(section, p.declaration)
	for p.turn() && p.isAny(kwBefore, kwAfter, kwInstead) {
		start := p.t.pos
		for !p.isWord(kwBegin) && !p.ended() {
			p.next()
		}
		p.needWord(kwBegin)
		b := &ir.Block{Scope: true}
		p.blockBody(b)
		p.needWord(kwEnd)
		r.Body = append(r.Body, &ir.Statement{Span: p.span(start), Node: b})
		for !p.ended() {
			p.next()
		}
		p.accept(tSemi)
	}
	p.blockEnd()
}

func (p *parser) triggerBody(r *ir.CreateRoutine) {
	if !p.enterProgram() {
		return
	}
	defer p.leaveProgram()
	r.Body = append(r.Body, p.bodyStatement())
}

// triggerFunction reads PostgreSQL's EXECUTE FUNCTION f('x'), the body of a trigger.
func (p *parser) triggerFunction(r *ir.CreateRoutine) {
	p.next()
	start := p.t.pos
	if p.anyWord(kwFunction, kwProcedure) && anyPart(p.t) {
		call := &ir.CallStmt{Name: p.name("a function")}
		r.Body = append(r.Body, &ir.Statement{Span: p.span(start), Node: call})
	}
	p.skipStatement()
}

// rowName reads NEW [ROW|TABLE] [AS] n of REFERENCING.
func (p *parser) rowName(r *ir.CreateRoutine) {
	kw := p.t.kw
	p.next()
	p.anyWord(kwRow, kwTable)
	p.word(kwAs)
	if !anyPart(p.t) {
		return
	}
	id := p.aliasIdent()
	if kw == kwNew {
		r.NewNames = append(r.NewNames, id)
	} else {
		r.OldNames = append(r.OldNames, id)
	}
}

// createTask reads Snowflake's TASK and PIPE (AS statement) and MySQL's EVENT (DO
// statement).
func (p *parser) createTask(object ir.Object) ir.Node {
	r := &ir.CreateRoutine{Object: object}
	p.next()
	p.ifNotExists()
	r.Name = p.objectName("a name")
	p.taskBody(r)
	return r
}

// submitTask reads StarRocks's SUBMIT TASK [name] AS statement.
func (p *parser) submitTask() ir.Node {
	r := &ir.CreateRoutine{Object: ir.ObjectTask}
	p.next()
	p.next()
	if !p.isWord(kwAs) {
		r.Name = p.objectName("a name")
	}
	p.taskBody(r)
	return r
}

// taskBody reads the clauses of a task and the statement that it runs.
func (p *parser) taskBody(r *ir.CreateRoutine) {
	stop := kwAs
	if r.Object == ir.ObjectEvent {
		stop = kwDo
	}
	for p.turn() && !p.ended() && (!p.isWord(stop) || stop != kwDo && p.peek(1).kw == 0 && p.peek(1).kind != tBody && p.peek(1).kind != tIdent) {
		if p.isWord(kwExecute) && p.peek(1).kw == kwAs { // EXECUTE AS USER u
			p.next()
			p.next()
		}
		if r.Object == ir.ObjectTask && p.isWord(kwWhen) {
			p.next()
			r.When = p.expr()
			continue
		}
		p.skipToken()
	}
	if p.ended() && p.f.bracketHints { // Doris: a job that streams from another system
		return
	}
	p.needWord(stop)
	if p.ended() || !p.enterProgram() {
		return
	}
	defer p.leaveProgram()
	if p.is(tBody) {
		text := p.t
		p.next()
		r.Body = p.sub(text, p.programText)
		return
	}
	r.Body = []*ir.Statement{p.bodyStatement()}
}

// createAlert reads Snowflake's ALERT .. IF (EXISTS (query)) THEN statement.
func (p *parser) createAlert() ir.Node {
	r := &ir.CreateRoutine{Object: ir.ObjectTask}
	p.next()
	p.ifNotExists()
	r.Name = p.objectName("a name")
	for !p.isWord(kwIf) && !p.ended() {
		p.skipToken()
	}
	p.needWord(kwIf)
	r.When = p.expr()
	p.needWord(kwThen)
	if !p.enterProgram() {
		return r
	}
	defer p.leaveProgram()
	r.Body = []*ir.Statement{p.bodyStatement()}
	return r
}
