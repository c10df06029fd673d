package grammar

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// fromList reads the elements of a FROM clause, flat, with the joins between them.
func (p *parser) fromList() []*ir.From {
	var room [8]*ir.From
	list := append(room[:0], p.fromElement(ir.JoinComma))
	for p.turn() {
		switch {
		case p.is(tComma):
			if p.f.trailingCommas && (p.peek(1).kw == kwWhere || p.peek(1).kw == kwGroup || p.peek(1).kw == kwOrder || endsList(p.peek(1))) {
				p.next()
				return p.mem.tables.Copy(list)
			}
			p.next()
			list = append(list, p.fromElement(ir.JoinComma))
			continue
		case p.isWord(kwOn) && p.lateCondition(list):
			continue
		case p.isAny(kwPivot, kwUnpivot) && p.clauseWord():
			list = append(room[:0], p.groupWithOps(list))
			continue
		}
		f, ok := p.joined()
		if !ok {
			break
		}
		list = append(list, f)
	}
	return p.mem.tables.Copy(list)
}

// endsList tells the tokens that end a FROM list for good.
func endsList(t token) bool {
	return t.kind == tRParen || t.kind == tEOF || t.kind == tSemi
}

// groupWithOps makes one element of joined tables that PIVOT or UNPIVOT follows.
func (p *parser) groupWithOps(list []*ir.From) *ir.From {
	f := p.mem.froms.One()
	f.Kind, p.mem.more(f).Group = ir.FromGroup, p.mem.tables.Copy(list)
	p.elementSuffixes(f)
	f.Span = p.span(uint32(list[0].Start))
	return f
}

// lateCondition gives an ON to the last join that has none yet (a JOIN b JOIN c ON
// .. ON ..).
func (p *parser) lateCondition(list []*ir.From) bool {
	for i := len(list) - 1; i > 0; i-- {
		if f := list[i]; f.On == nil && f.Using == nil && f.Join != ir.JoinComma && f.Join != ir.JoinCross {
			p.next()
			f.On = p.expr()
			return true
		}
	}
	return false
}

// join is what the words before JOIN say.
type join struct {
	kind    ir.JoinKind
	natural bool
	asof    bool
	lateral bool
	words   int // 0: no join stands here
	array   bool
	outer   bool
}

// joined reads a further element with the join that brings it in, if one follows.
func (p *parser) joined() (*ir.From, bool) {
	if !p.is(tIdent) || p.t.kw == 0 {
		return nil, false
	}
	if p.isWords(kwLateral, kwView) {
		return p.lateralView(), true
	}
	j := p.joinWords()
	if j.words == 0 {
		return nil, false
	}
	if j.array {
		return p.arrayJoin(), true
	}
	for range j.words {
		p.next()
	}
	if p.f.bracketHints && p.is(tLBracket) {
		p.skipBrackets()
	}
	f := p.fromElement(j.kind)
	f.Natural, f.Asof = j.natural, j.asof
	f.Lateral = f.Lateral || j.lateral
	p.joinCondition(f)
	return f, true
}

// joinCondition reads ON or USING behind an element.
func (p *parser) joinCondition(f *ir.From) {
	switch {
	case p.word(kwOn):
		f.On = p.expr()
	case p.isWord(kwUsing) && p.peek(1).kind == tLParen:
		p.next()
		f.Using = p.exceptList()
		if p.isWord(kwAs) {
			p.next()
			p.mem.more(f).UsingAlias = p.aliasIdent()
		}
	case p.isWord(kwUsing) && p.f.typedBinds && anyPart(p.peek(1)) && p.peek(1).kw != kwSample:
		p.next()
		f.Using = p.bareIdents()
	}
	if p.is(tLBrace) || p.isWord(kwMatchCondition) && p.peek(1).kind == tLParen {
		p.matchCondition(f)
	}
}

// bareIdents reads a, b, c without brackets.
func (p *parser) bareIdents() []ir.Ident {
	mark := len(p.mem.identStack)
	for {
		p.mem.identStack = append(p.mem.identStack, p.aliasIdent())
		if !p.accept(tComma) {
			return p.mem.takeIdents(mark)
		}
	}
}

// matchCondition reads Snowflake's MATCH_CONDITION (..) of an ASOF join.
func (p *parser) matchCondition(f *ir.From) {
	p.next()
	p.need(tLParen)
	cond := p.expr()
	p.need(tRParen)
	f.Asof = true
	if p.isWord(kwOn) || p.isWord(kwUsing) {
		p.joinCondition(f)
	}
	if f.On == nil {
		f.On = cond
		return
	}
	f.On = p.op("AND", f.On.Start, f.On, cond)
}

// joinWords looks at the words that may be a join's, without taking them.
func (p *parser) joinWords() join {
	j := join{kind: ir.JoinInner}
	for n := range 7 {
		switch kw := p.peek(n).kw; kw {
		case kwJoin:
			if j.array && n > 0 && p.peek(n-1).kw != kwArray {
				return join{}
			}
			j.words = n + 1
			return j
		case kwStraightJoin:
			j.words = n + 1
			return j
		case kwApply:
			if n != 1 {
				return join{}
			}
			j.words, j.lateral = 2, true
			return j
		case kwInner, kwHash, kwLoop, kwMerge, kwRemote, kwGlobal, kwLocal, kwAny, kwAll, kwPaste, kwPositional, kwBroadcast, kwColocate, kwBucket, kwShuffle, kwReplicate, kwReduce, kwRedistribute, kwDirected:
		case kwCross:
			j.kind = ir.JoinCross
		case kwLeft:
			j.kind, j.outer = ir.JoinLeft, true
		case kwRight:
			j.kind = ir.JoinRight
		case kwFull:
			j.kind = ir.JoinFull
		case kwOuter:
			if n == 0 {
				j.kind = ir.JoinLeft
			}
		case kwSemi, kwAnti:
			j.kind = semiOf(j.kind)
		case kwNatural:
			j.natural = true
		case kwAsof:
			j.asof = true
		case kwArray:
			j.array = true
		default:
			return join{}
		}
	}
	return join{}
}

// semiOf gives the semi join on the side that a LEFT or RIGHT named.
func semiOf(k ir.JoinKind) ir.JoinKind {
	if k == ir.JoinRight {
		return ir.JoinRightSemi
	}
	return ir.JoinLeftSemi
}

// arrayJoin reads ClickHouse's [LEFT] ARRAY JOIN a AS x, b.
func (p *parser) arrayJoin() *ir.From {
	f := p.mem.froms.One()
	start := p.t.pos
	f.Kind, f.Join = ir.FromArrayJoin, ir.JoinCross
	for !p.word(kwJoin) && !p.is(tEOF) {
		if p.isWord(kwLeft) {
			p.mem.more(f).Outer = true
		}
		p.next()
	}
	mark := len(p.mem.itemStack)
	for {
		e := p.expr()
		p.mem.itemStack = append(p.mem.itemStack, p.aliased(e))
		if !p.accept(tComma) {
			break
		}
	}
	p.mem.more(f).Items = p.mem.takeItems(mark)
	f.Span = p.span(start)
	return f
}

// lateralView reads LATERAL VIEW [OUTER] f(x) alias AS a, b.
func (p *parser) lateralView() *ir.From {
	f := p.mem.froms.One()
	start := p.t.pos
	f.Kind, f.Join, f.Lateral = ir.FromLateralView, ir.JoinCross, true
	p.next()
	p.next()
	if p.word(kwOuter) {
		p.mem.more(f).Outer = true
	}
	f.Func = p.primary()
	if p.tableAlias() && !p.isWord(kwAs) {
		f.Alias = p.aliasIdent()
	}
	if p.word(kwAs) || f.Alias.Set() && p.tableAlias() {
		if p.is(tLParen) {
			f.Columns = p.identList()
		} else {
			f.Columns = p.viewColumns()
		}
	}
	f.Span = p.span(start)
	return f
}

// viewColumns reads the columns behind LATERAL VIEW .. AS. A comma may go on with
// the next element of FROM: then no column name and end of column follows.
func (p *parser) viewColumns() []ir.Ident {
	mark := len(p.mem.identStack)
	for {
		p.mem.identStack = append(p.mem.identStack, p.aliasIdent())
		if k := p.peek(2).kind; !p.is(tComma) || !anyPart(p.peek(1)) || k == tDot || k == tLParen {
			return p.mem.takeIdents(mark)
		}
		p.next()
	}
}

// fromElement reads one element of a FROM list.
func (p *parser) fromElement(kind ir.JoinKind) *ir.From {
	f := p.mem.froms.One()
	f.Join = kind
	start := p.t.pos
	if p.f.fromFirst && (p.is(tIdent) || p.is(tQuoted)) && p.peek(1).kind == tColon { // DuckDB: FROM alias: t
		f.Alias = p.aliasIdent()
		p.next()
	}
	p.element(f)
	p.elementSuffixes(f)
	f.Span = p.span(start)
	return f
}

// element reads the table, subquery or function of a FROM element.
func (p *parser) element(f *ir.From) {
	t, second := p.t, p.peek(1)
	switch t.kind {
	case tLParen:
		p.parenElement(f)
		return
	case tStage:
		p.pathElement(f, p.raw(t))
		return
	case tString:
		if p.char(t.pos) != '"' || !p.f.doubleQuoteStrings {
			p.pathElement(f, p.stringValue(t))
			return
		}
	case tColon:
		e := p.bind()
		f.Kind, f.Name = ir.FromTable, ir.Name{Parts: []ir.Ident{{Name: p.cut(int(e.Start), int(e.End)), Start: e.Start}}, Span: e.Span}
		return
	case tQuestion:
		p.next()
		f.Kind, f.Name = ir.FromTable, ir.Name{Parts: []ir.Ident{{Name: "?", Start: int32(t.pos)}}, Span: p.span(t.pos)}
		return
	case tIdent:
		if t.kw != 0 && p.keywordElement(f, second) {
			return
		}
	}
	if t.kind == tIdent && second.kind == tLParen && !p.f.tableStops.has(t.kw) && !p.hintParensAt(1) {
		p.functionElement(f)
		return
	}
	p.namedElement(f)
}

func (p *parser) pathElement(f *ir.From, path string) {
	f.Kind, p.mem.more(f).Path = ir.FromTable, path
	p.next()
	if p.is(tLParen) && (p.peek(1).kind == tIdent && p.peek(2).kind == tFatArrow) {
		p.skipBrackets()
	}
}

// namedElement reads a table by name, or a table function with a dotted name.
func (p *parser) namedElement(f *ir.From) {
	at := p.i
	n := p.name("a table")
	if p.is(tLParen) && p.t.pos == p.prev().end && !p.hintParens() {
		p.jump(at)
		p.functionElement(f)
		return
	}
	f.Kind, f.Name = ir.FromTable, n
	if p.is(tLBracket) && p.f.elementPaths { // FROM t.orders[0].lines
		p.jump(at)
		f.Kind, p.mem.more(f).Args = ir.FromUnnest, p.mem.args.Copy([]*ir.Expr{p.postfix(p.column())})
		return
	}
	p.pathInName(f)
	if p.is(tBang) && p.f.stages { // Snowflake: model!METHOD(..)
		p.jump(at)
		f.Kind = ir.FromFunc
		f.Func = p.postfix(p.primary())
	}
}

// hintParens tells T-SQL's old hints t (NOLOCK) from a function's arguments.
func (p *parser) hintParens() bool { return p.hintParensAt(0) }

func (p *parser) hintParensAt(n int) bool {
	if !p.f.noSemicolons {
		return false
	}
	switch p.peek(n + 1).kw {
	case kwNolock, kwReaduncommitted, kwUpdlock, kwHoldlock, kwTablock, kwTablockx, kwReadpast, kwRowlock, kwPaglock, kwIndex, kwXlock, kwNoexpand, kwForceseek, kwNowait, kwReadcommitted, kwSnapshot, kwSerializable, kwRepeatableread:
		return true
	}
	return false
}

// pathInName turns Spark's parquet.`/path` into a path.
func (p *parser) pathInName(f *ir.From) {
	parts := f.Name.Parts
	if len(parts) < 2 || parts[len(parts)-1].Quote != '`' || !p.f.pathTables {
		return
	}
	last := parts[len(parts)-1].Name
	if strings.ContainsAny(last, "/:") && fileFormats[strings.ToLower(parts[0].Name)] {
		p.mem.more(f).Path = last
	}
}

var fileFormats = wordsOf("parquet csv json orc delta text avro iceberg binaryfile xml hudi tsv jsonl")

// functionElement reads a table function.
func (p *parser) functionElement(f *ir.From) {
	f.Kind = ir.FromFunc
	f.Func = p.column()
	if (p.is(tDot) || p.is(tLBracket)) && f.Func.Kind == ir.ExprCall {
		f.Func = p.postfix(f.Func)
	}
	if p.isWord(kwWith) && p.peek(1).kind == tLParen && f.Func.Kind == ir.ExprCall && len(f.Func.Name) == 1 && openFunctions[strings.ToLower(f.Func.Name[0].Name)] {
		p.next()
		c, _ := f.Func.More.(*ir.Call)
		if c == nil {
			c = &ir.Call{}
			f.Func.More = c
		}
		c.Columns = p.tableColumns()
	} else if p.f.noSemicolons && p.isWord(kwWith) && f.Func.Kind == ir.ExprCall && len(f.Func.Name) == 1 && strings.EqualFold(f.Func.Name[0].Name, "openxml") {
		p.next()
		p.anyName() // the table whose columns it has
	}
}

var openFunctions = wordsOf("openjson openxml openrowset")

// valuesElement reads VALUES rows that stand for a table. ClickHouse's values('a Int', 1)
// is a function.
func (p *parser) valuesElement(f *ir.From, second token) bool {
	switch second.kind {
	case tLParen, tNumber, tString:
	default:
		return false
	}
	if p.f.typedBinds && second.kind == tLParen && p.peek(2).kind == tString {
		return false
	}
	p.next()
	f.Kind = ir.FromQuery
	f.Query = p.mem.query.One()
	start := p.prev().pos
	f.Query.Values = p.values()
	f.Query.Span = p.span(start)
	return true
}

// keywordElement reads the elements that a keyword starts.
func (p *parser) keywordElement(f *ir.From, second token) bool {
	switch p.t.kw {
	case kwLateral:
		p.next()
		f.Lateral = true
		p.element(f)
		return true
	case kwUnnest:
		if second.kind == tLParen {
			p.unnest(f)
			return true
		}
	case kwTable, kwThe:
		return p.tableKeyword(f, second)
	case kwValues:
		return p.valuesElement(f, second)
	case kwStream: // Databricks: STREAM t, STREAM read_files(..)
		third := p.peek(2).kind
		if p.f.name == "databricks" && anyPart(second) && (second.kw == 0 || third == tLParen || third == tDot) {
			p.next()
			p.element(f)
			return true
		}
	case kwOnly:
		if anyPart(second) || second.kind == tLParen {
			p.next()
			brackets := p.accept(tLParen)
			p.namedElement(f)
			if brackets {
				p.need(tRParen)
			}
			return true
		}
	case kwRows:
		if second.kw == kwFrom && p.peek(2).kind == tLParen {
			p.rowsFrom(f)
			return true
		}
	case kwIdentifier:
		if second.kind == tLParen {
			p.identifierElement(f)
			return true
		}
	case kwFinal, kwOld, kwNew:
		if second.kw == kwTable && p.peek(2).kind == tLParen {
			p.next()
			p.next()
			f.Kind, f.Query = ir.FromQuery, p.parenDML()
			return true
		}
	case kwPivot, kwUnpivot, kwSelect, kwFrom:
		if p.isWord(kwUnpivot) && p.f.operatorRuns { // Redshift: UNPIVOT t.object AS v AT k
			p.next()
			f.Kind, p.mem.more(f).Args = ir.FromUnnest, p.mem.args.Copy([]*ir.Expr{p.operand()})
			return true
		}
		if p.startsQuery() {
			f.Kind, f.Query = ir.FromQuery, p.query()
			return true
		}
	case kwSemanticView: // Snowflake: SEMANTIC_VIEW(v METRICS ..)
		if second.kind == tLParen {
			p.next()
			p.next()
			f.Kind, f.Name = ir.FromTable, p.name("a semantic view")
			p.closeCall()
			return true
		}
	}
	return false
}

// tableKeyword reads TABLE (..): a function, a query or a collection.
func (p *parser) tableKeyword(f *ir.From, second token) bool {
	switch second.kind {
	case tLParen:
	case tIdent, tQuoted, tString, tTemplate:
		if p.t.kw == kwThe {
			return false
		}
		if second.kind == tIdent && (p.f.reserved.has(second.kw) || clauseStarts.has(second.kw)) {
			f.Kind, f.Name = ir.FromTable, p.anyName() // a table of that name
			return true
		}
		p.next()
		p.element(f)
		return true
	default:
		if !p.isWord(kwTable) {
			return false
		}
		f.Kind, f.Name = ir.FromTable, p.anyName()
		return true
	}
	p.next()
	*f = tableArgInto(*f, p.tableArgContent())
	f.Lateral = true
	return true
}

// tableArgInto gives f the content of a table argument but keeps its join.
func tableArgInto(f ir.From, content *ir.From) ir.From {
	content.Join, content.Lateral = f.Join, f.Lateral
	return *content
}

// tableArg reads TABLE t, TABLE (query), TABLE (f(x)).
func (p *parser) tableArg() *ir.From {
	p.needWord(kwTable)
	if p.is(tLParen) {
		f := p.tableArgContent()
		if f.Kind == ir.FromUnnest && len(f.Rare().Args) == 1 && f.Rare().Args[0].Kind == ir.ExprColumn && !p.f.plsql {
			f.Kind, f.Name, p.mem.more(f).Args = ir.FromTable, ir.Name{Parts: f.Rare().Args[0].Name, Span: f.Rare().Args[0].Span}, nil
		}
		return f
	}
	f := p.mem.froms.One()
	start := p.t.pos
	p.element(f)
	if p.isWord(kwFor) {
		p.timeTravel(f)
	}
	if p.word(kwAs) {
		f.Alias = p.aliasIdent()
	} else if p.tableAlias() && !p.isAny(kwPartition, kwOrder, kwCluster, kwDistribute) {
		f.Alias = p.aliasIdent()
	}
	f.Span = p.span(start)
	return f
}

// tableArgContent reads (query), (f(x)) or (t) behind TABLE.
func (p *parser) tableArgContent() *ir.From {
	f := p.mem.froms.One()
	start := p.t.pos
	if p.queryBehindParens() {
		f.Kind, f.Query = ir.FromQuery, p.parenQuery()
		f.Span = p.span(start)
		return f
	}
	p.need(tLParen)
	e := p.expr()
	if p.isWord(kwAs) { // TABLE(x AS type): a cast collection
		p.skipElement()
	}
	p.need(tRParen)
	switch e.Kind {
	case ir.ExprCall:
		f.Kind, f.Func = ir.FromFunc, e
	case ir.ExprLiteral:
		f.Kind, f.Name = ir.FromTable, p.nameInString(e)
	case ir.ExprParam:
		call := p.node(ir.ExprCall, start)
		call.Name = p.mem.idents.Copy([]ir.Ident{{Name: "TABLE", Start: int32(start)}})
		call.Args = p.mem.args.Copy([]*ir.Expr{e})
		f.Kind, f.Func = ir.FromFunc, call
	default:
		f.Kind = ir.FromUnnest
		p.mem.more(f).Args = p.mem.args.Copy([]*ir.Expr{e})
	}
	f.Span = p.span(start)
	return f
}

// nameInString splits a name that is written in a string ('db.s.t').
func (p *parser) nameInString(e *ir.Expr) ir.Name {
	n := ir.Name{Span: e.Span}
	at := e.Start + 1
	for s := e.Text; ; {
		part, rest, more := cutName(s)
		id := ir.Ident{Name: part, Start: at}
		if len(part) > 1 && part[0] == '"' && part[len(part)-1] == '"' {
			id.Name, id.Quote = strings.ReplaceAll(part[1:len(part)-1], `""`, `"`), '"'
		}
		n.Parts = append(n.Parts, id)
		if !more {
			return n
		}
		at += int32(len(part)) + 1
		s = rest
	}
}

// cutName cuts a dotted name at its first dot outside quotes.
func cutName(s string) (part, rest string, more bool) {
	quoted := false
	for i := range len(s) {
		switch s[i] {
		case '"':
			quoted = !quoted
		case '.':
			if !quoted {
				return s[:i], s[i+1:], true
			}
		}
	}
	return s, "", false
}

// identifierElement reads IDENTIFIER('name'), or IDENTIFIER($variable) as a call
// whose table is not known.
func (p *parser) identifierElement(f *ir.From) {
	if t := p.peek(2); t.kind == tString && p.peek(3).kind == tRParen {
		p.next()
		p.next()
		e := p.stringLiteral()
		p.need(tRParen)
		f.Kind, f.Name = ir.FromTable, p.nameInString(e)
		for p.turn() && p.nameDot() {
			p.namePart()
			top := len(p.mem.identStack) - 1
			f.Name.Parts = append(f.Name.Parts, p.mem.identStack[top])
			p.mem.identStack = p.mem.identStack[:top]
		}
		return
	}
	f.Kind, f.Func = ir.FromFunc, p.column()
}

// rowsFrom reads ROWS FROM (f(..), g(..)) as the unnesting of several values.
func (p *parser) rowsFrom(f *ir.From) {
	p.next()
	p.next()
	p.need(tLParen)
	mark := len(p.mem.argStack)
	for {
		p.mem.argStack = append(p.mem.argStack, p.expr())
		if p.word(kwAs) {
			if !p.is(tLParen) {
				p.aliasIdent()
			}
			p.skipParens()
		}
		if !p.accept(tComma) {
			break
		}
	}
	p.need(tRParen)
	f.Kind, p.mem.more(f).Args = ir.FromUnnest, p.mem.takeArgs(mark)
}

// unnest reads UNNEST(a, b).
func (p *parser) unnest(f *ir.From) {
	p.next()
	q, list := p.parenList(nil)
	if q != nil {
		list = p.mem.args.Copy([]*ir.Expr{p.subqueryOf(q, p.prev().pos)})
	}
	f.Kind, p.mem.more(f).Args = ir.FromUnnest, list
}

// parenElement reads what stands in brackets in a FROM list: a query, or joined
// tables.
func (p *parser) parenElement(f *ir.From) {
	q, group := p.parenFrom()
	switch {
	case q != nil:
		f.Kind, f.Query = ir.FromQuery, q
	default:
		f.Kind, p.mem.more(f).Group = ir.FromGroup, group
	}
}

// parenFrom reads brackets that hold a query or joined tables.
func (p *parser) parenFrom() (*ir.Query, []*ir.From) {
	switch p.peek(1).kw {
	case kwInsert, kwUpdate, kwDelete, kwMerge:
		return p.parenDML(), nil
	}
	if !p.enter() {
		return &ir.Query{}, nil
	}
	defer p.leave()
	p.need(tLParen)
	if p.startsQuery() {
		q := p.query()
		p.need(tRParen)
		return q, nil
	}
	if !p.is(tLParen) {
		group := p.fromList()
		p.need(tRParen)
		return nil, group
	}
	start := p.t.pos
	q, group := p.parenFrom()
	if q != nil && (p.is(tRParen) || p.continuesQuery()) {
		q = p.queryFrom(q, start)
		p.need(tRParen)
		return q, nil
	}
	first := p.mem.froms.One()
	first.Kind, first.Query, p.mem.more(first).Group = ir.FromGroup, q, group
	if q != nil {
		first.Kind = ir.FromQuery
	}
	p.elementSuffixes(first)
	first.Span = p.span(start)
	group = p.fromListAfter(first)
	p.need(tRParen)
	return nil, group
}

// fromListAfter goes on with a FROM list whose first element has been read.
func (p *parser) fromListAfter(first *ir.From) []*ir.From {
	list := []*ir.From{first}
	for {
		p.turn()
		switch {
		case p.is(tComma):
			p.next()
			list = append(list, p.fromElement(ir.JoinComma))
			continue
		case p.isWord(kwOn) && p.lateCondition(list):
			continue
		}
		f, ok := p.joined()
		if !ok {
			return list
		}
		list = append(list, f)
	}
}

// elementSuffixes reads what may follow an element: alias, hints, samples, time
// travel, PIVOT and MATCH_RECOGNIZE, in any order.
func (p *parser) elementSuffixes(f *ir.From) {
	for p.turn() && p.elementSuffix(f) {
	}
}

func (p *parser) elementSuffix(f *ir.From) bool {
	switch p.t.kind {
	case tIdent:
	case tQuoted, tTemplate, tString:
		if f.Alias.Set() || f.Rare().Ops != nil || p.is(tString) && p.char(p.t.pos) != '"' {
			return false
		}
		p.tableAliasAndColumns(f)
		return true
	case tLParen:
		if p.hintParens() {
			p.skipBrackets()
			return true
		}
		if f.Kind == ir.FromQuery && f.Columns == nil && anyPart(p.peek(1)) && p.f.pathTables {
			f.Columns = p.identList() // Spark: (VALUES ..) (a, b)
			return true
		}
		return false
	case tLBracket:
		if p.f.bracketHints {
			p.skipBrackets()
			return true
		}
		return false
	case tStar: // PostgreSQL: t *
		if f.Kind == ir.FromTable && !f.Alias.Set() {
			p.next()
			return true
		}
		return false
	default:
		return false
	}
	if p.t.kw != 0 && p.wordSuffixOfElement(f) {
		return true
	}
	if f.Alias.Set() || f.Columns != nil || f.Rare().Defs != nil || f.Rare().Ops != nil {
		return false
	}
	if p.isWord(kwAs) || p.tableAlias() {
		p.tableAliasAndColumns(f)
		return !p.failed()
	}
	return false
}

// tableAliasAndColumns reads [AS] alias [(a, b)] or AS (a int, b text).
func (p *parser) tableAliasAndColumns(f *ir.From) {
	p.word(kwAs)
	if !p.is(tLParen) {
		f.Alias = p.aliasIdent()
	}
	if !p.is(tLParen) || p.hintParens() {
		return
	}
	if f.Kind == ir.FromFunc && (p.peek(2).kind == tIdent || p.peek(2).kind == tQuoted) {
		p.mem.more(f).Defs = p.typedColumns()
		return
	}
	f.Columns = p.identList()
}

// typedColumns reads (a int, b text).
func (p *parser) typedColumns() []ir.ColumnDef {
	p.need(tLParen)
	var defs []ir.ColumnDef
	for !p.is(tRParen) && !p.is(tEOF) {
		d := ir.ColumnDef{Name: p.aliasIdent()}
		if !p.is(tComma) && !p.is(tRParen) {
			d.Type = p.dataType()
		}
		p.skipElement()
		defs = append(defs, d)
		if !p.accept(tComma) {
			break
		}
	}
	p.need(tRParen)
	return defs
}

// wordSuffixOfElement reads a suffix that starts with a keyword.
func (p *parser) wordSuffixOfElement(f *ir.From) bool {
	second := p.peek(1)
	switch p.t.kw {
	case kwVersions: // Oracle
		if second.kw != kwBetween {
			return false
		}
		p.next()
		p.next()
		p.anyWord(kwTimestamp, kwScn)
		for _, kw := range []keyword{kwAnd, 0} {
			if !p.anyWord(kwMinvalue, kwMaxvalue) {
				more := p.mem.more(f)
				more.AsOf = append(more.AsOf, p.operand())
			}
			if kw != 0 {
				p.needWord(kw)
			}
		}
	case kwFor, kwVersion, kwTimestamp, kwAs, kwSystemTime:
		return p.timeTravel(f)
	case kwAt, kwBefore, kwChanges, kwEnd:
		if p.isWord(kwAt) && p.f.operatorRuns && anyPart(second) { // Redshift: the index of an array's element
			p.next()
			p.mem.more(f).Offset = p.aliasIdent()
			return true
		}
		if second.kind != tLParen || p.t.kw == kwEnd && !p.f.stages {
			return false
		}
		p.next()
		p.timeArguments(f)
	case kwTablesample, kwSample:
		if !p.clauseWord() {
			return false
		}
		p.sampleOf(f)
	case kwFinal:
		if !p.f.typedBinds {
			return false
		}
		p.next()
	case kwPivot:
		if second.kind != tLParen && second.kw != kwXml {
			return false
		}
		more := p.mem.more(f)
		more.Ops = append(more.Ops, p.pivot())
	case kwUnpivot:
		if second.kind != tLParen && second.kw != kwInclude && second.kw != kwExclude {
			return false
		}
		more := p.mem.more(f)
		more.Ops = append(more.Ops, p.unpivot())
	case kwMatchRecognize:
		if second.kind != tLParen {
			return false
		}
		more := p.mem.more(f)
		more.Ops = append(more.Ops, p.matchRecognize())
	case kwWith:
		return p.withSuffix(f, second)
	default:
		return p.hintSuffix(second)
	}
	return true
}

// withSuffix reads WITH ORDINALITY, WITH OFFSET, and T-SQL's WITH (hints).
func (p *parser) withSuffix(f *ir.From, second token) bool {
	switch {
	case second.kw == kwOrdinality:
		p.next()
		p.next()
		p.mem.more(f).Ordinality = true
	case second.kw == kwOffset:
		p.next()
		p.mem.more(f).Offset = p.ident(p.t)
		p.next()
		f.More.Offset = ir.Ident{Name: "offset", Start: f.More.Offset.Start}
		if p.word(kwAs) || p.tableAlias() {
			p.mem.more(f).Offset = p.aliasIdent()
		}
	case second.kind == tLParen && !p.f.withExpressions:
		p.next()
		p.skipBrackets()
	default:
		return false
	}
	return true
}

// hintSuffix skips index hints and partitions.
func (p *parser) hintSuffix(second token) bool {
	switch p.t.kw {
	case kwUse, kwForce, kwIgnore:
		if second.kw != kwIndex && second.kw != kwKey {
			return false
		}
		for !p.is(tLParen) && !p.ended() {
			p.next()
		}
		p.skipParens()
	case kwPartition, kwSubpartition, kwPartitions, kwTablet:
		if second.kw == kwFor {
			p.next()
			second = p.peek(1)
		}
		if second.kw == kwBy && p.f.plsql && p.peek(2).kind == tLParen { // Oracle: a partitioned outer join
			p.next()
			second = p.peek(1)
		}
		if second.kind != tLParen {
			return false
		}
		p.next()
		p.skipBrackets()
	case kwIndexed:
		if second.kw != kwBy {
			return false
		}
		p.next()
		p.next()
		p.aliasIdent()
	default:
		return false
	}
	return true
}

// timeTravel reads FOR SYSTEM_TIME AS OF x and the other ways to say it.
func (p *parser) timeTravel(f *ir.From) bool {
	n := 0
	if p.peek(n).kw == kwFor {
		n++
	}
	switch p.peek(n).kw {
	case kwSystemTime, kwSystemVersion, kwTimestamp, kwVersion, kwApplicationTime, kwBusinessTime:
		n++
	case kwSystem: // BigQuery: FOR SYSTEM TIME AS OF x
		if p.peek(n+1).kw != kwTime {
			return false
		}
		n += 2
	case kwPortion: // FOR PORTION OF period FROM a TO b
		if n == 0 || p.peek(n+1).kw != kwOf {
			return false
		}
		n += 3
	case kwAs:
		if n > 0 {
			return false
		}
	default:
		return false
	}
	first := p.peek(n).kw
	switch {
	case first == kwAs && p.peek(n+1).kw == kwOf:
		n += 2
	case n > 0 && (first == kwBetween || first == kwFrom || first == kwAll || first == kwContained) && p.t.kw == kwFor:
	default:
		return false
	}
	for range n {
		p.next()
	}
	switch {
	case first == kwAs:
		p.anyWord(kwTimestamp, kwScn)
		if e := p.operand(); e.Kind != ir.ExprLiteral {
			more := p.mem.more(f)
			more.AsOf = append(more.AsOf, e)
		}
	case p.word(kwAll):
	default:
		p.period(f)
	}
	return true
}

// period reads BETWEEN a AND b, FROM a TO b, CONTAINED IN (a, b).
func (p *parser) period(f *ir.From) {
	p.next()
	p.word(kwIn)
	more := p.mem.more(f)
	more.AsOf = append(more.AsOf, p.operand())
	if p.anyWord(kwAnd, kwTo) {
		more := p.mem.more(f)
		more.AsOf = append(more.AsOf, p.operand())
	}
}

// timeArguments reads the brackets of Snowflake's AT, BEFORE, CHANGES and END.
func (p *parser) timeArguments(f *ir.From) {
	c := ir.Call{}
	for _, e := range p.arguments(0, &c) {
		if e.Kind == ir.ExprNamedArg {
			e = e.Args[0]
		}
		if e.Kind != ir.ExprLiteral && e.Kind != ir.ExprColumn {
			more := p.mem.more(f)
			more.AsOf = append(more.AsOf, e)
		}
	}
}

// sampleOf reads TABLESAMPLE (..); Hive's may name a column: BUCKET 1 OUT OF 2 ON c.
func (p *parser) sampleOf(f *ir.From) {
	if p.peek(1).kind == tLParen && p.peek(2).kw == kwBucket {
		p.next()
		p.next()
		for !p.isWord(kwOn) && !p.is(tRParen) && !p.ended() {
			p.next()
		}
		if p.word(kwOn) {
			more := p.mem.more(f)
			more.AsOf = append(more.AsOf, p.expr())
		}
		p.need(tRParen)
		return
	}
	p.sample()
	if p.is(tIdent) && p.peek(1).kind == tLParen && p.peek(2).kind == tNumber && p.prev().kw != 0 && p.prev().kind == tIdent {
		p.next()
		p.skipBrackets()
	}
	if p.anyWord(kwRepeatable, kwSeed) {
		p.skipParens()
	}
}
