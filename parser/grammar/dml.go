package grammar

import "github.com/tributary-data/tributary/parser/ir"

// dml reads INSERT, UPDATE, DELETE or MERGE as a statement.
func (p *parser) dml(with *ir.With, start uint32) *ir.Statement {
	node := p.dmlNode(with)
	return &ir.Statement{Span: p.span(start), Node: node}
}

func (p *parser) dmlNode(with *ir.With) ir.Node {
	switch p.t.kw {
	case kwUpdate:
		if p.f.noSemicolons && p.peek(1).kw == kwStatistics {
			return p.other()
		}
		return p.update(with)
	case kwDelete:
		return p.deleteFrom(with)
	case kwMerge:
		return p.merge(with)
	}
	return p.insert(with)
}

// assignments reads a = x, (b, c) = (SELECT ..), d += 1.
func (p *parser) assignments() []ir.Assignment {
	var list []ir.Assignment
	for {
		p.turn()
		list = append(list, p.assignment())
		if !p.accept(tComma) || p.failed() {
			return list
		}
		if p.f.trailingCommas && p.isAny(kwWhere, kwFrom) {
			return list
		}
	}
}

func (p *parser) assignment() ir.Assignment {
	a := ir.Assignment{}
	start := p.t
	switch {
	case p.is(tLParen):
		p.next()
		a.Columns = p.nameList("a column")
		p.need(tRParen)
	case p.is(tVariable):
		a.Var = p.raw(p.t)
		p.next()
		p.assignSign()
		if p.peek(p.dottedLength()).kind == tEq {
			a.Columns = []ir.Name{p.anyName()}
			p.assignSign()
		}
		a.Value = p.expr()
		a.Span = p.span(start.pos)
		return a
	case p.isWord(kwRow) && p.peek(1).kind == tEq:
		p.next()
	default:
		a.Columns = []ir.Name{p.assignedColumn()}
	}
	if p.is(tLParen) { // T-SQL: column.WRITE(..)
		_, list := p.parenList(nil)
		if len(list) > 0 {
			a.Value = list[0]
		}
		if n := len(a.Columns[0].Parts); n > 1 {
			a.Columns[0].Parts = a.Columns[0].Parts[:n-1]
		}
		a.Span = p.span(start.pos)
		return a
	}
	p.assignSign()
	a.Value = p.valueOrQuery()
	a.Span = p.span(start.pos)
	return a
}

// dottedLength counts the tokens of the dotted name at the cursor.
func (p *parser) dottedLength() int {
	n := 0
	for p.turn() && (p.peek(n).kind == tIdent || p.peek(n).kind == tQuoted) {
		if p.peek(n+1).kind != tDot {
			return n + 1
		}
		n += 2
	}
	return n
}

// assignedColumn reads the name of a column that is set; an index of an array
// behind it is dropped.
func (p *parser) assignedColumn() ir.Name {
	if !anyPart(p.t) {
		p.expected("a column to set")
		return ir.Name{}
	}
	n := p.anyName()
	for p.turn() && p.is(tLBracket) {
		p.skipBrackets()
	}
	if p.is(tDot) {
		p.next()
		p.anyName()
	}
	return n
}

// assignSign takes =, :=, += and their like.
func (p *parser) assignSign() {
	if compoundSign(p.t.kind) && p.peek(1).kind == tEq {
		p.next()
	}
	if !p.accept(tEq) && !p.accept(tAssign) {
		p.expected("=")
	}
}

// update reads UPDATE.
func (p *parser) update(with *ir.With) ir.Node {
	u := &ir.Update{With: with}
	p.next()
	p.anyWord(kwLowPriority)
	p.word(kwIgnore)
	if p.isWord(kwOr) {
		p.next()
		p.next()
	}
	p.topClause()
	u.Tables = p.fromList()
	p.onCluster()
	if p.word(kwFrom) {
		u.From = p.fromList()
	}
	p.needWord(kwSet)
	u.Set = p.assignments()
	for p.turn() && p.updateClause(u) {
	}
	return u
}

func (p *parser) updateClause(u *ir.Update) bool {
	switch p.t.kw {
	case kwOutput:
		u.Output = p.output()
	case kwFrom:
		p.next()
		u.From = append(u.From, p.fromList()...)
	case kwWhere:
		p.next()
		u.Where = p.whereOrCursor()
	case kwOrder:
		p.next()
		p.needWord(kwBy)
		u.OrderBy = p.orderItems()
	case kwReturning, kwReturn:
		if p.t.kw == kwReturn && p.f.noSemicolons {
			return false
		}
		u.Returning, u.ReturningVars = p.returning()
	default:
		return p.dmlTail()
	}
	return true
}

// whereOrCursor reads a condition, or CURRENT OF cursor, which is none.
func (p *parser) whereOrCursor() *ir.Expr {
	if p.words(kwCurrent, kwOf) {
		p.word(kwGlobal)
		p.aliasIdent()
		return nil
	}
	return p.expr()
}

// dmlTail skips the clauses behind a change of rows that matter to no lineage.
func (p *parser) dmlTail() bool {
	switch p.t.kw {
	case kwLimit:
		p.next()
		p.operand()
		if p.accept(tComma) {
			p.operand()
		}
	case kwOption:
		p.next()
		p.skipParens()
	case kwSettings:
		p.next()
		p.settings()
	case kwLog:
		if p.peek(1).kw != kwErrors {
			return false
		}
		p.logErrors()
	case kwIn:
		if p.peek(1).kw != kwPartition {
			return false
		}
		p.next()
		p.next()
		p.operand()
	default:
		return false
	}
	return true
}

// logErrors reads Oracle's LOG ERRORS INTO t (..) REJECT LIMIT n.
func (p *parser) logErrors() ir.Name {
	var n ir.Name
	p.next()
	p.next()
	if p.word(kwInto) {
		n = p.name("the error table")
	}
	p.skipParens()
	if p.words(kwReject, kwLimit) {
		p.next()
	}
	return n
}

// topClause skips TOP (n).
func (p *parser) topClause() {
	if p.isWord(kwTop) && (p.peek(1).kind == tLParen || p.peek(1).kind == tNumber) {
		p.next()
		if !p.skipParens() {
			p.next()
		}
		p.word(kwPercent)
	}
}

// onCluster skips ClickHouse's ON CLUSTER name.
func (p *parser) onCluster() {
	if p.words(kwOn, kwCluster) {
		p.next()
	}
}

// returning reads RETURNING items [INTO variables].
func (p *parser) returning() ([]ir.Item, []*ir.Expr) {
	p.next()
	if p.isWord(kwWith) && p.peek(1).kind == tLParen { // PostgreSQL 18: WITH (OLD AS o)
		p.next()
		p.skipBrackets()
	}
	items := p.selectItems()
	var vars []*ir.Expr
	if p.isWord(kwBulk) {
		p.next()
		p.needWord(kwCollect)
	}
	if p.word(kwInto) {
		p.word(kwStrict)
		vars = p.variableList()
	}
	return items, vars
}

// output reads T-SQL's OUTPUT items [INTO table (columns)].
func (p *parser) output() *ir.Output {
	o := &ir.Output{}
	p.next()
	o.Items = p.selectItems()
	if p.word(kwInto) {
		start := p.t.pos
		t := &ir.Target{Name: p.name("a table")}
		t.Span = p.span(start)
		o.Into = t
		if p.is(tLParen) {
			o.Columns = p.insertColumns()
		}
		if p.isWord(kwOutput) {
			second := p.output()
			if second.Into != nil {
				return o
			}
		}
	}
	return o
}

// deleteFrom reads DELETE.
func (p *parser) deleteFrom(with *ir.With) ir.Node {
	d := &ir.Delete{With: with}
	p.next()
	for p.anyWord(kwLowPriority, kwQuick, kwIgnore) {
	}
	p.topClause()
	switch {
	case p.word(kwFrom):
		d.From = p.deleteList()
		p.onCluster()
		p.deleteUsing(d)
	default:
		d.From = p.deleteList()
		if p.isWord(kwFrom) {
			d.Targets, d.From = namesOf(d.From), nil
			p.next()
			d.From = p.fromList()
		}
	}
	for p.turn() && p.deleteClause(d) {
	}
	return d
}

// deleteList reads the tables of DELETE; MySQL writes t.* too.
func (p *parser) deleteList() []*ir.From {
	var list []*ir.From
	for {
		p.turn()
		f := p.fromElement(ir.JoinComma)
		if p.is(tDot) && p.peek(1).kind == tStar {
			p.next()
			p.next()
		}
		list = append(list, f)
		if p.accept(tComma) {
			continue
		}
		j, ok := p.joined()
		if !ok {
			return list
		}
		list = append(list, j)
	}
}

func namesOf(list []*ir.From) []ir.Name {
	var names []ir.Name
	for _, f := range list {
		names = append(names, f.Name)
	}
	return names
}

// deleteUsing reads what follows DELETE FROM t: USING, or T-SQL's second FROM.
func (p *parser) deleteUsing(d *ir.Delete) {
	if p.isWord(kwOutput) {
		d.Output = p.output()
	}
	switch {
	case p.isWord(kwUsing):
		p.next()
		refs := p.fromList()
		if len(d.From) > 1 || p.f.execComments {
			d.Targets, d.From = namesOf(d.From), refs
			return
		}
		d.Using = refs
	case p.isWord(kwFrom):
		p.next()
		d.Targets = namesOf(d.From)
		d.From = p.fromList()
	}
}

func (p *parser) deleteClause(d *ir.Delete) bool {
	switch p.t.kw {
	case kwOutput:
		d.Output = p.output()
		if p.word(kwFrom) {
			d.Targets = namesOf(d.From)
			d.From = p.fromList()
		}
	case kwWhere:
		p.next()
		d.Where = p.whereOrCursor()
	case kwOrder:
		p.next()
		p.needWord(kwBy)
		d.OrderBy = p.orderItems()
	case kwReturning, kwReturn:
		if p.t.kw == kwReturn && p.f.noSemicolons {
			return false
		}
		d.Returning, d.ReturningVars = p.returning()
	case kwFrom, kwUsing:
		if d.Using != nil || d.Targets != nil {
			return false
		}
		p.deleteUsing(d)
	case kwPartition, kwPartitions:
		p.next()
		if !p.skipParens() {
			p.aliasIdent()
		}
	default:
		return p.dmlTail()
	}
	return true
}
