package grammar

import "github.com/tributary-data/tributary/parser/ir"

// insert reads INSERT, REPLACE and UPSERT in all forms.
func (p *parser) insert(with *ir.With) ir.Node {
	ins := &ir.Insert{With: with}
	if p.isWord(kwInsert) {
		n := 1
		if p.peek(n).kw == kwOverwrite {
			n++
		}
		if k := p.peek(n).kw; (k == kwAll || k == kwFirst) && (p.peek(n+1).kw == kwInto || p.peek(n+1).kw == kwWhen) {
			return p.insertAll(ins, n)
		}
		if p.peek(n).kw == kwWhen { // ALL may be left out
			return p.insertAll(ins, n)
		}
	}
	into := p.insertHead()
	p.insertSource(into)
	for p.turn() && p.insertClause(into) {
	}
	into.End = int32(p.prev().end)
	ins.Into = []*ir.InsertInto{into}
	return ins
}

// insertAll reads INSERT ALL | FIRST with its branches.
func (p *parser) insertAll(ins *ir.Insert, words int) ir.Node {
	overwrite := words > 1
	for range words {
		p.next()
	}
	ins.First = p.isWord(kwFirst)
	p.anyWord(kwAll, kwFirst)
	var when *ir.Expr
	for p.turn() {
		switch {
		case p.word(kwWhen):
			when = p.expr()
			p.needWord(kwThen)
			continue
		case p.word(kwElse):
			when = nil
			continue
		case p.isWord(kwInto):
			into := &ir.InsertInto{Overwrite: overwrite, When: when}
			start := p.t.pos
			p.next()
			p.insertTarget(into)
			p.insertLists(into)
			if p.word(kwValues) {
				_, into.Values = p.parenList(nil)
			}
			if p.isWord(kwLog) {
				p.logErrors()
			}
			into.Span = p.span(start)
			ins.Into = append(ins.Into, into)
			continue
		}
		break
	}
	ins.Source = p.query()
	return ins
}

// insertHead reads an insert up to where its rows come from.
func (p *parser) insertHead() *ir.InsertInto {
	into := &ir.InsertInto{}
	start := p.t.pos
	p.next()
	for p.anyWord(kwLowPriority, kwDelayed, kwHighPriority, kwIgnore, kwInto, kwOverwrite, kwOr, kwReplace, kwAbort, kwFail, kwRollback) {
		if p.prev().kw == kwOverwrite {
			into.Overwrite = true
		}
		if p.prev().kw == kwOr && p.isWord(kwIgnore) {
			p.next()
		}
		if p.prev().kw == kwInto {
			break
		}
	}
	p.topClause()
	p.word(kwInto)
	if p.isWord(kwDirectory) || p.isWords(kwLocal, kwDirectory) {
		p.directory(into)
		into.Span = p.span(start)
		return into
	}
	p.insertTarget(into)
	p.insertLists(into)
	into.Span = p.span(start)
	return into
}

// directory reads INSERT OVERWRITE DIRECTORY 'path' with its format.
func (p *parser) directory(into *ir.InsertInto) {
	p.word(kwLocal)
	p.next()
	into.Target.Span = ir.Span{Start: int32(p.t.pos), End: int32(p.t.end)}
	if p.is(tString) {
		into.Target.Path = p.stringValue(p.t)
		p.next()
	} else if p.is(tTemplate) || p.is(tBind) {
		into.Target.Path = p.raw(p.t)
		p.next()
	}
	for p.turn() && !p.ended() && !p.startsQuery() && !p.is(tLParen) {
		if p.isWord(kwOptions) && p.peek(1).kind == tLParen {
			p.next()
			for _, o := range p.options() {
				if o.Name == "path" && o.Value != nil && into.Target.Path == "" {
					into.Target.Path = o.Value.Text
				}
			}
			continue
		}
		if p.isWords(kwWith, kwSerdeproperties) || p.isAny(kwSerdeproperties, kwTblproperties) {
			p.next()
			p.word(kwSerdeproperties)
			p.skipParens()
			continue
		}
		p.next()
	}
}

// insertTarget reads the table, function or query that is inserted into.
func (p *parser) insertTarget(into *ir.InsertInto) {
	start := p.t.pos
	t := &into.Target
	if p.isWord(kwTable) && (anyPart(p.peek(1)) && p.peek(1).kind != tNumber || p.peek(1).kind == tLParen) && p.peek(1).kind != tDot {
		p.next()
	}
	p.words(kwIf, kwExists)
	switch {
	case p.isWord(kwFunction) && p.peek(1).kind == tIdent:
		p.next()
		t.Func = p.targetFunction()
		if p.words(kwPartition, kwBy) {
			p.expr()
		}
	case p.is(tLParen) && p.queryBehindParens():
		t.Query = p.parenQuery()
	case p.isWord(kwIdentifier) && p.peek(1).kind == tLParen:
		f := p.mem.froms.One()
		p.identifierElement(f)
		t.Name, t.Func = f.Name, f.Func
	case p.is(tIdent) && p.peek(1).kind == tLParen && targetFunctions[lower(p.raw(p.t))]:
		t.Func = p.targetFunction()
	case p.is(tStage):
		t.Path = p.raw(p.t)
		p.next()
	case p.is(tString) && !p.nameStart():
		t.Path = p.stringValue(p.t)
		p.next()
	case p.is(tColon):
		e := p.bind()
		t.Name = ir.Name{Parts: []ir.Ident{{Name: p.cut(int(e.Start), int(e.End)), Start: e.Start}}, Span: e.Span}
	default:
		t.Name = p.name("the table to insert into")
	}
	t.Span = p.span(start)
}

// targetFunction reads a function with one argument list; what may follow in
// brackets are columns.
func (p *parser) targetFunction() *ir.Expr {
	start := p.t
	name := p.anyName()
	c := ir.Call{}
	args := p.arguments(start.kw, &c)
	e := p.node(ir.ExprCall, start.pos)
	e.Name, e.Args = name.Parts, args
	return e
}

// insertLists reads the partition, column list and modifiers behind the target.
func (p *parser) insertLists(into *ir.InsertInto) {
	for p.turn() && p.insertList(into) {
	}
}

func (p *parser) insertList(into *ir.InsertInto) bool {
	second := p.peek(1)
	switch p.t.kind {
	case tLParen:
		if into.Columns != nil || p.queryBehindParens() {
			return false
		}
		into.Columns = p.insertColumns()
		return true
	case tLBracket:
		if p.f.bracketHints {
			p.skipBrackets()
			return true
		}
		return false
	case tQuoted:
		if into.Target.Alias.Set() {
			return false
		}
		into.Target.Alias = p.aliasIdent()
		return true
	case tIdent:
	default:
		return false
	}
	switch p.t.kw {
	case kwPartition, kwSubpartition:
		p.next()
		p.word(kwFor)
		into.Partition = p.partitionValues()
	case kwTemporary:
		p.next()
	case kwIf:
		p.next()
		p.word(kwNot)
		p.needWord(kwExists)
	case kwBy:
		switch second.kw {
		case kwName:
			into.ByName = true
		case kwPosition:
		default:
			return false
		}
		p.next()
		p.next()
	case kwOverriding:
		p.next()
		p.next()
		p.word(kwValue)
	case kwOutput:
		if !p.f.noSemicolons {
			return false
		}
		into.Output = p.output()
	default:
		return p.rareInsertList(into, second)
	}
	return true
}

func (p *parser) rareInsertList(into *ir.InsertInto, second token) bool {
	switch p.t.kw {
	case kwWith:
		switch {
		case second.kind == tLParen && !p.f.withExpressions:
			p.next()
			p.skipBrackets()
		case second.kw == kwLabel:
			p.next()
			p.next()
			p.aliasIdent()
		case second.kw == kwSchema: // WITH SCHEMA EVOLUTION
			p.next()
			p.next()
			p.next()
		default:
			return false
		}
	case kwLabel:
		p.next()
		p.aliasIdent()
	case kwProperties:
		p.next()
		p.skipParens()
	case kwSettings:
		p.next()
		p.settings()
	case kwReplace:
		if second.kw != kwWhere && second.kw != kwUsing && second.kw != kwOn {
			return false
		}
		p.next()
		p.next()
		if !p.is(tLParen) || second.kw != kwUsing {
			into.Where = p.expr()
		} else {
			p.skipBrackets()
		}
	case kwAs:
		if p.queryAt(1) || second.kind == tLParen {
			p.next()
			return false
		}
		p.next()
		into.Target.Alias = p.aliasIdent()
	case kwSet, kwValues, kwValue, kwSelect, kwFrom, kwDefault, kwExec, kwExecute, kwTable, kwFormat, kwCall, kwInfile:
		return false
	default:
		if into.Target.Alias.Set() || into.Columns != nil || !p.tableAlias() {
			return false
		}
		into.Target.Alias = p.aliasIdent()
	}
	return true
}

// insertColumns reads the column list of an insert.
func (p *parser) insertColumns() []ir.InsertColumn {
	p.need(tLParen)
	var room [16]ir.InsertColumn
	list := room[:0]
	for !p.is(tRParen) && !p.is(tEOF) {
		c := ir.InsertColumn{}
		switch {
		case p.accept(tStar):
			c.Star = true
			if p.anyWord(kwExcept, kwExclude) {
				if p.is(tLParen) {
					c.Except = p.exceptList()
				} else {
					c.Except = []ir.Ident{p.aliasIdent()}
				}
			}
		case p.is(tVariable):
			c.Var = p.raw(p.t)
			p.next()
		case anyPart(p.t):
			c.Name = p.anyName()
			for p.turn() && p.is(tLBracket) {
				p.skipBrackets()
			}
			p.fieldOfFile()
		default:
			p.expected("a column name")
		}
		list = append(list, c)
		p.mem.growing = cap(list)
		if !p.accept(tComma) {
			break
		}
	}
	p.mem.growing = 0
	p.need(tRParen)
	if len(list) == 0 {
		return []ir.InsertColumn{}
	}
	return p.mem.columns.Copy(list)
}

// fieldOfFile skips what T-SQL's COPY INTO t (a DEFAULT 0 1, b 2) says of a column: its
// default and the number of its field.
func (p *parser) fieldOfFile() {
	if !p.f.noSemicolons {
		return
	}
	if p.word(kwDefault) {
		p.next()
	}
	if p.is(tNumber) {
		p.next()
	}
}

// partitionValues reads (a = 1, b) behind PARTITION; a bare name counts too.
func (p *parser) partitionValues() []ir.PartitionValue {
	if !p.is(tLParen) {
		p.aliasIdent()
		return nil
	}
	p.next()
	var list []ir.PartitionValue
	for p.turn() && !p.is(tRParen) && !p.is(tEOF) {
		if p.accept(tStar) {
			continue
		}
		if !anyPart(p.t) {
			p.skipElement()
		} else {
			v := ir.PartitionValue{Name: p.aliasIdent()}
			for p.is(tDot) {
				p.next()
				v.Name = p.aliasIdent()
			}
			if p.accept(tEq) {
				v.Value = p.expr()
			}
			p.skipElement()
			list = append(list, v)
		}
		if !p.accept(tComma) {
			break
		}
	}
	p.need(tRParen)
	return list
}

// insertSource reads where the rows of an insert come from.
func (p *parser) insertSource(into *ir.InsertInto) {
	start := p.t.pos
	p.accept(tComma)
	switch p.t.kw {
	case kwValues, kwValue:
		p.insertValues(into)
		return
	case kwDefault:
		p.next()
		p.needWord(kwValues)
		return
	case kwSet:
		p.next()
		into.Set = p.assignments()
		return
	case kwExec, kwExecute, kwCall:
		into.Exec = p.statement()
		return
	case kwFormat:
		if p.f.formatData {
			p.next()
			if p.word(kwValues) {
				p.formatValues(into)
			} else {
				p.aliasIdent()
			}
			return
		}
	case kwFrom:
		if p.peek(1).kw == kwInfile {
			p.infile(into, start)
			return
		}
	}
	if p.ended() && p.f.formatData {
		return
	}
	if !p.is(tLParen) && !p.startsQuery() {
		p.expected("VALUES or a query")
		return
	}
	into.Query = p.query()
}

// insertValues reads VALUES rows, or a record variable, of an insert. A query may
// be built on them.
func (p *parser) insertValues(into *ir.InsertInto) {
	start := p.t.pos
	p.next()
	q := p.mem.query.One()
	q.Values = p.values()
	q.Span = p.span(start)
	into.Query = p.queryAfter(q, true, start)
}

func (p *parser) formatValues(into *ir.InsertInto) {
	start := p.t.pos
	q := p.mem.query.One()
	q.Values = &ir.Values{}
	if p.is(tLParen) {
		q.Values = p.values()
	}
	q.Span = p.span(start)
	into.Query = q
}

// infile reads ClickHouse's FROM INFILE 'path', whose columns go over by position.
func (p *parser) infile(into *ir.InsertInto, start uint32) {
	p.next()
	p.next()
	f := p.mem.froms.One()
	if !p.is(tString) {
		p.expected("a file name")
		return
	}
	p.pathElement(f, p.stringValue(p.t))
	f.Span = p.span(start)
	s := p.mem.selcts.One()
	s.Items, s.From = p.starItem(start), []*ir.From{f}
	q := p.mem.query.One()
	q.Select, q.Span = s, p.span(start)
	into.Query = q
	for !p.ended() {
		p.skipToken()
	}
}

// insertClause reads one clause behind the rows of an insert.
func (p *parser) insertClause(into *ir.InsertInto) bool {
	switch p.t.kw {
	case kwOn:
		p.conflict(into)
	case kwAs:
		p.next()
		into.RowAlias = p.aliasIdent()
		if p.is(tLParen) {
			into.RowColumns = p.identList()
		}
	case kwReturning, kwReturn:
		if p.t.kw == kwReturn && p.f.noSemicolons {
			return false
		}
		into.Returning, into.ReturningVars = p.returning()
	default:
		return p.dmlTail()
	}
	return !p.failed()
}

// conflict reads ON CONFLICT .. DO UPDATE SET .. and ON DUPLICATE KEY UPDATE ...
func (p *parser) conflict(into *ir.InsertInto) {
	p.next()
	if p.words(kwDuplicate, kwKey, kwUpdate) {
		into.OnConflict = p.assignments()
		return
	}
	p.needWord(kwConflict)
	if p.is(tLParen) {
		p.skipBrackets()
	}
	if p.words(kwOn, kwConstraint) {
		p.aliasIdent()
	}
	if p.word(kwWhere) {
		p.expr()
	}
	p.needWord(kwDo)
	if p.word(kwNothing) {
		return
	}
	p.needWord(kwUpdate)
	p.needWord(kwSet)
	into.OnConflict = p.assignments()
	if p.word(kwWhere) {
		into.Where = p.expr()
	}
}
