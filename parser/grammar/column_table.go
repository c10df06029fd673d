package grammar

import "github.com/tributary-data/tributary/parser/ir"

// tableColumns reads the columns that JSON_TABLE, XMLTABLE or OPENJSON declare,
// with or without brackets. Nested columns are flattened.
func (p *parser) tableColumns() []ir.ColumnDef {
	brackets := p.accept(tLParen)
	if brackets && !p.enter() {
		return nil
	}
	var list []ir.ColumnDef
	for !p.is(tRParen) && !p.ended() {
		list = append(list, p.tableColumn()...)
		if !p.accept(tComma) {
			break
		}
	}
	if brackets {
		p.leave()
		p.need(tRParen)
	}
	return list
}

func (p *parser) tableColumn() []ir.ColumnDef {
	if p.isWord(kwNested) && (p.peek(1).kw == kwPath || p.peek(1).kind == tString) {
		for !p.isWord(kwColumns) && !p.is(tComma) && !p.is(tRParen) && !p.ended() {
			p.skipToken()
		}
		if !p.word(kwColumns) {
			p.expected("COLUMNS")
			return nil
		}
		return p.tableColumns()
	}
	if !anyPart(p.t) {
		p.expected("a column")
		return nil
	}
	d := ir.ColumnDef{Name: p.aliasIdent()}
	if p.words(kwFor, kwOrdinality) {
		d.Ordinality = true
	} else if !p.is(tComma) && !p.is(tRParen) && !p.isWord(kwPath) && anyPart(p.t) && !p.is(tString) {
		d.Type = p.dataType()
	}
	for !p.is(tComma) && !p.is(tRParen) && !p.ended() {
		if p.is(tString) && d.From == "" {
			d.From = p.stringValue(p.t)
		}
		p.skipToken()
	}
	return []ir.ColumnDef{d}
}
