package grammar

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// statement reads one statement, up to where it ends.
func (p *parser) statement() *ir.Statement {
	start := p.t.pos
	if p.lim.Stop != nil && p.lim.Stop() {
		p.limit(limitTime)
		return nil
	}
	node := p.node1()
	return &ir.Statement{Span: p.span(start), Node: node}
}

// node1 reads a statement by its first word.
func (p *parser) node1() ir.Node {
	switch p.t.kind {
	case tIdent:
		if p.t.kw != 0 {
			if n := p.keywordStatement(); n != nil {
				return n
			}
		}
		return p.nameStatement()
	case tLParen:
		return &ir.QueryStmt{Query: p.query()}
	case tQuoted, tVariable, tColon:
		return p.nameStatement()
	case tShl: // <<label>>
		p.next()
		p.aliasIdent()
		p.need(tShr)
		if p.ended() {
			return &ir.Other{Verb: "LABEL"}
		}
		return p.node1()
	case tTemplate, tBind:
		return p.nameStatement()
	}
	p.expected("a statement")
	return nil
}

// keywordStatement reads the statements that a keyword starts, or gives nil if the
// word is a name here.
func (p *parser) keywordStatement() ir.Node {
	switch p.t.kw {
	case kwSelect, kwValues:
		return &ir.QueryStmt{Query: p.query()}
	case kwWith:
		return p.withStatement()
	case kwFrom:
		return p.fromStatement(nil, p.t.pos)
	case kwTable, kwPivot, kwUnpivot:
		if p.startsQuery() {
			return &ir.QueryStmt{Query: p.query()}
		}
	case kwInsert, kwUpdate, kwDelete, kwMerge, kwUpsert:
		return p.dmlNode(nil)
	case kwReplace:
		if p.peek(1).kw == kwTable || p.peek(1).kw == kwView {
			return p.create()
		}
		return p.dmlNode(nil)
	case kwCreate:
		return p.create()
	case kwAlter:
		return p.alter()
	case kwDrop, kwUndrop:
		return p.drop()
	case kwTruncate:
		return p.truncate()
	case kwRename, kwExchange:
		return p.rename()
	}
	if n := p.movingStatement(); n != nil || p.failed() {
		return n
	}
	return p.programStatement()
}

// movingStatement reads the statements that move data or change the session.
func (p *parser) movingStatement() ir.Node {
	second := p.peek(1)
	switch p.t.kw {
	case kwCopy:
		return p.copyStatement()
	case kwBulk:
		if second.kw == kwInsert {
			return p.bulkInsert()
		}
	case kwLoad:
		return p.loadStatement()
	case kwUnload:
		return p.unloadStatement()
	case kwExport, kwImport:
		return p.exportStatement()
	case kwUse:
		return p.use()
	case kwSet:
		return p.set()
	case kwCache:
		return p.cache()
	case kwExplain:
		return p.explain()
	case kwDesc, kwDescribe:
		return p.other()
	case kwPrepare:
		return p.prepare()
	case kwExecute, kwExec:
		return p.execute()
	case kwCall:
		return p.callStatement()
	case kwBatch:
		if second.kw == kwOn || second.kw == kwLimit {
			return p.batch()
		}
	case kwAdd:
		if second.kw == kwJar || second.kw == kwFile || second.kw == kwArchive {
			return p.other()
		}
	case kwConvert:
		if second.kw == kwTo {
			return p.other()
		}
	case kwLock:
		return p.other()
	case kwAttach, kwDetach:
		return p.other()
	}
	return nil
}

// programStatement reads the statements of stored programs and blocks, and those
// without lineage.
func (p *parser) programStatement() ir.Node {
	switch p.t.kw {
	case kwBegin:
		return p.begin()
	case kwDeclare:
		return p.declare()
	case kwIf:
		return p.ifStatement()
	case kwWhile:
		return p.while()
	case kwLoop, kwRepeat:
		return p.loop()
	case kwFor, kwForeach, kwForall:
		return p.forStatement()
	case kwCase:
		return p.caseStatement()
	case kwReturn:
		return p.returnStatement()
	case kwPipe:
		if p.peek(1).kw == kwRow {
			return p.pipeRow()
		}
	case kwOpen:
		return p.openCursor()
	case kwFetch:
		return p.fetch()
	case kwPerform:
		return p.perform()
	case kwLet:
		return p.let()
	case kwDo:
		return p.doStatement()
	case kwUsing: // Athena: functions of the statement
		return p.usingFunctions()
	case kwApply:
		if p.peek(1).kw == kwChanges {
			return p.applyChanges()
		}
	case kwSubmit:
		if p.peek(1).kw == kwTask {
			return p.submitTask()
		}
	case kwAsync:
		if p.peek(1).kind == tLParen {
			return p.async()
		}
	case kwGet:
		if p.peek(1).kw == kwDiagnostics || p.peek(1).kw == kwCurrent || p.peek(1).kw == kwStacked || p.f.stages {
			return p.other()
		}
	case kwProcedure, kwFunction:
		if p.program > 0 {
			return p.localRoutine()
		}
	case kwStart, kwCommit, kwRollback:
		return p.other()
	case kwPrint, kwRaise, kwRaiserror, kwThrow, kwExit, kwContinue, kwBreak, kwLeave, kwIterate, kwSignal, kwAssert, kwWaitfor, kwNull, kwGoto:
		return p.other()
	}
	if otherVerbs.has(p.t.kw) && !p.assignmentFollows() {
		return p.other()
	}
	return nil
}

// assignmentFollows tells a variable of a keyword's spelling from a statement.
func (p *parser) assignmentFollows() bool {
	switch p.peek(1).kind {
	case tAssign, tEq, tDot:
		return true
	}
	return false
}

// other skips a statement without lineage. The queries in it are read for their
// value only; they are not looked for.
func (p *parser) other() ir.Node {
	o := &ir.Other{Verb: strings.ToUpper(p.raw(p.t))}
	p.next()
	p.skipStatement()
	return o
}

// skipStatement goes to the end of the statement. Where statements need no
// semicolon, a line that starts with a statement's word ends it too.
func (p *parser) skipStatement() {
	for !p.ended() && !p.stopsSkipping() {
		p.skipToken()
	}
}

func (p *parser) stopsSkipping() bool {
	if !p.f.noSemicolons || !p.is(tIdent) {
		return false
	}
	if p.isAny(kwEnd, kwElse) {
		return true
	}
	if p.t.flags&flagNewline == 0 || !startWords.has(p.t.kw) || p.prev().kind == tComma || p.isAny(kwFrom, kwValues) {
		return false
	}
	return !p.isWord(kwWith) || p.cteFollows()
}

// nameStatement reads what starts with a name: an assignment, or a call without
// CALL.
func (p *parser) nameStatement() ir.Node {
	start := p.t
	at := p.i
	if p.t.kind == tIdent && p.peek(1).kind == tColon && p.peek(2).kind != tEq && (p.program > 0 || p.f.noSemicolons || labelled.has(p.peek(2).kw)) {
		p.next()
		p.next()
		if p.ended() || p.isAny(kwEnd, kwElse) {
			return &ir.Other{Verb: "LABEL"}
		}
		return p.node1()
	}
	if p.program == 0 && !p.f.noSemicolons || !anyPart(p.t) && !p.is(tColon) {
		p.expected("a statement")
		return nil
	}
	p.accept(tColon)
	name := p.anyName()
	switch {
	case p.is(tAssign), p.is(tEq):
		return p.assign(p.between(start))
	case p.is(tLParen), p.is(tLBracket):
		p.jump(at)
		return p.callOrAssign(start)
	}
	if p.f.noSemicolons {
		return p.bareCall(name)
	}
	if !p.endsInBody() {
		p.expected(":=, ( or the end of the statement")
	}
	return &ir.CallStmt{Name: name}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// assign reads := value.
func (p *parser) assign(target string) ir.Node {
	p.next()
	item := ir.SetItem{Names: []string{target}}
	item.Values = p.mem.args.Copy([]*ir.Expr{p.valueOrQuery()})
	return &ir.Set{Items: []ir.SetItem{item}}
}

// valueOrQuery reads the value of a variable; Snowflake and PL/pgSQL take a query
// without brackets too.
func (p *parser) valueOrQuery() *ir.Expr {
	if p.is(tLParen) && p.peek(1).kw == kwExecute { // Snowflake: the result of dynamic SQL
		return p.dynamicValue()
	}
	if p.startsQuery() {
		start := p.t.pos
		return p.subqueryOf(p.query(), start)
	}
	return p.expr()
}

// dynamicValue reads (EXECUTE IMMEDIATE text USING ..), of which the text is kept.
func (p *parser) dynamicValue() *ir.Expr {
	start := p.t.pos
	p.next()
	n := p.execute()
	p.need(tRParen)
	switch x := n.(type) {
	case *ir.Execute:
		if x.SQL != nil {
			return x.SQL
		}
	case *ir.Block: // text that is written out
		if q := onlyQuery(x); q != nil {
			return p.subqueryOf(q, start)
		}
	}
	e := p.node(ir.ExprParam, start)
	e.Text = p.cut(int(e.Start), int(e.End))
	return e
}

// onlyQuery is the query that a body consists of, nil if it is more or other.
func onlyQuery(b *ir.Block) *ir.Query {
	if len(b.Body) != 1 {
		return nil
	}
	q, ok := b.Body[0].Node.(*ir.QueryStmt)
	if !ok {
		return nil
	}
	return q.Query
}

// callOrAssign reads name(args); or name(i) := value; or name[i] := value.
func (p *parser) callOrAssign(start token) ir.Node {
	p.accept(tColon)
	e := p.postfix(p.column())
	if p.is(tAssign) || p.is(tEq) {
		return p.assign(p.between(start))
	}
	if e.Kind != ir.ExprCall {
		p.expected(":=")
		return nil
	}
	return &ir.CallStmt{Name: ir.Name{Parts: e.Name, Span: e.Span}, Args: e.Args}
}

// bareCall reads T-SQL's call without EXEC, the first statement of a batch only.
func (p *parser) bareCall(name ir.Name) ir.Node {
	first := p.firstOfBatch(name)
	if !first || !p.ended() && !p.is(tString) && !p.is(tNumber) && !p.is(tVariable) && !p.is(tQuoted) {
		p.expected("a statement")
		return nil
	}
	c := &ir.CallStmt{Name: name}
	c.Args = p.execArguments()
	return c
}

func (p *parser) firstOfBatch(name ir.Name) bool {
	for i := p.i - 1; i >= 0; i-- {
		if t := p.toks[i]; int32(t.pos) <= name.Start {
			return i == 0 || p.toks[i-1].kind == tBorder || p.toks[i-1].kind == tSemi && i == 1
		}
	}
	return true
}

// usingFunctions reads Athena's USING EXTERNAL FUNCTION .. in front of a query.
func (p *parser) usingFunctions() ir.Node {
	for !p.isAny(kwSelect, kwWith, kwInsert, kwCreate) && !p.ended() {
		p.skipToken()
	}
	return p.node1()
}

// applyChanges reads Databricks' APPLY CHANGES INTO t FROM s KEYS (..), which
// carries all columns over.
func (p *parser) applyChanges() ir.Node {
	into := &ir.InsertInto{}
	start := p.t.pos
	p.next()
	p.next()
	p.needWord(kwInto)
	into.Target.Name = p.name("a table")
	into.Target.Span = into.Target.Name.Span
	p.needWord(kwFrom)
	into.Query = p.starFrom(p.fromElement(ir.JoinComma))
	p.skipStatement()
	into.Span = p.span(start)
	return &ir.Insert{Into: []*ir.InsertInto{into}}
}

// withStatement reads WITH .. in front of a query or a change of rows.
func (p *parser) withStatement() ir.Node {
	start := p.t.pos
	if p.peek(2).kw == kwAs && p.peek(3).kw == kwProcedure {
		return p.withProcedure()
	}
	with := p.with()
	switch p.t.kw {
	case kwInsert, kwUpdate, kwDelete, kwMerge, kwReplace, kwUpsert:
		return p.dmlNode(with)
	case kwFrom:
		return p.fromStatement(with, start)
	}
	return &ir.QueryStmt{Query: p.withQuery(with, start)}
}

// fromStatement reads FROM t with an INSERT or a SELECT behind it.
func (p *parser) fromStatement(with *ir.With, start uint32) ir.Node {
	at := p.t.pos
	s := p.fromHead()
	if p.isWord(kwInsert) {
		return p.multiInsert(with, s)
	}
	q := p.mem.query.One()
	q.Select = p.fromRest(s, q, at)
	for p.turn() && p.tailClause(q) {
	}
	q.Span = p.span(start)
	q = p.queryAfter(q, true, start)
	if with != nil && q.With != nil {
		q = p.nest(q, start)
	}
	if with != nil {
		q.With = with
	}
	return &ir.QueryStmt{Query: q}
}

// insertedSelect reads the SELECT, or MAP or REDUCE, of one of several inserts.
func (p *parser) insertedSelect(q *ir.Query) *ir.Select {
	if !p.isAny(kwMap, kwReduce) {
		return p.selectCore(q)
	}
	s := p.mem.selcts.One()
	start := p.t.pos
	if !p.transform(s) {
		p.expected("SELECT")
	}
	for p.turn() && p.selectClause(s) {
	}
	s.Span = p.span(start)
	return s
}

// multiInsert reads Hive's several inserts behind one FROM.
func (p *parser) multiInsert(with *ir.With, head *ir.Select) ir.Node {
	ins := &ir.Insert{With: with}
	for p.turn() && p.isWord(kwInsert) {
		into := p.insertHead()
		q := p.mem.query.One()
		start := p.t.pos
		s := p.insertedSelect(q)
		if s.From == nil {
			s.From = head.From
			if list := head.Rare().Laterals; list != nil {
				p.mem.clauses(s).Laterals = list
			}
		}
		s.Where = p.both(head.Where, s.Where)
		q.Select = s
		for p.turn() && p.tailClause(q) {
		}
		q.Span = p.span(start)
		into.Query = q
		into.End = int32(p.prev().end)
		ins.Into = append(ins.Into, into)
	}
	return ins
}
