package grammar

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// creation is what the words between CREATE and the name say.
type creation struct {
	replace, alter, ifNotExists bool
	temporary, external         bool
	materialized                bool
	foreign, recursive          bool
}

// create reads CREATE of any object.
func (p *parser) create() ir.Node {
	verb := p.t.kw
	c := creation{replace: verb == kwReplace}
	p.next()
	for p.turn() && p.createModifier(&c) {
	}
	switch p.t.kw {
	case kwTable:
		p.next()
		return p.createTable(c)
	case kwView:
		p.next()
		return p.createView(c)
	case kwDictionary:
		p.next()
		return p.createObject(ir.ObjectDictionary, c)
	case kwFunction, kwMacro:
		return p.createRoutine(ir.ObjectFunction)
	case kwProcedure, kwProc:
		return p.createRoutine(ir.ObjectProcedure)
	case kwPackage:
		return p.createPackage()
	case kwTrigger:
		return p.createTrigger()
	case kwTask:
		return p.createTask(ir.ObjectTask)
	case kwEvent:
		if anyPart(p.peek(1)) && p.peek(1).kw != kwTable {
			return p.createTask(ir.ObjectEvent)
		}
	case kwJob:
		if p.f.bracketHints && anyPart(p.peek(1)) {
			return p.createTask(ir.ObjectEvent)
		}
	case kwPipe:
		return p.createTask(ir.ObjectPipe)
	case kwAlert:
		return p.createAlert()
	case kwRule:
		return p.createRule()
	}
	return p.createOther(c)
}

// createOther reads the objects that hold data in rarer forms, and skips those
// without lineage.
func (p *parser) createOther(c creation) ir.Node {
	switch p.t.kw {
	case kwStage:
		p.next()
		return p.createObject(ir.ObjectStage, c)
	case kwStream:
		p.next()
		return p.createObject(ir.ObjectStream, c)
	case kwModel:
		p.next()
		return p.createObject(ir.ObjectModel, c)
	case kwSynonym:
		p.next()
		return p.createSynonym()
	case kwCatalog:
		p.next()
		return p.createObject(ir.ObjectCatalog, c)
	case kwSchema, kwDatabase:
		return p.createSchema()
	case kwFlow:
		return p.createFlow()
	case kwRoutine, kwLoad:
		if p.isWords(kwRoutine, kwLoad) {
			return p.routineLoad()
		}
	}
	if !createWords.has(p.t.kw) {
		p.expected("TABLE, VIEW or another object to create")
		return nil
	}
	p.skipStatement()
	return &ir.Other{Verb: "CREATE"}
}

// createFlow reads Databricks' CREATE FLOW f AS INSERT .. or AS AUTO CDC INTO t FROM s ..
func (p *parser) createFlow() ir.Node {
	for !p.isWord(kwAs) && !p.ended() {
		p.skipToken()
	}
	p.needWord(kwAs)
	if p.isWord(kwInsert) {
		return p.dmlNode(nil)
	}
	return p.applyChanges() // AUTO CDC has two words, and goes on like APPLY CHANGES
}

// createModifier takes one word between CREATE and the kind of object.
func (p *parser) createModifier(c *creation) bool {
	second := p.peek(1)
	switch p.t.kw {
	case kwOr:
		p.next()
		c.replace = p.isWord(kwReplace) || p.isWord(kwRefresh)
		c.alter = p.isWord(kwAlter)
		if !p.anyWord(kwReplace, kwAlter, kwRefresh) {
			p.expected("REPLACE")
		}
	case kwAggregate, kwColumn:
		if second.kw != kwFunction && second.kw != kwTable {
			return false
		}
		p.next()
	case kwLive, kwStreaming, kwIncremental:
		c.materialized = c.materialized || second.kw == kwTable || second.kw == kwView
		p.next()
	case kwTemp, kwTemporary, kwVolatile:
		c.temporary = true
		p.next()
	case kwExternal:
		c.external = true
		p.next()
	case kwForeign:
		if second.kw != kwTable {
			return false
		}
		c.external, c.foreign = true, true
		p.next()
	case kwSnapshot, kwPersistent:
		if second.kw != kwTable && second.kw != kwSecret {
			return false
		}
		p.next()
	case kwRead: // Snowflake: READ ONLY TABLE
		if second.kw != kwOnly {
			return false
		}
		p.next()
		p.next()
	case kwMaterialized, kwDynamic:
		if second.kw != kwView && second.kw != kwTable && second.kw != kwIceberg && second.kw != kwQuery {
			return false
		}
		c.materialized = true
		p.next()
	case kwWindow:
		if second.kw != kwView {
			return false
		}
		c.materialized = true
		p.next()
	case kwRecursive:
		c.recursive = second.kw == kwView
		p.next()
	default:
		return p.plainModifier()
	}
	return true
}

// plainModifier takes a word between CREATE and the kind of object that matters to
// no lineage.
func (p *parser) plainModifier() bool {
	switch p.t.kw {
	case kwAlgorithm, kwDefiner, kwSql:
		p.next()
		for !p.isAny(kwSql, kwView, kwProcedure, kwFunction, kwTrigger, kwEvent, kwDefiner, kwAlgorithm) && !p.ended() {
			p.skipToken()
		}
		if p.isWord(kwSql) && p.peek(1).kw != kwSecurity {
			p.next()
		}
	case kwSecurity:
		if p.peek(1).kw == kwPolicy || p.peek(1).kw == kwLabel {
			return false
		}
		p.next()
		p.next()
	default:
		if !createModifiers.has(p.t.kw) {
			return false
		}
		p.next()
		p.word(kwForce)
	}
	return true
}

// ifNotExists takes IF NOT EXISTS.
func (p *parser) ifNotExists() bool { return p.words(kwIf, kwNot, kwExists) }

// createTable reads CREATE TABLE behind the word TABLE.
func (p *parser) createTable(c creation) ir.Node {
	if p.isWord(kwFunction) {
		return p.createRoutine(ir.ObjectFunction)
	}
	c.ifNotExists = p.ifNotExists()
	name := p.objectName("the name of the table")
	if c.materialized {
		return p.viewBehindName(c, name)
	}
	t := &ir.CreateTable{Object: ir.ObjectTable, Name: name, OrReplace: c.replace, IfNotExists: c.ifNotExists || p.ifNotExists(), Temporary: c.temporary, External: c.external}
	p.tableColumnsAndClauses(t)
	return t
}

// tableColumnsAndClauses reads the column list, which stands behind the name if at
// all, and the clauses of a definition.
func (p *parser) tableColumnsAndClauses(t *ir.CreateTable) {
	if p.isWord(kwUuid) && p.peek(1).kind == tString {
		p.next()
		p.next()
	}
	p.onCluster()
	if p.is(tLParen) && !p.queryBehindParens() {
		p.columnDefs(t)
	}
	for p.turn() && p.tableClause(t) {
	}
}

// objectName reads the name of what is created; Snowflake takes
// IDENTIFIER('name').
func (p *parser) objectName(what string) ir.Name {
	if p.isWord(kwIdentifier) && p.peek(1).kind == tLParen {
		f := p.mem.froms.One()
		p.identifierElement(f)
		if f.Func != nil {
			return ir.Name{Parts: []ir.Ident{{Name: p.cut(int(f.Func.Start), int(f.Func.End)), Start: f.Func.Start}}, Span: f.Func.Span}
		}
		return f.Name
	}
	if p.is(tIdent) && p.peek(1).kind == tDot {
		return p.anyName()
	}
	return p.name(what)
}

// createObject reads a dictionary, stage, stream, model or catalog, whose clauses
// are those of tables.
func (p *parser) createObject(o ir.Object, c creation) ir.Node {
	ifNot := p.ifNotExists()
	t := &ir.CreateTable{Object: o, OrReplace: c.replace, IfNotExists: ifNot, Temporary: c.temporary, External: c.external}
	t.Name = p.objectName("the name of the " + string(o))
	p.tableColumnsAndClauses(t)
	return t
}

// tableClause reads one clause of CREATE TABLE.
func (p *parser) tableClause(t *ir.CreateTable) bool {
	second := p.peek(1)
	switch p.t.kind {
	case tLParen:
		switch {
		case p.queryBehindParens():
			t.As = p.query()
		case t.PartitionOf.Set() && t.Columns == nil && p.prev().end == uint32(t.PartitionOf.End):
			p.columnDefs(t)
		default:
			p.skipBrackets()
		}
		return true
	case tIdent, tQuoted:
	default:
		if p.ended() || p.is(tRParen) {
			return false
		}
		if p.f.noSemicolons {
			return false
		}
		p.skipToken()
		return true
	}
	switch p.t.kw {
	case kwAs:
		return p.tableAs(t)
	case kwSelect, kwValues, kwFrom:
		if p.startsQuery() && p.prev().kw != kwValues {
			t.As = p.query()
			return true
		}
	case kwWith:
		return p.tableWith(t, second)
	case kwLike:
		p.next()
		p.likeClause(t)
		return true
	case kwClone, kwShallow, kwDeep, kwCopy:
		if p.cloneClause(t, second) {
			return true
		}
	case kwUsing, kwEngine, kwStored, kwLocation, kwUrl, kwTblproperties, kwProperties, kwOptions, kwSettings, kwSource, kwConnection:
		if p.storageClause(t, second) {
			return true
		}
	case kwPartitioned, kwPartition, kwInherits, kwOn, kwRow:
		if p.placementClause(t, second) {
			return true
		}
	}
	return p.skipTableClause()
}

// skipTableClause skips a word of a clause that matters to no lineage.
func (p *parser) skipTableClause() bool {
	if p.stopsTable() {
		return false
	}
	p.next()
	if p.is(tEq) {
		p.next()
		if !p.ended() && !p.is(tLParen) {
			p.skipToken()
		}
	}
	return true
}

// stopsTable tells whether a word starts the next statement of a script without
// semicolons, or ends a body.
func (p *parser) stopsTable() bool {
	if !p.f.noSemicolons {
		return false
	}
	return p.statementFollows() || p.isAny(kwEnd, kwElse)
}

// tableAs reads what follows AS.
func (p *parser) tableAs(t *ir.CreateTable) bool {
	p.next()
	switch {
	case p.startsQuery() || p.is(tLParen) && p.queryBehindParens():
		t.NoData = p.before(kwEmpty, kwAs)
		t.As = p.query()
		t.NoData = t.NoData || p.before(kwNo, kwData)
		t.NoData = p.withData() || t.NoData
	case p.isAny(kwExecute, kwCall, kwExec):
		t.AsStatement = p.statement()
	case p.isAny(kwPickle, kwFiletable, kwNode, kwEdge, kwOf):
		p.next()
	case p.is(tBody) || p.is(tString):
		p.next()
	case p.isAny(kwClone, kwCopy):
		p.next()
		p.word(kwOf)
		t.Clone = p.name("a table")
	case p.isWord(kwWith):
		t.As = p.query()
	case (p.is(tIdent) || p.is(tQuoted)) && p.peek(1).kind == tLParen:
		e := p.column() // ClickHouse: AS s3(..)
		f := p.mem.froms.One()
		f.Kind, f.Func, f.Span = ir.FromFunc, e, e.Span
		t.As = p.starFrom(f)
	case p.nameStart():
		t.Like = append(t.Like, p.anyName())
	default:
		p.expected("a query")
	}
	return true
}

// before tells whether the two words stand right before the current token.
func (p *parser) before(first, second keyword) bool {
	return p.i > 1 && p.toks[p.i-2].kw == first && p.toks[p.i-1].kw == second
}

// starFrom makes SELECT * FROM an element.
func (p *parser) starFrom(f *ir.From) *ir.Query {
	s := p.mem.selcts.One()
	s.Items, s.From, s.Span = p.starItem(uint32(f.Start)), []*ir.From{f}, f.Span
	q := p.mem.query.One()
	q.Select, q.Span = s, f.Span
	return q
}

// withData skips WITH [NO] DATA and its like behind the query of a definition, and tells
// whether it says NO DATA.
func (p *parser) withData() (none bool) {
	for {
		p.turn()
		switch {
		case p.isWord(kwWith) && p.peek(1).kind == tIdent && p.peek(2).kw != kwAs:
			p.next()
			for p.anyWord(kwNo, kwData, kwCascaded, kwLocal, kwCheck, kwOption, kwRead, kwOnly, kwSchema, kwBinding, kwStatistics, kwAnd, kwReload, kwMetadata, kwConstraint, kwCompensation, kwEvolution, kwType) {
				switch {
				case p.prev().kw == kwConstraint:
					p.aliasIdent()
				case p.prev().kw == kwNo && p.isWord(kwData):
					none = true
				}
			}
		case p.isWord(kwComment):
			p.next()
			p.accept(tEq)
			p.next()
		case p.isWord(kwConstraint):
			p.next()
			p.aliasIdent()
		case p.isWord(kwOn) && (p.peek(1).kw == kwCommit || p.peek(1).kw == kwRollback):
			p.next()
			p.next()
			for p.anyWord(kwPreserve, kwDelete, kwDrop, kwRows, kwDefinition) {
			}
		default:
			return none
		}
	}
}

// tableWith reads WITH: options, a query, or another clause.
func (p *parser) tableWith(t *ir.CreateTable, second token) bool {
	switch {
	case second.kind == tLParen:
		p.next()
		t.Options = append(t.Options, p.options()...)
	case (second.kw == kwTag || second.kw == kwTags) && p.peek(2).kind == tLParen && p.peek(3).kind != tRParen && !p.queryAt(3):
		p.next()
		p.next()
		p.skipParens()
	case (second.kind == tIdent || second.kind == tQuoted) && (p.peek(2).kw == kwAs || p.peek(2).kind == tLParen && p.afterParensAt(2, 400).kw == kwAs) || second.kw == kwRecursive:
		t.As = p.query()
	default:
		p.next()
		if !p.ended() {
			p.next()
		}
	}
	return true
}

// likeClause reads LIKE t with its options, and LIKE PARQUET 'path'.
func (p *parser) likeClause(t *ir.CreateTable) {
	if p.is(tIdent) && p.peek(1).kind == tString {
		p.next()
		p.next()
		return
	}
	t.Like = append(t.Like, p.name("a table"))
	if p.is(tLParen) {
		p.skipBrackets()
	}
	for p.anyWord(kwIncluding, kwExcluding, kwOverwriting) {
		p.next()
	}
}

// cloneClause reads CLONE, SHALLOW CLONE, DEEP CLONE and COPY.
func (p *parser) cloneClause(t *ir.CreateTable, second token) bool {
	switch {
	case p.isAny(kwShallow, kwDeep):
		if second.kw != kwClone {
			return false
		}
		p.next()
	case p.isWord(kwCopy) && !anyPart(second), second.kw == kwGrants, second.kw == kwTags:
		return false
	}
	p.next()
	p.word(kwAs)
	t.Clone = p.name("a table")
	if p.isAny(kwAt, kwBefore) {
		p.next()
		p.skipParens()
	}
	if p.isAny(kwVersion, kwTimestamp, kwFor) {
		f := p.mem.froms.One()
		p.timeTravel(f)
	}
	return true
}

// storageClause reads the clauses that say what stands behind a table.
func (p *parser) storageClause(t *ir.CreateTable, second token) bool {
	switch p.t.kw {
	case kwUsing:
		if second.kw == kwTemplate {
			p.next()
			p.next()
			p.skipParens()
			return true
		}
		p.next()
		t.Engine = p.dottedWord()
	case kwEngine:
		p.next()
		p.accept(tEq)
		t.Engine = p.dottedWord()
		if p.is(tLParen) {
			c := ir.Call{}
			t.EngineArgs = p.arguments(0, &c)
		}
	case kwStored:
		p.next()
		by := p.isWord(kwBy)
		p.next()
		if p.is(tString) {
			if by {
				t.Engine = p.stringValue(p.t)
			}
			p.next()
		}
	case kwLocation, kwUrl:
		p.next()
		p.accept(tEq)
		switch {
		case p.is(tString):
			t.Location = p.stringValue(p.t)
			p.next()
		case p.is(tStage):
			t.Location = p.raw(p.t)
			p.next()
		case p.is(tLParen) && p.peek(1).kind == tString: // Greenplum: LOCATION ('url', 'url')
			list := p.node(ir.ExprArray, p.t.pos)
			_, list.Args = p.parenList(nil)
			t.Options = append(t.Options, ir.Option{Name: "uris", Value: list})
		}
	case kwTblproperties, kwProperties, kwOptions:
		if second.kind != tLParen {
			return false
		}
		p.next()
		t.Options = append(t.Options, p.options()...)
	case kwSettings:
		p.next()
		t.Options = append(t.Options, p.settings()...)
	case kwSource:
		if second.kind != tLParen {
			return false
		}
		p.next()
		t.Options = append(t.Options, ir.Option{Name: "source", Items: p.dictionarySource()})
	default:
		return false
	}
	return true
}

// dottedWord reads a name such as org.apache.spark.sql.jdbc as one word.
func (p *parser) dottedWord() string {
	start := p.t
	if !anyPart(p.t) {
		p.expected("a name")
		return ""
	}
	p.next()
	for p.is(tDot) && anyPart(p.peek(1)) {
		p.next()
		p.next()
	}
	return strings.Trim(p.between(start), "`\"'")
}

// dictionarySource reads (NAME(KEY value KEY value ..)), nested.
func (p *parser) dictionarySource() []ir.Option {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	var list []ir.Option
	p.need(tLParen)
	for p.turn() && !p.is(tRParen) && !p.is(tEOF) {
		if !anyPart(p.t) {
			p.skipToken()
			continue
		}
		o := ir.Option{Name: strings.ToLower(p.aliasIdent().Name)}
		switch {
		case p.is(tLParen):
			o.Items = p.dictionarySource()
		case !p.is(tRParen):
			o.Value = p.prefix(precPower)
		}
		list = append(list, o)
	}
	p.need(tRParen)
	return list
}

// placementClause reads PARTITIONED BY, INHERITS, PARTITION OF, a stream's ON, and
// ROW FORMAT.
func (p *parser) placementClause(t *ir.CreateTable, second token) bool {
	switch p.t.kw {
	case kwPartitioned:
		if second.kw != kwBy {
			return false
		}
		p.next()
		p.next()
		if p.is(tLParen) {
			p.partitionedBy(t)
		}
	case kwPartition:
		switch second.kw {
		case kwOf:
			p.next()
			p.next()
			t.PartitionOf = p.name("a table")
		case kwBy:
			p.next()
			p.next()
			p.partitionBy()
		default:
			return false
		}
	case kwInherits:
		p.next()
		p.need(tLParen)
		t.Inherits = p.nameList("a table")
		p.need(tRParen)
	case kwOn:
		p.next()
		p.onClause(t)
	case kwRow:
		if second.kw != kwFormat {
			return false
		}
		p.rowFormat()
	}
	return true
}

// onClause reads what follows ON: a stream's base, ON COMMIT, or a file group.
func (p *parser) onClause(t *ir.CreateTable) {
	switch {
	case t.Object == ir.ObjectStream:
		p.anyWord(kwExternal, kwDirectory, kwDynamic, kwEvent)
		p.anyWord(kwTable, kwView, kwStage)
		if p.nameStart() {
			t.On = p.anyName()
		}
	case p.word(kwCommit):
		for p.anyWord(kwPreserve, kwDelete, kwDrop, kwRows, kwDefinition) {
		}
	case anyPart(p.t):
		p.next()
		p.skipParens()
	}
}

// partitionBy skips the expression of PARTITION BY, with the partitions in brackets
// behind it.
func (p *parser) partitionBy() {
	if p.anyWord(kwRange, kwList, kwHash, kwLinear, kwKey, kwSystem, kwReference) {
		p.anyWord(kwHash, kwKey, kwColumns)
		p.skipParens()
	} else {
		p.expr()
	}
	if p.is(tLParen) && p.peek(1).kw != kwSelect && p.peek(1).kw != kwWith {
		p.skipBrackets()
	}
}

// partitionedBy reads (c INT, d STRING), which are columns, or (c, bucket(4, d)),
// which name columns.
func (p *parser) partitionedBy(t *ir.CreateTable) {
	p.need(tLParen)
	for !p.is(tRParen) && !p.is(tEOF) {
		switch next := p.peek(1); {
		case !anyPart(p.t):
			p.skipElement()
		case next.kind == tComma || next.kind == tRParen:
			t.PartitionBy = append(t.PartitionBy, p.aliasIdent())
		case next.kind == tLParen:
			p.skipElement()
		default:
			def, _ := p.columnDef()
			t.Columns = append(t.Columns, def)
		}
		if !p.accept(tComma) {
			break
		}
	}
	p.need(tRParen)
}

// columnDefs reads the column list of CREATE TABLE.
func (p *parser) columnDefs(t *ir.CreateTable) {
	p.need(tLParen)
	t.Columns = []ir.ColumnDef{}
	for !p.is(tRParen) && !p.is(tEOF) {
		switch {
		case p.isWord(kwLike) && anyPart(p.peek(1)):
			p.next()
			p.likeClause(t)
			p.skipElement()
		case p.tableConstraint():
			p.skipElement()
		default:
			def, ok := p.columnDef()
			if ok {
				t.Columns = append(t.Columns, def)
			}
		}
		if !p.accept(tComma) {
			break
		}
	}
	p.need(tRParen)
}

// tableConstraint tells whether an element of a column list is no column.
func (p *parser) tableConstraint() bool {
	second := p.peek(1)
	switch p.t.kw {
	case kwPrimary:
		return second.kw == kwKey
	case kwForeign:
		return second.kw == kwKey
	case kwConstraint, kwProjection:
		return second.kind == tIdent || second.kind == tQuoted
	case kwUnique:
		return second.kind == tLParen || second.kw == kwKey || second.kw == kwIndex || second.kw == kwClustered || second.kw == kwNonclustered || p.peek(2).kind == tLParen
	case kwCheck, kwExclude, kwSupplemental:
		return second.kind == tLParen || second.kw == kwUsing || second.kw == kwLog
	case kwKey, kwIndex:
		return second.kind == tLParen || p.peek(2).kind == tLParen && !typeWords.has(second.kw) || p.peek(2).kw == kwUsing || p.f.typedBinds && p.t.kw == kwIndex
	case kwFulltext, kwSpatial, kwVector:
		return second.kw == kwKey || second.kw == kwIndex || second.kind == tLParen
	case kwPeriod:
		return second.kw == kwFor
	}
	return false
}

// columnDef reads one column of a definition. It is false for what is none.
func (p *parser) columnDef() (ir.ColumnDef, bool) {
	d := ir.ColumnDef{}
	if !anyPart(p.t) {
		p.expected("a column name")
		return d, false
	}
	if p.isWord(kwWatermark) && p.peek(1).kw == kwFor {
		return p.watermark(), true
	}
	d.Name = p.aliasIdent()
	for p.is(tDot) && anyPart(p.peek(1)) { // ClickHouse: nest.x Array(Int)
		p.next()
		part := p.aliasIdent()
		d.Name.Name += "." + part.Name
		d.Name.Lower = d.Name.Lower && part.Lower
	}
	if p.is(tColon) {
		p.next()
	}
	if anyPart(p.t) && (!p.is(tIdent) || !columnWords.has(p.t.kw)) {
		d.Type, d.Fields = p.typeWithFields()
	}
	for p.turn() && p.columnClause(&d) {
	}
	return d, true
}

// watermark reads Flink's WATERMARK FOR c AS e.
func (p *parser) watermark() ir.ColumnDef {
	p.next()
	p.next()
	d := ir.ColumnDef{Name: p.aliasIdent(), Watermark: true}
	for p.is(tDot) {
		p.next()
		p.aliasIdent()
	}
	p.needWord(kwAs)
	d.Computed = p.expr()
	return d
}

// columnClause reads one clause behind a column's type.
func (p *parser) columnClause(d *ir.ColumnDef) bool {
	if p.is(tComma) || p.is(tRParen) || p.ended() {
		return false
	}
	second := p.peek(1)
	switch p.t.kw {
	case kwAs, kwMaterialized, kwAlias, kwExpression:
		if p.isWord(kwAs) && (second.kw == kwIdentity || second.kw == kwRow) {
			p.skipElement()
			return false
		}
		p.next()
		d.Computed = p.expr()
	case kwGenerated:
		p.next()
		p.word(kwAlways)
		if p.isWord(kwAs) && p.peek(1).kind == tLParen {
			p.next()
			d.Computed = p.expr()
		}
	case kwMetadata:
		p.next()
		if p.word(kwFrom) && p.is(tString) {
			d.From = p.stringValue(p.t)
			p.next()
		}
		d.Virtual = p.word(kwVirtual)
	case kwDefault:
		p.next()
		p.defaultValue()
	default:
		p.skipToken()
	}
	return true
}

// defaultValue skips a column's default.
func (p *parser) defaultValue() {
	p.word(kwOn)
	p.word(kwNull)
	for n := 0; !p.is(tComma) && !p.is(tRParen) && !p.ended(); n++ {
		if n > 0 && p.isAny(kwNot, kwComment, kwGenerated, kwPrimary, kwUnique, kwReferences, kwCheck, kwConstraint, kwCodec) {
			return
		}
		p.skipToken()
	}
}

// createView reads CREATE VIEW behind the word VIEW.
func (p *parser) createView(c creation) ir.Node {
	if c.materialized && p.isWord(kwLog) && p.peek(1).kw == kwOn {
		p.skipStatement()
		return &ir.Other{Verb: "CREATE"}
	}
	c.ifNotExists = p.ifNotExists()
	return p.viewBehindName(c, p.objectName("the name of the view"))
}

// viewBehindName reads a view behind its name.
func (p *parser) viewBehindName(c creation, name ir.Name) ir.Node {
	v := &ir.CreateView{Name: name, OrReplace: c.replace, IfNotExists: c.ifNotExists, Alter: c.alter, Temporary: c.temporary, Materialized: c.materialized}
	p.ifNotExists()
	p.onCluster()
	if p.is(tLParen) && !p.queryBehindParens() {
		v.Columns = p.viewColumnDefs()
	}
	for p.turn() && v.Query == nil && p.viewClause(v) {
	}
	if v.Query == nil && v.Engine == "" && !p.failed() && !c.materialized {
		p.expected("AS and a query")
	}
	p.withData()
	for v.Query == nil && !p.ended() {
		p.skipToken()
	}
	if c.recursive && v.Query != nil {
		v.Query = p.recursiveView(v)
	}
	return v
}

// recursiveView is the query of CREATE RECURSIVE VIEW: the view's name in it means its own
// rows, as that of a recursive CTE does.
func (p *parser) recursiveView(v *ir.CreateView) *ir.Query {
	c := p.mem.ctes.One()
	c.Name, c.Query, c.Span = v.Name.Last(), v.Query, v.Query.Span
	for i := range v.Columns {
		c.Columns = append(c.Columns, v.Columns[i].Name)
	}
	f := p.mem.froms.One()
	f.Kind, f.Name, f.Span = ir.FromTable, ir.Name{Parts: []ir.Ident{c.Name}, Span: v.Name.Span}, v.Name.Span
	q := p.starFrom(f)
	q.With = &ir.With{Recursive: true, CTEs: p.mem.cteLists.Append(nil, c)}
	return q
}

// viewClause reads one clause of CREATE VIEW.
func (p *parser) viewClause(v *ir.CreateView) bool {
	if p.ended() {
		return false
	}
	second := p.peek(1)
	switch {
	case p.is(tLParen):
		late := p.prev().kind == tString || p.prev().kw == kwGrants // UUID '..', COPY GRANTS
		if v.Columns == nil && late && !p.queryBehindParens() {
			v.Columns = p.viewColumnDefs()
			return true
		}
		p.skipBrackets()
	case p.isWord(kwAs) && (p.queryAt(1) || second.kind == tLParen):
		p.next()
		v.Query = p.query()
	case p.isWord(kwAs) && second.kind == tBody: // metrics in YAML
		p.next()
		p.next()
		v.Engine = "metrics"
	case p.isWord(kwAs) && (second.kind == tTemplate || second.kind == tBlock):
		p.next()
		p.expected("a query")
	case p.isWord(kwTo) && anyPart(second):
		p.next()
		v.To = p.name("the target table")
		if p.is(tLParen) && !p.queryBehindParens() {
			v.ToColumns = p.viewColumnDefs()
		}
	case p.isWord(kwUsing) && v.Engine == "" && !v.Materialized:
		p.next()
		v.Engine = p.dottedWord()
	case p.isWord(kwEngine):
		p.next()
		p.accept(tEq)
		v.Engine = p.dottedWord()
		p.skipParens()
	case p.isAny(kwOptions, kwTblproperties, kwProperties) && second.kind == tLParen, p.isWord(kwWith) && second.kind == tLParen:
		p.next()
		v.Options = append(v.Options, p.options()...)
	case p.isWord(kwSelect), p.isWord(kwWith) && p.peek(2).kw == kwAs && p.peek(3).kind == tLParen:
		p.expected("AS")
	default:
		p.skipToken()
	}
	return true
}

// viewColumnDefs reads the column list of a view; constraints in it are dropped.
func (p *parser) viewColumnDefs() []ir.ColumnDef {
	t := ir.CreateTable{}
	p.columnDefs(&t)
	return t.Columns
}

// createSynonym reads CREATE SYNONYM s FOR t.
func (p *parser) createSynonym() ir.Node {
	p.ifNotExists()
	t := &ir.CreateTable{Object: ir.ObjectSynonym, Name: p.name("the name of the synonym")}
	p.needWord(kwFor)
	t.On = p.name("a table")
	return t
}

// createSchema reads CREATE SCHEMA and DATABASE. Snowflake goes to what it creates;
// ClickHouse's may stand for the database of another system.
func (p *parser) createSchema() ir.Node {
	t := &ir.CreateTable{Object: ir.ObjectSchema}
	if p.f.stages && p.isWord(kwDatabase) {
		t.Object = ir.ObjectCatalog
	}
	p.next()
	if !p.f.stages && !p.f.typedBinds {
		p.skipStatement()
		return &ir.Other{Verb: "CREATE"}
	}
	p.ifNotExists()
	t.Name = p.objectName("a name")
	p.onCluster()
	if p.isWord(kwEngine) {
		p.storageClause(t, p.peek(1))
	}
	p.skipStatement()
	return t
}

// createRule reads PostgreSQL's CREATE RULE .. DO INSTEAD statement.
func (p *parser) createRule() ir.Node {
	r := &ir.CreateRoutine{Object: ir.ObjectTrigger}
	p.next()
	r.Name = p.name("the name of the rule")
	for !p.isWord(kwTo) && !p.ended() {
		p.next()
	}
	p.needWord(kwTo)
	r.On = p.name("a table")
	if p.word(kwWhere) {
		r.When = p.expr()
	}
	p.needWord(kwDo)
	p.anyWord(kwInstead, kwAlso)
	switch {
	case p.word(kwNothing):
	case p.accept(tLParen):
		r.Body = p.body(func() bool { return p.is(tRParen) })
		p.need(tRParen)
	default:
		r.Body = []*ir.Statement{p.statement()}
	}
	return r
}
