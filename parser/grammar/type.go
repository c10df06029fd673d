package grammar

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// dataType reads a data type of any dialect and gives it as written.
func (p *parser) dataType() string {
	start := p.t
	if !p.typeName() {
		p.expected("a data type")
		return ""
	}
	for n := 0; n < 64 && p.typeSuffix(); n++ {
	}
	if p.prev().end <= start.pos {
		return ""
	}
	return p.cut(int(start.pos), int(p.prev().end))
}

// typeName reads the words of a type's name.
func (p *parser) typeName() bool {
	p.word(kwSetof)
	switch p.t.kw {
	case kwDouble:
		p.next()
		p.word(kwPrecision)
		return true
	case kwLong:
		p.next()
		p.anyWord(kwRaw, kwVarchar)
		return true
	case kwNational:
		p.next()
		p.anyWord(kwCharacter, kwChar, kwVarchar)
		p.word(kwVarying)
		return true
	case kwCharacter, kwChar, kwNchar, kwBit, kwBinary:
		p.next()
		if !p.word(kwVarying) {
			p.words(kwLarge, kwObject)
		}
		return true
	case kwInterval:
		p.next()
		p.intervalType()
		return true
	case kwSigned, kwUnsigned:
		p.next()
		p.anyWord(kwInteger, kwInt)
		return true
	case kwRef, kwSysRefcursor:
		p.next()
		p.anyWord(kwCursor)
		return true
	}
	if !anyPart(p.t) || p.t.kind == tNumber {
		return false
	}
	p.next()
	for p.is(tDot) && anyPart(p.peek(1)) {
		p.next()
		p.next()
	}
	return true
}

// intervalType reads the units of an INTERVAL type.
func (p *parser) intervalType() {
	for p.is(tIdent) && dateUnit(p.raw(p.t)) {
		p.next()
		p.skipParens()
		p.word(kwTo)
	}
}

// typeSuffix reads one of the things that may follow a type's name.
func (p *parser) typeSuffix() bool {
	switch p.t.kind {
	case tLParen:
		return p.skipParens()
	case tLt:
		if !p.generic() { // x::INT < 4
			return false
		}
		p.angleBrackets()
		return true
	case tNe: // ARRAY<>
		if p.t.pos != p.prev().end || !p.generic() {
			return false
		}
		p.next()
		return true
	case tLBracket:
		if k := p.peek(1).kind; k == tRBracket || k == tNumber && p.peek(2).kind == tRBracket {
			p.skipBrackets()
			return true
		}
	case tPercent: // t.c%TYPE
		if p.peek(1).kw == kwType || p.peek(1).kw == kwRowtype {
			p.next()
			p.next()
			return true
		}
	case tIdent:
		return p.typeWord()
	}
	return false
}

// genericTypes are the types that may have other types in angle brackets.
var genericTypes = wordList(wordsOf("array struct map row table list multiset uniontype range agg_state variant vector raw object collection tuple"))

// generic reports whether the type's name just read may have angle brackets.
func (p *parser) generic() bool {
	return genericTypes.has(strings.ToLower(p.raw(p.prev())))
}

func (p *parser) typeWord() bool {
	switch p.t.kw {
	case kwUnsigned, kwSigned, kwZerofill, kwVarying, kwMultiset:
		p.next()
		return true
	case kwArray:
		if p.prev().kind == tComma {
			return false
		}
		p.next()
		return true
	case kwWith, kwWithout:
		if p.peek(1).kw == kwTime && p.peek(2).kw == kwZone || p.peek(1).kw == kwLocal && p.peek(2).kw == kwTime {
			p.next()
			p.word(kwLocal)
			p.next()
			p.word(kwZone)
			return true
		}
	case kwCharacter:
		if p.peek(1).kw == kwSet {
			p.next()
			p.next()
			p.next()
			return true
		}
	}
	return false
}

// angleBrackets skips <..> of a type. The lexer reads >> as one token: the part
// of it that closes an outer type is given back.
func (p *parser) angleBrackets() {
	depth := 0
	for p.turn() {
		switch p.t.kind {
		case tLt:
			depth++
			if depth > p.lim.MaxNesting {
				p.limit(limitNesting)
				return
			}
		case tNe:
		case tGt:
			depth--
		case tShr:
			depth -= 2
		case tGe: // ARRAY<INT>=...
			depth--
			if depth == 0 {
				p.splitToken(tEq)
				return
			}
		case tLParen, tLBracket:
			p.skipBrackets()
			continue
		case tEOF, tSemi, tBorder, tUnclosed, tOverLimit:
			p.expected(">")
			return
		}
		if depth < 0 {
			p.splitToken(tGt)
			return
		}
		p.next()
		if depth == 0 {
			return
		}
	}
}

// splitToken makes the second character of the current token a token of its own.
func (p *parser) splitToken(k kind) {
	t := p.t
	t.pos++
	t.kind = k
	p.toks[p.i] = t
	p.t = t
}

// structFields reads the fields of a type that has some: ROW<a INT, b ROW<..>>,
// STRUCT<a: INT>, Tuple(a Int32, b String). The cursor stands on the type.
func (p *parser) typeWithFields() (string, []ir.ColumnDef) {
	start, at := p.t, p.i
	if start.kw != kwRow && start.kw != kwStruct && start.kw != kwTuple && start.kw != kwNested {
		return p.dataType(), nil
	}
	closer := tRParen
	switch p.peek(1).kind {
	case tLt:
		closer = tGt
	case tLParen:
	default:
		return p.dataType(), nil
	}
	if !p.enter() {
		return "", nil
	}
	defer p.leave()
	p.next()
	p.next()
	fields, ok := p.fieldList(closer)
	if !ok {
		if p.failed() {
			return "", nil
		}
		p.jump(at)
		return p.dataType(), nil
	}
	for n := 0; n < 8 && p.typeSuffix(); n++ {
	}
	return p.between(start), fields
}

// fieldList reads name type pairs up to the closing bracket. It is false when the
// list is not of that form (a tuple without names).
func (p *parser) fieldList(closer kind) ([]ir.ColumnDef, bool) {
	var fields []ir.ColumnDef
	for p.turn() {
		if !anyPart(p.t) || !anyPart(p.peek(1)) && p.peek(1).kind != tColon {
			return nil, false
		}
		f := ir.ColumnDef{Name: p.aliasIdent()}
		p.accept(tColon)
		f.Type, f.Fields = p.typeWithFields()
		fields = append(fields, f)
		for !p.is(tComma) && !p.is(closer) && !(closer == tGt && p.is(tShr)) && !p.ended() {
			p.skipToken()
		}
		if p.accept(tComma) {
			continue
		}
		break
	}
	switch {
	case p.accept(closer):
	case closer == tGt && p.is(tShr):
		p.splitToken(tGt)
	default:
		p.expected("the end of the type")
	}
	return fields, true
}

// dateUnit tells whether a word is a unit of time.
func dateUnit(s string) bool {
	if len(s) < 1 || len(s) > 18 {
		return false
	}
	var buf [18]byte
	for i := range len(s) {
		buf[i] = s[i] | 0x20
		if s[i] == '_' {
			buf[i] = '_'
		}
	}
	return dateUnits[string(buf[:len(s)])]
}

// dateUnits are the units that engines take as bare words.
var dateUnits = wordsOf(`
	millennium century decade year years quarter quarters month months week weeks day days hour hours
	minute minutes second seconds millisecond milliseconds microsecond microseconds nanosecond nanoseconds
	yy yyyy qq q mm m dy y dd d wk ww w dw hh mi n ss s ms mcs us ns
	isoyear isoweek isowk isoww iso_week isodow dow doy dayofweek dayofyear weekday dayofmonth weekofyear weekiso dayofweekiso
	epoch date time epoch_second timezone timezone_hour timezone_minute
	year_month day_hour day_minute day_second day_microsecond hour_minute hour_second hour_microsecond
	minute_second minute_microsecond second_microsecond sql_tsi_day sql_tsi_month sql_tsi_year sql_tsi_hour
	sql_tsi_minute sql_tsi_second sql_tsi_week sql_tsi_quarter tzoffset nanos micros millis`)

func wordsOf(list string) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		words[w] = true
	}
	return words
}

// unitPlace says where a date function takes its unit.
type unitPlace uint8

const (
	unitFirst unitPlace = iota + 1 // dateadd(day, 1, d)
	unitThird                      // first, if there are three arguments
	unitLast                       // last_day(d, month)
)

// dateFunctions are the functions that take a unit as a bare word. In BigQuery the
// unit always stands last.
var dateFunctions = map[string]unitPlace{
	"dateadd": unitThird, "date_add": unitThird, "datediff": unitThird, "datediff_big": unitThird, "date_diff": unitThird,
	"datepart": unitFirst, "datename": unitFirst, "datetrunc": unitFirst, "date_bucket": unitFirst,
	"date_part": unitFirst, "date_trunc": unitFirst, "timestampadd": unitThird, "timestampdiff": unitThird,
	"timestamp_add": unitThird, "timestamp_diff": unitThird, "timestamp_trunc": unitLast, "datetime_trunc": unitLast,
	"datetime_diff": unitLast, "time_diff": unitLast, "time_trunc": unitLast, "timeadd": unitThird, "timediff": unitThird,
	"last_day": unitLast, "time_slice": unitLast, "extract": unitFirst, "get_format": unitFirst,
}

// dateParts turns the bare unit in a date function's arguments into a literal, so
// that it is not taken for a column.
func (p *parser) dateParts(e *ir.Expr) {
	if len(e.Args) < 2 || len(e.Name[0].Name) < 7 || len(e.Name[0].Name) > 15 {
		return
	}
	switch e.Name[0].Name[0] | 0x20 {
	case 'd', 't', 'l', 'e', 'g':
	default:
		return
	}
	place := dateFunctions[strings.ToLower(e.Name[0].Name)]
	switch {
	case place == 0:
	case place == unitLast || p.f.dashNames:
		p.literalUnit(e.Args[len(e.Args)-1])
	case place == unitFirst || len(e.Args) > 2:
		p.literalUnit(e.Args[0])
	}
}

// literalUnit makes a literal of an argument that is a bare unit.
func (p *parser) literalUnit(e *ir.Expr) {
	switch {
	case e.Kind == ir.ExprColumn && len(e.Name) == 1 && e.Name[0].Quote == 0 && dateUnit(e.Name[0].Name):
	case e.Kind == ir.ExprCall && len(e.Name) == 1 && strings.EqualFold(e.Name[0].Name, "week") && len(e.Args) == 1:
	default:
		return
	}
	*e = ir.Expr{Kind: ir.ExprLiteral, Span: e.Span, Text: p.cut(int(e.Start), int(e.End))}
}
