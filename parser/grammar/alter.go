package grammar

import (
	"slices"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// alter reads ALTER of any object.
func (p *parser) alter() ir.Node {
	second := p.peek(1)
	switch second.kw {
	case kwTable:
		p.next()
		p.next()
		return p.alterTable(ir.ObjectTable)
	case kwView, kwMaterialized, kwDynamic:
		return p.alterView()
	case kwAlgorithm, kwDefiner, kwSql: // MySQL: ALTER DEFINER = u VIEW v AS ..
		p.next()
		for p.turn() && p.plainModifier() {
		}
		p.needWord(kwView)
		return p.viewBehindName(creation{alter: true}, p.name("a view"))
	case kwSession:
		return p.alterSession()
	case kwProcedure, kwProc, kwFunction, kwTrigger:
		return p.alterRoutine()
	case kwExternal, kwForeign, kwIceberg, kwHybrid, kwInteractive:
		if p.peek(2).kw == kwTable {
			p.next()
			p.next()
			p.next()
			return p.alterTable(ir.ObjectTable)
		}
	case kwStreaming:
		p.next()
		p.next()
		p.next()
		return p.alterTable(ir.ObjectTable)
	case kwDatabase, kwSchema, kwDictionary:
		return p.alterNamed(second)
	}
	if !createWords.has(second.kw) && !alterWords.has(second.kw) {
		p.next()
		p.expected("TABLE, VIEW or another object to alter")
		return nil
	}
	return p.other()
}

// alterNamed reads RENAME and SWAP of schemas and dictionaries.
func (p *parser) alterNamed(second token) ir.Node {
	object := ir.ObjectSchema
	if second.kw == kwDictionary {
		object = ir.ObjectDictionary
	}
	if !anyPart(p.peek(2)) {
		return p.other()
	}
	p.next()
	p.next()
	p.words(kwIf, kwExists)
	name := p.anyName()
	if n := p.renameOrSwap(object, name); n != nil {
		return n
	}
	if p.f.noSemicolons && strings.EqualFold(p.raw(p.t), "transfer") {
		return p.transferObject(name)
	}
	p.skipStatement()
	return &ir.Other{Verb: "ALTER"}
}

// transferObject reads T-SQL's ALTER SCHEMA s TRANSFER [OBJECT::] t, which moves a name.
func (p *parser) transferObject(schema ir.Name) ir.Node {
	p.next()
	if p.peek(1).kind == tCast {
		if !strings.EqualFold(p.raw(p.t), "object") {
			p.skipStatement()
			return &ir.Other{Verb: "ALTER"}
		}
		p.next()
		p.next()
	}
	from := p.name("a table")
	to := schema
	to.Parts = append(slices.Clone(schema.Parts), from.Last())
	return &ir.RenameStmt{Object: ir.ObjectTable, Pairs: []ir.RenamePair{{From: from, To: to}}}
}

// renameOrSwap reads RENAME TO n and SWAP WITH n behind ALTER .. name.
func (p *parser) renameOrSwap(object ir.Object, name ir.Name) ir.Node {
	r := &ir.RenameStmt{Object: object}
	switch {
	case p.words(kwRename, kwTo), p.words(kwRename, kwAs), p.isWord(kwRename) && anyPart(p.peek(1)) && p.peek(1).kw != kwColumn && p.peek(1).kw != kwPartition && p.peek(1).kw != kwIndex && p.peek(1).kw != kwConstraint && p.peek(1).kw != kwKey && p.peek(1).kw != kwRollup && p.peek(2).kw != kwTo && p.peek(2).kw != kwAs && p.word(kwRename):
	case p.words(kwSwap, kwWith):
		r.Swap = true
		p.word(kwTable)
	case p.words(kwSet, kwSchema): // PostgreSQL: the name moves to another schema
		to := p.objectName("a schema")
		to.Parts = append(to.Parts, name.Last())
		r.Pairs = []ir.RenamePair{{From: name, To: to}}
		return r
	default:
		return nil
	}
	r.Pairs = []ir.RenamePair{{From: name, To: p.objectName("the new name")}}
	return r
}

// alterTable reads ALTER TABLE behind the word TABLE.
func (p *parser) alterTable(object ir.Object) ir.Node {
	p.words(kwIf, kwExists)
	p.word(kwOnly)
	name := p.objectName("a table")
	p.onCluster()
	if n := p.renameOrSwap(object, name); n != nil {
		return n
	}
	if p.f.typedBinds {
		if n := p.mutation(name); n != nil {
			return n
		}
	}
	if n := p.replaceWithTable(name); n != nil {
		return n
	}
	a := &ir.Alter{Object: object, Name: name}
	for p.turn() && !p.ended() && !p.stopsAlter() {
		before := p.i
		p.alterAction(a)
		for !p.is(tComma) && !p.ended() && !p.stopsAlter() && (p.i == before || !p.alterVerb()) {
			p.skipToken()
		}
		p.accept(tComma)
	}
	return a
}

// replaceWithTable reads Doris's REPLACE WITH TABLE t, which swaps the two unless
// PROPERTIES ('swap' = 'false') has the other one take the name.
func (p *parser) replaceWithTable(name ir.Name) ir.Node {
	if !p.words(kwReplace, kwWith, kwTable) {
		return nil
	}
	r := &ir.RenameStmt{Object: ir.ObjectTable, Swap: true}
	other := p.objectName("the other table")
	for !p.ended() && !p.stopsAlter() {
		if p.is(tString) && strings.EqualFold(p.stringValue(p.t), "swap") && p.peek(2).kind == tString {
			r.Swap = !strings.EqualFold(p.stringValue(p.peek(2)), "false")
		}
		p.next()
	}
	r.Pairs = []ir.RenamePair{{From: name, To: other}}
	if !r.Swap {
		r.Pairs[0] = ir.RenamePair{From: other, To: name}
	}
	return r
}

func (p *parser) stopsAlter() bool { return p.stopsSkipping() && p.t.kw != kwAlter && p.t.kw != kwDrop }

// alterVerb tells whether another action starts without a comma.
func (p *parser) alterVerb() bool { return p.isAny(kwAdd) && p.peek(1).kw == kwPartition }

// mutation reads ClickHouse's ALTER TABLE t UPDATE .. and DELETE WHERE ...
func (p *parser) mutation(name ir.Name) ir.Node {
	switch {
	case p.word(kwUpdate):
		u := &ir.Update{Tables: []*ir.From{p.tableNamed(name)}}
		u.Set = p.assignments()
		for p.turn() && p.updateClause(u) {
		}
		return u
	case p.isWords(kwDelete, kwWhere):
		p.next()
		d := &ir.Delete{From: []*ir.From{p.tableNamed(name)}}
		for p.turn() && p.deleteClause(d) {
		}
		return d
	}
	return nil
}

// alterAction reads one action of ALTER TABLE, if it matters for lineage.
func (p *parser) alterAction(a *ir.Alter) {
	second := p.peek(1)
	switch p.t.kw {
	case kwAdd:
		p.alterAdd(a, second)
	case kwDrop:
		p.alterDrop(a, second)
	case kwRename, kwChange:
		p.alterRename(a, second)
	case kwExchange:
		p.next()
		p.skipPartition()
		p.needWord(kwWith)
		p.word(kwTable)
		p.alterOther(a, ir.AlterExchange)
	case kwSwitch:
		p.next()
		p.switchTo(a)
	case kwMove:
		p.next()
		p.movePartition(a)
	case kwReplace, kwAttach:
		p.next()
		p.takePartition(a)
	case kwAppend:
		if second.kw == kwFrom {
			p.next()
			p.next()
			p.alterOther(a, ir.AlterTakeFrom)
		}
	case kwModify:
		if second.kw == kwQuery {
			p.next()
			p.next()
			a.Actions = append(a.Actions, ir.AlterAction{Kind: ir.AlterQuery, Query: p.query()})
		}
	case kwSet:
		if second.kw == kwLocation && p.peek(2).kind == tString {
			p.next()
			p.next()
			p.location(a)
		}
	case kwPartition:
		p.skipPartition()
	}
}

func (p *parser) location(a *ir.Alter) {
	if p.is(tString) {
		a.Actions = append(a.Actions, ir.AlterAction{Kind: ir.AlterLocation, Path: p.stringValue(p.t)})
		p.next()
	}
}

// alterOther reads the other table of a move of partitions.
func (p *parser) alterOther(a *ir.Alter, kind ir.AlterKind) {
	a.Actions = append(a.Actions, ir.AlterAction{Kind: kind, Table: p.name("a table")})
}

// skipPartition skips PARTITION p, PARTITION (..), PARTITION '..', PARTITION ID x.
func (p *parser) skipPartition() {
	for p.anyWord(kwTemporary) {
	}
	if !p.anyWord(kwPartition, kwPartitions) {
		return
	}
	p.anyWord(kwId, kwFor)
	if p.skipParens() {
		return
	}
	if p.is(tNumber) || p.is(tString) || anyPart(p.t) {
		p.next()
		p.skipParens()
	}
}

// switchTo reads T-SQL's SWITCH [PARTITION n] TO t.
func (p *parser) switchTo(a *ir.Alter) {
	if p.word(kwPartition) {
		p.operand()
	}
	p.needWord(kwTo)
	p.alterOther(a, ir.AlterMoveTo)
	if p.word(kwPartition) {
		p.operand()
	}
}

// movePartition reads ClickHouse's MOVE PARTITION .. TO TABLE t.
func (p *parser) movePartition(a *ir.Alter) {
	p.anyWord(kwPart)
	p.skipPartition()
	for !p.isWord(kwTo) && !p.ended() && !p.is(tComma) {
		p.skipToken()
	}
	if p.words(kwTo, kwTable) {
		p.alterOther(a, ir.AlterMoveTo)
	}
}

// takePartition reads REPLACE and ATTACH of partitions and tables.
func (p *parser) takePartition(a *ir.Alter) {
	if p.isWord(kwPartition) && anyPart(p.peek(1)) && p.peek(1).kind != tString && p.peek(1).kind != tNumber && !p.f.typedBinds && p.f.copyData {
		p.next()
		p.alterOther(a, ir.AlterTakeFrom) // PostgreSQL: ATTACH PARTITION t FOR VALUES
		p.skipStatement()
		return
	}
	p.skipPartition()
	for !p.isWord(kwFrom) && !p.ended() && !p.is(tComma) {
		p.skipToken()
	}
	if p.word(kwFrom) {
		p.alterOther(a, ir.AlterTakeFrom)
	}
}

// alterAdd reads ADD [COLUMN] c type, ADD COLUMNS (..), ADD PARTITION .. LOCATION.
func (p *parser) alterAdd(a *ir.Alter, second token) {
	p.next()
	switch second.kw {
	case kwPartition, kwConstraint, kwPrimary, kwForeign, kwUnique, kwIndex, kwKey, kwCheck, kwRollup, kwProjection, kwFulltext, kwSpatial, kwRow, kwSearch, kwSupplemental, kwTag, kwClustering, kwStatistics, kwValue:
		for second.kw == kwPartition && !p.is(tComma) && !p.ended() {
			p.skipToken() // where a partition lies is not where the table lies
		}
		return
	case kwColumn, kwColumns:
		p.next()
	}
	p.ifNotExists()
	if p.is(tLParen) {
		p.next()
		for !p.is(tRParen) && !p.is(tEOF) {
			p.addColumn(a)
			if !p.accept(tComma) {
				break
			}
		}
		p.need(tRParen)
		return
	}
	p.addColumn(a)
	for p.f.noSemicolons && p.is(tComma) && anyPart(p.peek(1)) && !alterActions.has(p.peek(1).kw) {
		p.next()
		p.addColumn(a)
	}
}

func (p *parser) addColumn(a *ir.Alter) {
	if !anyPart(p.t) || p.tableConstraint() {
		p.skipElement()
		return
	}
	name := p.aliasIdent()
	for p.is(tDot) {
		p.next()
		p.aliasIdent()
	}
	a.Actions = append(a.Actions, ir.AlterAction{Kind: ir.AlterAddColumn, Column: name})
	for !p.is(tComma) && !p.is(tRParen) && !p.ended() && !p.stopsAlter() {
		p.skipToken()
	}
}

// alterDrop reads DROP [COLUMN] c.
func (p *parser) alterDrop(a *ir.Alter, second token) {
	p.next()
	switch {
	case second.kw == kwColumn || second.kw == kwColumns:
		p.next()
	case notColumns.has(second.kw) || second.kind != tIdent && second.kind != tQuoted && second.kind != tLParen:
		return
	}
	p.words(kwIf, kwExists)
	brackets := p.accept(tLParen)
	for anyPart(p.t) {
		a.Actions = append(a.Actions, ir.AlterAction{Kind: ir.AlterDropColumn, Column: p.aliasIdent()})
		if !p.is(tComma) || !brackets && (alterActions.has(p.peek(1).kw) || !anyPart(p.peek(1))) {
			break
		}
		p.next()
	}
	if brackets {
		p.need(tRParen)
	}
}

// alterRename reads RENAME COLUMN a TO b and CHANGE [COLUMN] a b type.
func (p *parser) alterRename(a *ir.Alter, second token) {
	change := p.isWord(kwChange)
	switch second.kw {
	case kwPartition, kwIndex, kwKey, kwConstraint, kwRollup, kwTracking:
		return
	}
	p.next()
	p.word(kwColumn)
	if !anyPart(p.t) {
		return
	}
	from := p.aliasIdent()
	if !p.word(kwTo) && !p.word(kwAs) && !change {
		return
	}
	if !anyPart(p.t) {
		return
	}
	to := p.aliasIdent()
	a.Actions = append(a.Actions, ir.AlterAction{Kind: ir.AlterRenameColumn, Column: from, NewColumn: to})
}

// alterView reads ALTER VIEW: a new query, a new name, or what does not matter.
func (p *parser) alterView() ir.Node {
	start := p.i
	p.next()
	c := creation{alter: true}
	for p.anyWord(kwMaterialized, kwDynamic) {
		c.materialized = true
	}
	if !p.anyWord(kwView, kwTable) {
		p.jump(start)
		return p.other()
	}
	p.words(kwIf, kwExists)
	name := p.objectName("a view")
	p.onCluster()
	if n := p.renameOrSwap(ir.ObjectView, name); n != nil {
		return n
	}
	if p.words(kwModify, kwQuery) {
		return &ir.Alter{Object: ir.ObjectView, Name: name, Actions: []ir.AlterAction{{Kind: ir.AlterQuery, Query: p.query()}}}
	}
	if p.viewDefinitionFollows() {
		return p.viewBehindName(c, name)
	}
	p.skipStatement()
	return &ir.Alter{Object: ir.ObjectView, Name: name}
}

// viewDefinitionFollows tells whether ALTER VIEW v goes on with AS and a query.
func (p *parser) viewDefinitionFollows() bool {
	for n := range 400 {
		switch t := p.peek(n); {
		case t.kind == tEOF || t.kind == tSemi || t.kind == tBorder:
			return false
		case t.kw == kwAs && (p.queryAt(n+1) || p.peek(n+1).kind == tLParen):
			return true
		case t.kw == kwSet || t.kw == kwUnset || t.kw == kwAlter || t.kw == kwOwner:
			return false
		}
	}
	return false
}

// alterSession reads Oracle's and Snowflake's ALTER SESSION SET a = b.
func (p *parser) alterSession() ir.Node {
	p.next()
	p.next()
	if !p.word(kwSet) {
		p.skipStatement()
		return &ir.Other{Verb: "ALTER"}
	}
	s := &ir.Set{}
	for p.turn() && anyPart(p.t) && (p.peek(1).kind == tEq || p.peek(1).kind == tDot) {
		start := p.t
		p.anyName()
		name := p.between(start)
		p.need(tEq)
		s.Items = append(s.Items, ir.SetItem{Names: []string{name}, Values: p.mem.args.Copy([]*ir.Expr{p.settingValue()})})
		p.accept(tComma)
	}
	p.skipStatement()
	return s
}

// alterRoutine reads ALTER PROCEDURE and its like, which in T-SQL hold a new body.
func (p *parser) alterRoutine() ir.Node {
	if !p.f.noSemicolons {
		return p.other()
	}
	p.next()
	switch p.t.kw {
	case kwTrigger:
		return p.createTrigger()
	case kwFunction:
		return p.createRoutine(ir.ObjectFunction)
	}
	return p.createRoutine(ir.ObjectProcedure)
}

// dropObjects are the objects that DROP tells apart.
var dropObjects = map[keyword]ir.Object{
	kwTable: ir.ObjectTable, kwView: ir.ObjectView, kwDictionary: ir.ObjectDictionary, kwStage: ir.ObjectStage,
	kwStream: ir.ObjectStream, kwModel: ir.ObjectModel, kwFunction: ir.ObjectFunction, kwMacro: ir.ObjectFunction,
	kwProcedure: ir.ObjectProcedure, kwProc: ir.ObjectProcedure, kwTrigger: ir.ObjectTrigger, kwTask: ir.ObjectTask,
	kwEvent: ir.ObjectEvent, kwSynonym: ir.ObjectSynonym, kwSchema: ir.ObjectSchema, kwDatabase: ir.ObjectSchema,
	kwCatalog: ir.ObjectCatalog, kwPipe: ir.ObjectPipe,
}

// drop reads DROP of any object.
func (p *parser) drop() ir.Node {
	d := &ir.Drop{}
	undrop := p.isWord(kwUndrop)
	p.next()
	for p.anyWord(kwTemporary, kwTemp, kwMaterialized, kwExternal, kwForeign, kwDynamic, kwIceberg, kwHybrid, kwPublic, kwTransient, kwSnapshot, kwStreaming, kwPrivate, kwWeb, kwPersistent) {
		switch p.prev().kw {
		case kwTemporary, kwTemp:
			d.Temporary = true
		case kwMaterialized:
			d.Object = ir.ObjectMaterializedView
		}
	}
	object, ok := dropObjects[p.t.kw]
	if !ok || undrop {
		if !createWords.has(p.t.kw) && !alterWords.has(p.t.kw) && !undrop {
			p.expected("TABLE, VIEW or another object to drop")
			return nil
		}
		p.skipStatement()
		return &ir.Other{Verb: "DROP"}
	}
	if d.Object == "" || object != ir.ObjectView {
		d.Object = object
	}
	if object == ir.ObjectTable && p.peek(1).kw == kwFunction {
		p.next()
		d.Object = ir.ObjectFunction
	}
	p.next()
	p.words(kwIf, kwExists)
	for {
		if p.is(tTemplate) || p.nameStart() || p.is(tIdent) || p.is(tString) {
			d.Names = append(d.Names, p.dropName())
		} else {
			p.expected("a name")
		}
		p.skipParens()
		if !p.accept(tComma) {
			break
		}
	}
	p.skipStatement()
	return d
}

func (p *parser) dropName() ir.Name {
	if p.isWord(kwIdentifier) && p.peek(1).kind == tLParen {
		return p.objectName("a name")
	}
	return p.anyName()
}

// truncate reads TRUNCATE.
func (p *parser) truncate() ir.Node {
	if p.peek(1).kind == tLParen {
		return p.nameStatement()
	}
	t := &ir.Truncate{}
	p.next()
	p.anyWord(kwAll)
	if p.isAny(kwTables, kwDatabase) {
		p.skipStatement()
		return &ir.Other{Verb: "TRUNCATE"}
	}
	p.anyWord(kwTable, kwCluster, kwMaterialized)
	p.word(kwView)
	p.words(kwIf, kwExists)
	p.word(kwOnly)
	for {
		t.Names = append(t.Names, p.objectName("a table"))
		p.accept(tStar)
		if !p.accept(tComma) {
			break
		}
		p.word(kwOnly)
	}
	p.skipStatement()
	return t
}

// rename reads RENAME TABLE a TO b, c TO d, EXCHANGE TABLES a AND b.
func (p *parser) rename() ir.Node {
	r := &ir.RenameStmt{Object: ir.ObjectTable, Swap: p.isWord(kwExchange)}
	p.next()
	switch {
	case p.anyWord(kwTable, kwTables, kwObject):
		p.accept(tCast) // Synapse: OBJECT::name
	case p.anyWord(kwView):
		r.Object = ir.ObjectView
	case p.anyWord(kwDictionary, kwDictionaries):
		r.Object = ir.ObjectDictionary
	case p.anyWord(kwDatabase, kwUser, kwColumn, kwIndex):
		p.skipStatement()
		return &ir.Other{Verb: "RENAME"}
	}
	for {
		p.words(kwIf, kwExists)
		pair := ir.RenamePair{From: p.name("a table")}
		if !p.word(kwTo) {
			p.needWord(kwAnd)
		}
		pair.To = p.name("the new name")
		r.Pairs = append(r.Pairs, pair)
		if !p.accept(tComma) {
			break
		}
	}
	p.skipStatement()
	return r
}
