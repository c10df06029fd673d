package grammar

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// selectCore reads SELECT without the clauses that a whole query has. TOP is noted
// in the query.
func (p *parser) selectCore(q *ir.Query) *ir.Select {
	s := p.mem.selcts.One()
	start := p.t.pos
	p.needWord(kwSelect)
	p.selectOptions(s, q)
	if p.isWord(kwInto) && p.program > 0 {
		p.selectInto(s)
	}
	if !p.transform(s) && !(p.f.operatorRuns && p.isAny(kwFrom, kwWhere)) {
		s.Items = p.selectItems()
	}
	for p.turn() && p.selectClause(s) {
	}
	s.Span = p.span(start)
	return s
}

// selectOptions reads DISTINCT, TOP, AS STRUCT and hints behind SELECT.
func (p *parser) selectOptions(s *ir.Select, q *ir.Query) {
	for p.turn() {
		second := p.peek(1)
		switch p.t.kw {
		case kwDistinct, kwDistinctrow, kwUnique:
			if second.kind == tDot || p.t.kw == kwUnique && !p.f.plsql {
				return
			}
			p.next()
			s.Distinct = true
			if p.isWord(kwOn) && p.peek(1).kind == tLParen {
				p.next()
				_, p.mem.clauses(s).DistinctOn = p.parenList(nil)
			}
		case kwAll:
			if second.kind == tDot || second.kind == tComma {
				return
			}
			p.next()
		case kwTop:
			if !p.top(q) {
				return
			}
		case kwStraightJoin, kwSqlCalcFoundRows, kwSqlNoCache, kwSqlCache, kwSqlBigResult, kwSqlSmallResult, kwSqlBufferResult, kwHighPriority, kwStream:
			if !operandFollows(second) && second.kind != tStar || p.f.reserved.has(second.kw) && second.kw != kwDistinct && second.kw != kwAll && second.kw != kwStraightJoin {
				return
			}
			p.next()
		case kwAs:
			switch second.kw {
			case kwStruct:
				p.mem.clauses(s).AsStruct = true
			case kwValue:
				p.mem.clauses(s).AsValue = true
			default:
				p.next() // SELECT AS TypeName
			}
			p.next()
			p.next()
		default:
			if p.is(tLBracket) && p.f.bracketHints {
				p.skipBrackets()
				continue
			}
			return
		}
	}
}

// top reads TOP n, TOP (n) PERCENT WITH TIES.
func (p *parser) top(q *ir.Query) bool {
	switch k := p.peek(1).kind; k {
	case tNumber, tVariable, tTemplate, tBind:
		p.next()
		if e := p.primary(); e.Kind != ir.ExprLiteral {
			l := q.AddLimits()
			l.Counts = append(l.Counts, e)
		}
	case tLParen:
		p.next()
		sub, list := p.parenList(nil)
		if sub != nil {
			list = []*ir.Expr{p.subqueryOf(sub, p.prev().pos)}
		}
		for _, e := range list {
			if e.Kind != ir.ExprLiteral {
				l := q.AddLimits()
				l.Counts = append(l.Counts, e)
			}
		}
	default:
		return false
	}
	q.Limited = true
	p.word(kwPercent)
	p.words(kwWith, kwTies)
	return true
}

// transform reads Hive's TRANSFORM (..) USING .. AS (..), if it stands here.
func (p *parser) transform(s *ir.Select) bool {
	if !p.isAny(kwTransform, kwMap, kwReduce) {
		return false
	}
	switch p.peek(1).kind {
	case tLParen:
		p.next()
		after := p.afterParens(4000).kw
		if after != kwUsing && after != kwRow {
			p.jump(p.i - 1)
			return false
		}
	case tIdent, tQuoted:
		if p.isWord(kwTransform) {
			return false
		}
		p.next()
	default:
		return false
	}
	t := &ir.Transform{}
	if p.is(tLParen) {
		_, t.Args = p.parenList(nil)
	} else {
		t.Args = p.exprList()
	}
	p.rowFormat()
	p.needWord(kwUsing)
	p.expr()
	if p.word(kwAs) {
		if p.is(tLParen) {
			t.Columns = p.identList()
		} else {
			t.Columns = p.bareColumns()
		}
	}
	p.rowFormat()
	p.mem.clauses(s).Transform = t
	return true
}

// bareColumns reads a, b INT, c without brackets.
func (p *parser) bareColumns() []ir.Ident {
	mark := len(p.mem.identStack)
	for {
		p.mem.identStack = append(p.mem.identStack, p.aliasIdent())
		if p.is(tIdent) && !p.isAny(kwFrom, kwRow, kwRecordreader, kwCluster, kwDistribute, kwSort, kwWhere, kwInsert) {
			p.dataType()
		}
		if !p.accept(tComma) {
			return p.mem.takeIdents(mark)
		}
	}
}

// rowFormat skips Hive's ROW FORMAT .. and RECORDREADER clauses.
func (p *parser) rowFormat() {
	for p.isWords(kwRow, kwFormat) || p.isAny(kwRecordwriter, kwRecordreader) {
		p.next()
		for p.isWord(kwAs) && p.prev().kw == kwDefined || !p.isAny(kwUsing, kwFrom, kwAs, kwRecordreader, kwRecordwriter, kwStored, kwLocation, kwTblproperties, kwSelect, kwWith) {
			if p.ended() || p.is(tRParen) {
				break
			}
			if p.isWords(kwWith, kwSerdeproperties) {
				p.next()
			}
			p.skipToken()
		}
		if p.isWords(kwWith, kwSerdeproperties) {
			p.next()
			p.next()
			p.skipParens()
		}
	}
}

// selectItems reads the select list.
func (p *parser) selectItems() []ir.Item {
	mark := len(p.mem.itemStack)
	for {
		p.mem.itemStack = append(p.mem.itemStack, p.selectItem())
		if !p.accept(tComma) {
			break
		}
		if p.f.trailingCommas && (p.isWord(kwFrom) || p.is(tRParen) || p.ended()) {
			break
		}
	}
	if p.f.operatorRuns && p.isWord(kwExclude) { // Redshift: SELECT *, 1 EXCLUDE (a)
		p.excludeBehind(p.mem.itemStack[mark:])
	}
	return p.mem.takeItems(mark)
}

// excludeBehind reads EXCLUDE behind a whole select list, of whose stars it takes
// columns away.
func (p *parser) excludeBehind(items []ir.Item) {
	p.next()
	var except []ir.Ident
	if p.is(tLParen) {
		except = p.exceptList()
	} else {
		except = []ir.Ident{p.aliasIdent()}
	}
	for _, item := range items {
		if item.Expr.Kind == ir.ExprStar && item.Expr.More == nil {
			item.Expr.More = &ir.StarMods{Except: except}
		}
	}
}

// selectItem reads one element of a select list with its alias.
func (p *parser) selectItem() ir.Item {
	if p.f.equalsAlias {
		if item, ok := p.equalsItem(); ok {
			return item
		}
	}
	if p.f.fromFirst && (p.is(tIdent) || p.is(tQuoted)) && p.peek(1).kind == tColon {
		alias := p.aliasIdent()
		p.next()
		return ir.Item{Expr: p.expr(), Alias: alias}
	}
	e := p.expr()
	switch e.Kind {
	case ir.ExprStar:
		if p.isWord(kwAs) || e.More == nil {
			p.starAlias()
		}
		return ir.Item{Expr: e}
	case ir.ExprColumn:
		if p.f.regexColumns {
			e = p.regexColumn(e)
		}
	}
	return p.aliased(e)
}

// starAlias skips the alias of a star, which DuckDB takes on COLUMNS(..).
func (p *parser) starAlias() {
	if p.isWord(kwAs) && (p.peek(1).kind == tIdent || p.peek(1).kind == tQuoted || p.peek(1).kind == tString) {
		p.next()
		p.next()
	}
}

// aliased reads the alias behind an expression of a list.
func (p *parser) aliased(e *ir.Expr) ir.Item {
	item := ir.Item{Expr: e}
	switch {
	case p.word(kwAs):
		if p.is(tLParen) {
			item.Aliases = p.identList()
			return item
		}
		item.Alias = p.aliasIdent()
	case p.columnAlias():
		item.Alias = p.aliasIdent()
	}
	return item
}

// columnAlias tells whether an alias without AS stands here.
func (p *parser) columnAlias() bool {
	switch p.t.kind {
	case tQuoted, tTemplate:
		return true
	case tString:
		return p.f.stringAliases || p.char(p.t.pos) == '"'
	case tIdent:
		return (p.t.kw == 0 || !p.f.reserved.has(p.t.kw) && !p.clauseWord()) && !p.label()
	}
	return false
}

// label tells whether a word is a T-SQL label and no alias.
func (p *parser) label() bool { return p.f.noSemicolons && p.peek(1).kind == tColon }

// tableAlias tells whether a table's alias without AS stands here.
func (p *parser) tableAlias() bool {
	switch p.t.kind {
	case tQuoted, tTemplate:
		return true
	case tIdent:
		return (p.t.kw == 0 || !p.f.reserved.has(p.t.kw) && !p.f.tableStops.has(p.t.kw) && !p.clauseWord()) && !p.label()
	}
	return false
}

// clauseWord tells whether the word at the cursor, which could be an alias,
// starts a clause: most such words are names too, and what follows decides.
func (p *parser) clauseWord() bool {
	second := p.peek(1)
	if kw, ok := followers[p.t.kw]; ok {
		return kw.has(second.kw)
	}
	switch p.t.kw {
	case kwLimit, kwOffset, kwQualify, kwTablesample, kwPrewhere, kwReturning, kwFor, kwLateral, kwEmit, kwInterpolate:
		return !endish(second)
	case kwStraightJoin, kwUsing, kwEnd, kwElse, kwGo, kwWhen, kwCollate, kwIs:
		return true
	case kwMatchRecognize, kwMatchCondition, kwOption, kwAt, kwBefore, kwChanges, kwOver, kwFilter, kwKeep:
		return second.kind == tLParen
	case kwAsof, kwSemi, kwAnti, kwAny, kwAll, kwPaste, kwPositional, kwGlobal, kwLocal, kwArray:
		return joinWord(second.kw)
	case kwDo, kwLoop, kwThen:
		return p.program > 0
	case kwComment, kwEscape:
		return second.kind == tString
	case kwSet:
		return second.kind != tComma && second.kw != kwSet
	case kwMinus:
		return p.setOperator()
	}
	return p.dialectClauseWord(second)
}

// followers are the words that start a clause if one of some words follows.
var followers = map[keyword]*wordSet{
	kwVersions:      wordSetOf("between"),
	kwStart:         wordSetOf("with"),
	kwVersion:       wordSetOf("as"),
	kwTimestamp:     wordSetOf("as"),
	kwSystemTime:    wordSetOf("as"),
	kwSystemVersion: wordSetOf("as"),
	kwConnect:       wordSetOf("by"),
	kwDistribute:    wordSetOf("by"),
	kwCluster:       wordSetOf("by"),
	kwSort:          wordSetOf("by"),
	kwUse:           wordSetOf("index key"),
	kwForce:         wordSetOf("index key"),
	kwIgnore:        wordSetOf("index key"),
	kwBulk:          wordSetOf("collect"),
	kwLock:          wordSetOf("in"),
	kwOuter:         wordSetOf("apply union"),
	kwInsert:        wordSetOf("into overwrite"),
	kwLog:           wordSetOf("errors"),
	kwWithin:        wordSetOf("group"),
	kwRespect:       wordSetOf("nulls"),
	kwReject:        wordSetOf("limit"),
}

// behindWord are the words that may stand instead of a bracket behind a word that
// starts a clause.
var behindWord = map[keyword]*wordSet{
	kwPivot:   wordSetOf("xml"),
	kwUnpivot: wordSetOf("include exclude"),
	kwModel:   wordSetOf("return unique ignore keep partition dimension main reference"),
	kwValues:  wordSetOf("row"),
}

// dialectClauseWord tells the words that start a clause in some dialects only, or
// before a certain kind of token.
func (p *parser) dialectClauseWord(second token) bool {
	switch p.t.kw {
	case kwFetch:
		return fetchWords.has(second.kw) || second.kind == tNumber || p.program > 0
	case kwWindow:
		return anyPart(second) && p.peek(2).kw == kwAs
	case kwFormat, kwSettings:
		return p.f.typedBinds && second.kind == tIdent
	case kwFinal:
		return p.f.typedBinds
	case kwSample:
		return second.kind == tNumber || second.kind == tLParen || sampleWords.has(second.kw)
	case kwPivot, kwUnpivot, kwModel, kwValues:
		return second.kind == tLParen || behindWord[p.t.kw].has(second.kw)
	case kwPartition, kwSubpartition:
		return second.kind == tLParen || second.kw == kwBy || second.kw == kwFor || anyPart(second) && p.peek(2).kw == kwWhere
	case kwOutput:
		return p.f.noSemicolons && !endish(second)
	case kwKeys: // APPLY CHANGES
		return p.f.notebooks && second.kind == tLParen
	case kwMap, kwReduce:
		return p.f.regexColumns && operandFollows(second) && !endish(second) && !p.f.reserved.has(second.kw)
	}
	return false
}

// joinWord tells the words of which one follows the first word of a join.
func joinWord(kw keyword) bool {
	switch kw {
	case kwJoin, kwLeft, kwRight, kwInner, kwFull, kwCross, kwOuter, kwSemi, kwAnti, kwAny, kwAll, kwAsof:
		return true
	}
	return false
}

// equalsItem reads T-SQL's alias = expression and @variable = expression.
func (p *parser) equalsItem() (ir.Item, bool) {
	second := p.peek(1)
	switch {
	case p.is(tVariable) && (second.kind == tEq || p.peek(2).kind == tEq && compoundSign(second.kind)):
		t := p.t
		p.next()
		if compoundSign(p.t.kind) {
			p.next()
		}
		p.next()
		value := p.expr()
		e := p.node(ir.ExprAssign, t.pos)
		e.Text = p.raw(t)
		e.Args = p.mem.args.Copy([]*ir.Expr{value})
		return ir.Item{Expr: e}, true
	case second.kind == tEq && (p.is(tIdent) && !p.f.reserved.has(p.t.kw) || p.is(tQuoted) || p.is(tString)):
		alias := p.aliasIdent()
		p.next()
		return ir.Item{Expr: p.expr(), Alias: alias}, true
	}
	return ir.Item{}, false
}

func compoundSign(k kind) bool {
	switch k {
	case tPlus, tMinus, tStar, tSlash, tPercent, tAmp, tPipe, tCaret:
		return true
	}
	return false
}

// regexColumn turns Hive's `(a|b)?+.+` into a star with a pattern.
func (p *parser) regexColumn(e *ir.Expr) *ir.Expr {
	last := e.Name[len(e.Name)-1]
	if last.Quote != '`' || !strings.ContainsAny(last.Name, "?+*|(") || strings.Contains(last.Name, "${") {
		return e
	}
	e.Kind = ir.ExprStar
	e.Name = e.Name[:len(e.Name)-1]
	if len(e.Name) == 0 {
		e.Name = nil
	}
	e.More = &ir.StarMods{Pattern: last.Name}
	return e
}

// starModifiers reads EXCEPT, REPLACE, RENAME, ILIKE and APPLY behind a star.
func (p *parser) starModifiers(e *ir.Expr) {
	if !p.isAny(kwExcept, kwExclude, kwReplace, kwRename, kwIlike, kwApply, kwLike) {
		return
	}
	mods, _ := e.More.(*ir.StarMods)
	if mods == nil {
		mods = &ir.StarMods{}
	}
	n := 0
	for p.turn() && p.starModifier(mods) {
		n++
	}
	if n > 0 {
		e.More = mods
		e.End = int32(p.prev().end)
	}
}

func (p *parser) starModifier(mods *ir.StarMods) bool {
	second := p.peek(1)
	switch p.t.kw {
	case kwExcept, kwExclude:
		switch {
		case second.kind == tLParen && p.peek(2).kind == tString && p.char(p.peek(2).pos) == '\'':
			p.next()
			p.skipBrackets()
		case second.kind == tLParen && !p.queryAt(2) && p.peek(2).kind != tLParen:
			p.next()
			mods.Except = append(mods.Except, p.exceptList()...)
		case (second.kind == tIdent || second.kind == tQuoted) && (p.t.kw == kwExclude || p.f.typedBinds) && !p.queryAt(1) && second.kw != kwAll && second.kw != kwDistinct:
			p.next()
			mods.Except = append(mods.Except, p.aliasIdent())
		default:
			return false
		}
	case kwReplace:
		if second.kind != tLParen && !anyPart(second) {
			return false
		}
		p.next()
		p.replaceList(mods)
	case kwRename:
		p.next()
		p.renameList(mods)
	case kwIlike, kwLike:
		if second.kind != tString {
			return false
		}
		p.next()
		mods.Pattern, mods.Like = p.stringValue(p.t), true
		p.next()
	case kwApply:
		p.next()
		mods.Apply = append(mods.Apply, p.applyFunction())
	default:
		return false
	}
	return true
}

// exceptList reads (a, t.b, "c") and keeps the last part of each name.
func (p *parser) exceptList() []ir.Ident {
	p.need(tLParen)
	mark := len(p.mem.identStack)
	for !p.is(tRParen) && !p.is(tEOF) {
		if !anyPart(p.t) {
			p.expected("a column name")
			break
		}
		id := p.aliasIdent()
		for p.is(tDot) && anyPart(p.peek(1)) {
			p.next()
			id = p.aliasIdent()
		}
		p.mem.identStack = append(p.mem.identStack, id)
		if !p.accept(tComma) {
			break
		}
	}
	p.need(tRParen)
	return p.mem.takeIdents(mark)
}

// replaceList reads REPLACE (e AS a, ..) or REPLACE e AS a.
func (p *parser) replaceList(mods *ir.StarMods) {
	p.word(kwStrict)
	brackets := p.accept(tLParen)
	for p.turn() {
		value := p.expr()
		p.word(kwAs)
		mods.Replace = append(mods.Replace, ir.Item{Expr: value, Alias: p.aliasIdent()})
		if !brackets || !p.accept(tComma) || p.is(tRParen) {
			break
		}
	}
	if brackets {
		p.need(tRParen)
	}
}

func (p *parser) renameList(mods *ir.StarMods) {
	brackets := p.accept(tLParen)
	for p.turn() {
		from := p.aliasIdent()
		for p.is(tDot) {
			p.next()
			from = p.aliasIdent()
		}
		p.word(kwAs)
		mods.Rename = append(mods.Rename, ir.Rename{From: from, To: p.aliasIdent()})
		if !brackets || !p.accept(tComma) || p.is(tRParen) {
			break
		}
	}
	if brackets {
		p.need(tRParen)
	}
}

// applyFunction reads APPLY(f), APPLY f, APPLY(x -> f(x)).
func (p *parser) applyFunction() string {
	if !p.is(tLParen) {
		return p.aliasIdent().Name
	}
	p.next()
	start := p.t
	for depth := 0; !p.ended(); {
		if p.is(tLParen) {
			depth++
		}
		if p.is(tRParen) {
			if depth == 0 {
				break
			}
			depth--
		}
		p.next()
	}
	s := p.between(start)
	p.need(tRParen)
	return s
}

// columnsStar reads COLUMNS('pattern'), COLUMNS(a, b), COLUMNS(* EXCLUDE (c)).
func (p *parser) columnsStar(qualifier []ir.Ident, start uint32) *ir.Expr {
	p.next()
	mods := &ir.StarMods{}
	e := p.node(ir.ExprStar, start)
	switch k := p.peek(1).kind; {
	case k == tString:
		p.next()
		mods.Pattern = p.stringValue(p.t)
		p.next()
		p.closeCall()
	case (k == tIdent || k == tQuoted) && (p.peek(2).kind == tComma || p.peek(2).kind == tRParen):
		mods.Columns = p.exceptList()
	default:
		p.next()
		inner := p.expr()
		if m, ok := inner.More.(*ir.StarMods); ok && inner.Kind == ir.ExprStar {
			mods = m
		}
		p.closeCall()
	}
	e.Name = qualifier
	e.More = mods
	p.starModifiers(e)
	e.End = int32(p.prev().end)
	return e
}

// selectClause reads one clause behind a select list. Their order is the user's
// affair.
func (p *parser) selectClause(s *ir.Select) bool {
	second := p.peek(1)
	switch p.t.kw {
	case kwFrom:
		p.next()
		s.From = p.fromList()
	case kwWhere:
		p.next()
		s.Where = p.expr()
	case kwGroup:
		if second.kw != kwBy {
			return false
		}
		p.next()
		p.next()
		p.groupBy(s)
	case kwHaving:
		p.next()
		s.Having = p.expr()
	case kwQualify:
		p.next()
		p.mem.clauses(s).Qualify = p.expr()
	case kwInto:
		return p.selectInto(s)
	case kwBulk:
		if second.kw != kwCollect {
			return false
		}
		p.next()
		p.next()
		return p.selectInto(s)
	case kwWindow:
		if !anyPart(second) || p.peek(2).kw != kwAs {
			return false
		}
		p.next()
		p.mem.clauses(s).Windows = p.namedWindows()
	default:
		return p.rareSelectClause(s, second)
	}
	return true
}

func (p *parser) rareSelectClause(s *ir.Select, second token) bool {
	switch p.t.kw {
	case kwPrewhere:
		p.next()
		p.mem.clauses(s).Prewhere = p.expr()
	case kwStart:
		if second.kw != kwWith {
			return false
		}
		p.next()
		p.next()
		p.mem.clauses(s).StartWith = p.expr()
	case kwConnect:
		if second.kw != kwBy {
			return false
		}
		p.next()
		p.next()
		p.word(kwNocycle)
		p.mem.clauses(s).Connect = p.expr()
	case kwSort, kwDistribute, kwCluster:
		if second.kw != kwBy {
			return false
		}
		p.next()
		p.next()
		p.sortBy(s)
	case kwLateral:
		if second.kw != kwView {
			return false
		}
		more := p.mem.clauses(s)
		more.Laterals = append(more.Laterals, p.lateralView())
	case kwArray, kwLeft:
		if !p.isWords(kwArray, kwJoin) && !p.isWords(kwLeft, kwArray, kwJoin) {
			return false
		}
		more := p.mem.clauses(s)
		more.Laterals = append(more.Laterals, p.arrayJoin())
	case kwWith:
		if second.kw != kwRollup && second.kw != kwCube && second.kw != kwTotals {
			return false
		}
		p.next()
		p.next()
	case kwModel:
		if s.From == nil {
			return false
		}
		p.modelClause()
	case kwSample:
		p.sample()
	case kwUsing:
		if second.kw != kwSample {
			return false
		}
		p.next()
		p.sample()
	default:
		return false
	}
	return true
}

// sample skips SAMPLE and TABLESAMPLE with their amount.
func (p *parser) sample() {
	p.next()
	p.anyWord(kwBlock, kwRow, kwSystem, kwBernoulli, kwReservoir)
	switch {
	case p.skipParens():
	case p.is(tNumber) && p.peek(1).kind == tPercent:
		p.next()
		p.next()
		p.skipParens()
	case p.is(tNumber):
		p.operand()
		p.anyWord(kwPercent, kwRows)
		if p.isWord(kwOffset) && p.peek(1).kind == tNumber {
			p.next()
			p.operand()
		}
		p.skipParens()
	}
	if p.anyWord(kwRepeatable, kwSeed) {
		p.skipParens()
	}
}

// modelClause skips Oracle's MODEL clause.
func (p *parser) modelClause() {
	for !p.ended() && !p.is(tRParen) && !p.setOperator() && !p.isWord(kwOrder) {
		p.skipToken()
	}
}

func (p *parser) sortBy(s *ir.Select) {
	for {
		more := p.mem.clauses(s)
		more.SortBy = append(more.SortBy, p.orderItem().Expr)
		if !p.accept(tComma) {
			return
		}
	}
}

// groupBy reads the list of GROUP BY; sets, cubes and rollups are flattened.
func (p *parser) groupBy(s *ir.Select) {
	p.word(kwDistinct)
	if p.isWord(kwAll) && (p.peek(1).kind == tIdent || !operandFollows(p.peek(1))) {
		p.next()
		s.GroupAll = true
		return
	}
	for p.turn() {
		p.groupElement(s)
		p.anyWord(kwAsc, kwDesc)
		if !p.accept(tComma) && !p.isWords(kwGrouping, kwSets) {
			break
		}
		if p.f.trailingCommas && (p.is(tRParen) || p.ended() || p.isAny(kwHaving, kwOrder, kwLimit, kwQualify)) {
			break
		}
	}
	for p.isWord(kwWith) && (p.peek(1).kw == kwRollup || p.peek(1).kw == kwCube || p.peek(1).kw == kwTotals) {
		p.next()
		p.next()
	}
}

func (p *parser) groupElement(s *ir.Select) {
	switch {
	case p.words(kwGrouping, kwSets):
		p.groupingSets(s)
		return
	case p.isAny(kwCube, kwRollup) && p.peek(1).kind == tLParen:
		p.next()
		_, list := p.parenList(nil)
		p.flattenGroup(s, list)
		return
	}
	p.flattenGroup(s, []*ir.Expr{p.namedExpr()})
}

// groupingSets reads (.., (..), CUBE(..)), of which sets may hold sets.
func (p *parser) groupingSets(s *ir.Select) {
	if !p.enter() {
		return
	}
	defer p.leave()
	p.need(tLParen)
	for !p.is(tRParen) && !p.is(tEOF) {
		p.groupElement(s)
		if !p.accept(tComma) {
			break
		}
	}
	p.need(tRParen)
}

func (p *parser) flattenGroup(s *ir.Select, list []*ir.Expr) {
	for _, e := range list {
		if e.Kind == ir.ExprTuple {
			p.flattenGroup(s, e.Args)
			continue
		}
		s.GroupBy = p.mem.args.Append(s.GroupBy, e)
	}
}

func (p *parser) namedWindows() []ir.NamedWindow {
	var windows []ir.NamedWindow
	for {
		w := ir.NamedWindow{Name: p.aliasIdent()}
		p.needWord(kwAs)
		if p.is(tLParen) {
			w.Window = p.window()
		} else {
			w.Window = &ir.Window{Base: p.aliasIdent()}
		}
		windows = append(windows, w)
		if !p.accept(tComma) {
			return windows
		}
	}
}

// selectInto reads SELECT .. INTO a table, a file, or variables.
func (p *parser) selectInto(s *ir.Select) bool {
	p.next()
	if p.anyWord(kwOutfile, kwDumpfile) {
		p.mem.clauses(s).Into = p.outfile()
		return true
	}
	if p.intoVariables() {
		p.word(kwStrict)
		p.mem.clauses(s).IntoVars = p.variableList()
		return true
	}
	p.word(kwGlobal)
	p.word(kwLocal)
	if p.anyWord(kwTemp, kwTemporary) {
		p.mem.clauses(s).IntoTemporary = true
	}
	p.word(kwUnlogged)
	p.word(kwTable)
	start := p.t.pos
	n := p.name("a table or variable")
	p.mem.clauses(s).Into = &ir.Target{Name: n, Span: p.span(start)}
	if p.isWord(kwOn) && p.peek(1).kind != tLParen {
		p.next()
		p.aliasIdent()
	}
	return true
}

// intoVariables tells whether INTO fills variables here and not a new table.
func (p *parser) intoVariables() bool {
	switch {
	case p.is(tColon), p.is(tVariable) && !p.f.noSemicolons:
		return true
	case p.isAny(kwTemp, kwTemporary, kwUnlogged):
		return false
	}
	return p.f.plsql || p.f.intoVariables && p.program > 0
}

// variableList reads the variables behind INTO.
func (p *parser) variableList() []*ir.Expr {
	mark := len(p.mem.argStack)
	for {
		p.mem.argStack = append(p.mem.argStack, p.postfix(p.primary()))
		if !p.accept(tComma) {
			return p.mem.takeArgs(mark)
		}
	}
}

// outfile reads the path and options of INTO OUTFILE.
func (p *parser) outfile() *ir.Target {
	t := &ir.Target{Span: ir.Span{Start: int32(p.t.pos), End: int32(p.t.end)}}
	if !p.is(tString) {
		p.expected("a file name")
		return t
	}
	t.Path = p.stringValue(p.t)
	p.next()
	for !p.ended() && !p.isAny(kwFrom, kwUnion, kwLimit, kwOrder) && !(p.f.typedBinds && p.isAny(kwFormat, kwSettings)) && !p.is(tRParen) {
		p.skipToken()
	}
	return t
}

// intoBehind reads an INTO that stands behind the whole query.
func (p *parser) intoBehind(q *ir.Query) bool {
	s := q.Select
	for branch := q; s == nil; {
		switch {
		case branch.SetOp != nil:
			branch = branch.SetOp.Branches[0].Query
		case branch.Nested != nil:
			branch = branch.Nested
		default:
			return false
		}
		s = branch.Select
	}
	return p.selectInto(s)
}

// fromFirst reads FROM t [SELECT ..], as DuckDB, Hive and pipes have it.
func (p *parser) fromFirst(q *ir.Query) *ir.Select {
	start := p.t.pos
	return p.fromRest(p.fromHead(), q, start)
}

// fromHead reads the FROM that stands before its SELECT or INSERT.
func (p *parser) fromHead() *ir.Select {
	s := p.mem.selcts.One()
	p.next()
	s.From = p.fromList()
	for p.turn() && p.selectClause(s) {
	}
	return s
}

// fromRest reads the SELECT behind its FROM, which may be missing.
func (p *parser) fromRest(s *ir.Select, q *ir.Query, start uint32) *ir.Select {
	from, where := s.From, s.Where
	switch {
	case p.isWord(kwSelect):
		*s = *p.selectCore(q)
	case p.isAny(kwMap, kwReduce) && p.transform(s):
	default:
		s.Items = p.starItem(start)
	}
	if s.From == nil {
		s.From = from
	}
	s.Where = p.both(where, s.Where)
	for p.turn() && p.selectClause(s) {
	}
	s.Span = p.span(start)
	return s
}

// both joins two conditions, of which either may be missing or both the same.
func (p *parser) both(a, b *ir.Expr) *ir.Expr {
	if b == nil || a == b {
		return a
	}
	return p.and(a, b)
}

// starItem is the select list "*" of a query that has none.
func (p *parser) starItem(at uint32) []ir.Item {
	star := p.node(ir.ExprStar, at)
	star.End = star.Start
	return p.mem.items.Copy([]ir.Item{{Expr: star}})
}
