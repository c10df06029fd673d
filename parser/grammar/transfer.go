package grammar

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// copyStatement reads COPY of all engines.
func (p *parser) copyStatement() ir.Node {
	t := &ir.Transfer{}
	p.next()
	p.word(kwBinary)
	if p.word(kwInto) {
		t.To = p.place()
		if p.is(tLParen) && !p.queryBehindParens() {
			t.Columns = p.insertColumns()
		}
		switch {
		case p.word(kwFrom):
			p.copySource(t)
		case p.f.stages && t.To.Name.Set(): // the table's own stage
			t.From.Path = "@%" + t.To.Name.Last().Name
		default:
			p.expected("FROM")
		}
		t.Options = p.copyOptions()
		return t
	}
	if p.words(kwFrom, kwDatabase) || p.words(kwFiles, kwInto) {
		p.skipStatement()
		return &ir.Other{Verb: "COPY"}
	}
	var subject ir.Target
	var query *ir.Query
	switch p.peek(1).kw {
	case kwInsert, kwUpdate, kwDelete, kwMerge:
		query = p.parenDML()
	default:
		if p.is(tLParen) {
			query = p.parenQuery()
			break
		}
		subject = p.place()
	}
	if query == nil && p.is(tLParen) {
		t.Columns = p.insertColumns()
	}
	switch {
	case p.word(kwFrom):
		t.To = subject
		p.copySource(t)
	case p.word(kwTo):
		t.From, t.Query = subject, query
		t.To = p.place()
		if t.Columns != nil { // the columns listed are those of the source
			t.Query = p.columnsOf(subject, t.Columns)
			t.From, t.Columns = ir.Target{}, nil
		}
	default:
		p.expected("FROM or TO")
	}
	t.Options = p.copyOptions()
	return t
}

// bulkInsert reads T-SQL's BULK INSERT t FROM 'path' WITH (..).
func (p *parser) bulkInsert() ir.Node {
	t := &ir.Transfer{}
	p.next()
	p.next()
	t.To = p.place()
	p.needWord(kwFrom)
	t.From = p.place()
	if p.isWord(kwWith) && p.peek(1).kind == tLParen {
		p.next()
		p.skipBrackets()
	}
	return t
}

// columnsOf makes SELECT columns FROM t.
func (p *parser) columnsOf(t ir.Target, columns []ir.InsertColumn) *ir.Query {
	s := p.mem.selcts.One()
	s.Span = t.Span
	for _, c := range columns {
		e := p.node(ir.ExprColumn, uint32(c.Name.Start))
		e.Name = c.Name.Parts
		s.Items = append(s.Items, ir.Item{Expr: e})
	}
	s.From = []*ir.From{p.tableNamed(t.Name)}
	q := p.mem.query.One()
	q.Select, q.Span = s, t.Span
	return q
}

// place reads where COPY goes to or comes from: a table, path, stage, or a stream,
// which is no place.
func (p *parser) place() ir.Target {
	t := ir.Target{}
	start := p.t.pos
	switch {
	case p.anyWord(kwStdin, kwStdout):
	case p.is(tIdent) && p.isWord(kwProgram) && p.peek(1).kind == tString:
		p.next()
		p.next()
	case p.is(tString) && (p.char(p.t.pos) != '"' || p.f.doubleQuoteStrings):
		t.Path = p.stringValue(p.t)
		p.next()
	case p.is(tStage):
		t.Path = p.raw(p.t)
		p.next()
	case p.is(tIdent) && p.peek(1).kind == tLParen && targetFunctions[lower(p.raw(p.t))]:
		t.Func = p.targetFunction()
	default:
		t.Name = p.objectName("a table or path")
	}
	t.Span = p.span(start)
	return t
}

// copySource reads what COPY reads from.
func (p *parser) copySource(t *ir.Transfer) {
	if p.is(tLParen) && p.queryBehindParens() {
		t.Query = p.parenQuery()
		return
	}
	if p.isWord(kwFiles) && p.peek(1).kind == tLParen {
		p.next()
		t.From.Path = p.uris(p.options())
		return
	}
	t.From = p.place()
	for p.is(tComma) && p.peek(1).kind == tString {
		p.next()
		p.next()
	}
}

// copyOptions reads the options behind COPY, which have many forms; those of the
// form NAME = value are kept.
func (p *parser) copyOptions() []ir.Option {
	var list []ir.Option
	for p.turn() && !p.ended() && !p.stopsSkipping() {
		switch {
		case p.is(tIdent) && p.peek(1).kind == tEq:
			if o, ok := p.option(); ok {
				list = append(list, o)
			}
		case p.is(tLParen) && p.prev().kw != kwQuote:
			if p.peek(1).kind == tIdent && !p.queryAt(1) {
				list = append(list, p.options()...)
			} else {
				p.skipBrackets()
			}
		default:
			p.skipToken()
		}
	}
	return list
}

// loadStatement reads LOAD DATA of MySQL, Hive and BigQuery, and Doris' LOAD LABEL.
func (p *parser) loadStatement() ir.Node {
	second := p.peek(1)
	switch second.kw {
	case kwData:
		p.next()
		p.next()
		return p.loadData()
	case kwLabel:
		p.next()
		p.next()
		return p.loadLabel()
	case kwXml:
		p.next()
		p.next()
		return p.loadData()
	}
	return p.other()
}

func (p *parser) loadData() ir.Node {
	t := &ir.Transfer{}
	for p.anyWord(kwLowPriority, kwConcurrent, kwLocal) {
	}
	if p.anyWord(kwInfile, kwInpath) {
		t.From = p.place()
		p.anyWord(kwReplace, kwIgnore, kwOverwrite)
		p.needWord(kwInto)
	} else if !p.anyWord(kwInto, kwOverwrite) { // BigQuery
		p.expected("INFILE, INPATH or INTO")
	}
	p.anyWord(kwTemp, kwTemporary)
	if p.isWord(kwTable) {
		p.next()
	}
	t.To = p.place()
	p.loadClauses(t, t.From.Path != "")
	return t
}

// loadClauses reads what follows the table of LOAD DATA.
func (p *parser) loadClauses(t *ir.Transfer, columns bool) {
	for p.turn() && !p.ended() {
		switch {
		case p.isWord(kwPartition) && p.peek(1).kind == tLParen:
			p.next()
			p.skipBrackets()
		case p.is(tLParen) && t.Columns == nil && columns:
			t.Columns = p.insertColumns()
		case p.is(tLParen):
			p.skipBrackets()
		case p.word(kwSet):
			t.Set = p.assignments()
		case p.isWords(kwFrom, kwFiles):
			p.next()
			p.copySource(t)
		default:
			p.skipToken()
		}
	}
}

// uris gives the first place in a list of options.
func (p *parser) uris(options []ir.Option) string {
	for _, o := range options {
		if o.Value == nil || o.Name != "uris" && o.Name != "uri" && o.Name != "path" {
			continue
		}
		if o.Value.Kind == ir.ExprArray && len(o.Value.Args) > 0 {
			return o.Value.Args[0].Text
		}
		return o.Value.Text
	}
	return ""
}

// loadLabel reads Doris' and StarRocks' broker load: one transfer for each part.
func (p *parser) loadLabel() ir.Node {
	label := p.name("the label of the load")
	b := &ir.Block{}
	p.need(tLParen)
	for !p.is(tRParen) && !p.is(tEOF) {
		start := p.t.pos
		t := p.loadPart()
		p.inDatabase(&t.To.Name, label)
		b.Body = append(b.Body, &ir.Statement{Span: p.span(start), Node: t})
		if !p.accept(tComma) {
			break
		}
	}
	p.need(tRParen)
	p.skipStatement()
	return b
}

// inDatabase gives a name without a database that of the label.
func (p *parser) inDatabase(n *ir.Name, label ir.Name) {
	if len(n.Parts) == 1 && len(label.Parts) > 1 {
		n.Parts = append(append([]ir.Ident{}, label.Parts[:len(label.Parts)-1]...), n.Parts...)
	}
}

// loadPart reads DATA INFILE ("path") INTO TABLE t ..
func (p *parser) loadPart() *ir.Transfer {
	t := &ir.Transfer{}
	p.anyWord(kwMerge, kwAppend, kwDelete)
	p.needWord(kwData)
	if p.word(kwFrom) {
		p.word(kwTable)
		t.From = p.place()
	} else {
		p.needWord(kwInfile)
		p.need(tLParen)
		t.From = p.place()
		p.closeCall()
	}
	for !p.isWord(kwInto) && !p.ended() && !p.is(tRParen) {
		p.next()
	}
	p.needWord(kwInto)
	p.needWord(kwTable)
	t.To = p.place()
	for p.turn() && !p.is(tComma) && !p.is(tRParen) && !p.ended() {
		switch {
		case p.is(tLParen) && t.Columns == nil && p.prev().kw != kwAs && p.prev().kw != kwPartition && p.prev().kw != kwPartitions:
			t.Columns = p.insertColumns()
		case p.isWord(kwSet) && p.peek(1).kind == tLParen:
			p.next()
			p.next()
			t.Set = p.assignments()
			p.need(tRParen)
		default:
			p.skipToken()
		}
	}
	return t
}

// routineLoad reads Doris' CREATE ROUTINE LOAD db.job ON t .. FROM KAFKA (..).
func (p *parser) routineLoad() ir.Node {
	p.next()
	p.next()
	job := p.name("the name of the job")
	t := &ir.Transfer{}
	if p.word(kwOn) {
		t.To = p.place()
		p.inDatabase(&t.To.Name, job)
	}
	for p.turn() && !p.ended() {
		switch {
		case p.isWord(kwColumns) && p.peek(1).kind == tLParen:
			p.next()
			p.routineColumns(t)
		case p.isWord(kwFrom) && p.peek(2).kind == tLParen:
			p.next()
			source := strings.ToLower(p.raw(p.t))
			p.next()
			t.Options = p.options()
			t.From.Path = source + "://" + optionText(t.Options, "kafka_broker_list") + "/" + optionText(t.Options, "kafka_topic")
		default:
			p.skipToken()
		}
	}
	return t
}

func optionText(options []ir.Option, name string) string {
	for _, o := range options {
		if o.Name == name && o.Value != nil {
			return o.Value.Text
		}
	}
	return ""
}

// routineColumns reads COLUMNS (a, b, c = f(a)).
func (p *parser) routineColumns(t *ir.Transfer) {
	p.need(tLParen)
	for !p.is(tRParen) && !p.is(tEOF) {
		switch {
		case p.peek(1).kind == tEq:
			t.Set = append(t.Set, p.assignment())
		case anyPart(p.t):
			t.Columns = append(t.Columns, ir.InsertColumn{Name: p.anyName()})
		default:
			p.expected("a column name")
		}
		if !p.accept(tComma) {
			break
		}
	}
	p.need(tRParen)
}

// unloadStatement reads UNLOAD ('query') TO 'path' and UNLOAD (query) TO 'path'.
func (p *parser) unloadStatement() ir.Node {
	t := &ir.Transfer{}
	p.next()
	switch {
	case p.is(tLParen) && (p.peek(1).kind == tString || p.peek(1).kind == tBody):
		p.next()
		text := p.t
		p.next()
		p.need(tRParen)
		t.Query = p.queryInText(text)
	case p.is(tLParen):
		t.Query = p.parenQuery()
	default:
		return p.other()
	}
	p.needWord(kwTo)
	t.To = p.place()
	t.Options = p.copyOptions()
	return t
}

// queryInText reads the query that a string holds.
func (p *parser) queryInText(text token) *ir.Query {
	var q *ir.Query
	p.sub(text, func() []*ir.Statement {
		q = p.query()
		return nil
	})
	return q
}

// exportStatement reads EXPORT and IMPORT of Hive, Doris and BigQuery.
func (p *parser) exportStatement() ir.Node {
	t := &ir.Transfer{}
	if p.peek(2).kw == kwMetadata {
		return p.other()
	}
	switch {
	case p.words(kwExport, kwData):
		return p.exportData(t)
	case p.words(kwExport, kwTable):
		t.From.Name = p.name("a table")
		t.From.Span = t.From.Name.Span
		for !p.isWord(kwTo) && !p.ended() {
			p.skipToken()
		}
		p.needWord(kwTo)
		t.To = p.place()
	case p.isWord(kwImport):
		if p.peek(1).kw == kwForeign || p.peek(1).kw == kwDatabase {
			return p.other()
		}
		p.next()
		p.word(kwExternal)
		if p.word(kwTable) {
			t.To.Name = p.name("a table")
			t.To.Span = t.To.Name.Span
		}
		for !p.isWord(kwFrom) && !p.ended() {
			p.skipToken()
		}
		p.needWord(kwFrom)
		t.From = p.place()
	default:
		return p.other()
	}
	p.skipStatement()
	return t
}

// exportData reads BigQuery's EXPORT DATA [WITH CONNECTION c] OPTIONS (..) AS query.
func (p *parser) exportData(t *ir.Transfer) ir.Node {
	start := p.t.pos
	for p.turn() && !p.isWord(kwAs) && !p.ended() {
		if p.isWord(kwOptions) && p.peek(1).kind == tLParen {
			p.next()
			t.Options = p.options()
			continue
		}
		p.skipToken()
	}
	t.To.Path = p.uris(t.Options)
	t.To.Span = p.span(start)
	p.needWord(kwAs)
	t.Query = p.query()
	return t
}
