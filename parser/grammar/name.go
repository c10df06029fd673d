package grammar

import (
	"strconv"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// ident turns a token into an identifier.
func (p *parser) ident(t token) ir.Ident {
	id := ir.Ident{Start: int32(t.pos), Lower: t.flags&flagLower != 0}
	if t.kind != tQuoted && t.kind != tString {
		id.Name = p.cut(int(t.pos), int(t.end))
		return id
	}
	start := t.pos
	unicode := p.char(start)|0x20 == 'u' && p.char(start+1) == '&'
	if unicode {
		start += 2
	}
	id.Quote = p.char(start)
	id.Name = p.unquote(p.cut(int(start), int(t.end)), t.flags, p.f.backslashNames && id.Quote == '`')
	if unicode {
		id.Name = unicodeName(id.Name)
	}
	return id
}

// unicodeName undoes the escapes of U&"..": \0061, \+000061 and \\.
func unicodeName(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		digits := 4
		switch s[i+1] {
		case '\\':
			b.WriteByte('\\')
			i++
			continue
		case '+':
			i++
			digits = 6
		}
		end := i + 1 + digits
		if end > len(s) {
			return s
		}
		code, err := strconv.ParseUint(s[i+1:end], 16, 32)
		if err != nil {
			return s
		}
		b.WriteRune(rune(code))
		i = end - 1
	}
	return b.String()
}

// unquote takes the quotes off and undoes doubled quotes and, where told, backslash escapes.
func (p *parser) unquote(s string, flags uint8, backslash bool) string {
	quote := s[0]
	if quote == '[' {
		quote = ']'
	}
	s = s[1 : len(s)-1]
	if flags&flagEscaped == 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == quote && i+1 < len(s) && s[i+1] == quote:
			i++
		case s[i] == '\\' && backslash && i+1 < len(s):
			i++
			b.WriteByte(unescape(s[i]))
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case '0':
		return 0
	}
	return c
}

// stringValue is the value of a string token of any form.
func (p *parser) stringValue(t token) string {
	s := p.cut(int(t.pos), int(t.end))
	if t.kind == tBody {
		n := strings.IndexByte(s[1:], '$') + 2
		return s[n : len(s)-n]
	}
	i := strings.IndexAny(s, `'"`)
	if i < 0 {
		return s
	}
	prefix := s[:i]
	if strings.ContainsAny(prefix, "qQ") && len(s) >= i+4 {
		return s[i+2 : len(s)-2]
	}
	raw := strings.ContainsAny(prefix, "rR")
	s = s[i:]
	if p.f.tripleQuotes && len(s) >= 6 && s[1] == s[0] && s[2] == s[0] {
		return s[3 : len(s)-3]
	}
	if raw {
		return s[1 : len(s)-1]
	}
	return p.unquote(s, t.flags, p.f.backslash || strings.ContainsAny(prefix, "eE"))
}

// nameStart tells whether the current token can start the name of a table or
// another object.
func (p *parser) nameStart() bool {
	return p.namesThing(p.t) || p.is(tIdent) && p.peek(1).kind == tDot && p.peek(1).pos == p.t.end && anyPart(p.peek(2)) && !neverOperand.has(p.t.kw) || p.f.dashNames && p.is(tIdent) && p.peek(1).kind == tMinus && p.peek(1).pos == p.t.end
}

func (p *parser) namesThing(t token) bool {
	switch t.kind {
	case tQuoted, tTemplate, tBind, tVariable:
		return true
	case tIdent:
		return t.kw == 0 || !p.f.reserved.has(t.kw)
	case tString:
		return p.char(t.pos) == '"'
	}
	return false
}

// anyPart tells whether a token can be a part of a name behind a dot, where no
// word is reserved.
func anyPart(t token) bool {
	switch t.kind {
	case tIdent, tQuoted, tTemplate, tBind, tNumber, tVariable, tString:
		return true
	}
	return false
}

// name reads the dotted name of a table or another object.
func (p *parser) name(what string) ir.Name {
	if !p.nameStart() {
		p.expected(what)
		return ir.Name{}
	}
	return p.anyName()
}

// anyName reads a dotted name whose first part may be any word.
func (p *parser) anyName() ir.Name {
	if p.crowded() {
		p.limit(limitMemory)
	}
	start := p.t.pos
	mark := len(p.mem.identStack)
	p.namePart()
	for p.turn() && p.nameDot() {
		p.namePart()
	}
	n := ir.Name{Parts: p.mem.takeIdents(mark)}
	if p.is(tAt) && p.t.flags&flagSpace == 0 && p.peek(1).flags&flagSpace == 0 && anyPart(p.peek(1)) {
		link := p.databaseLink()
		if !p.f.pathTables { // there it is a version of the table
			n.Link = link
		}
	}
	n.Span = p.span(start)
	return n
}

// nameDot takes the dot before a further part of a name; for ".." it leaves an
// empty part out in the middle.
func (p *parser) nameDot() bool {
	if p.is(tDotDot) && anyPart(p.peek(1)) {
		p.mem.identStack = append(p.mem.identStack, ir.Ident{Start: int32(p.t.pos) + 1})
		p.next()
		return true
	}
	if p.is(tDot) && anyPart(p.peek(1)) {
		p.next()
		return true
	}
	return false
}

// namePart reads one part of a name onto the stack. In BigQuery an unquoted
// part may hold dashes.
func (p *parser) namePart() {
	id := p.ident(p.t)
	end := p.t.end
	p.next()
	p.uescape(&id)
	if p.f.dashNames && p.is(tMinus) && p.t.pos == end {
		for p.is(tMinus) && p.t.pos == end && p.peek(1).pos == p.t.end && (p.peek(1).kind == tIdent || p.peek(1).kind == tNumber) {
			p.next()
			end = p.t.end
			p.next()
		}
		id.Name, id.Lower = p.cut(int(id.Start), int(end)), false
	}
	p.mem.identStack = append(p.mem.identStack, id)
}

// uescape reads the UESCAPE 'c' behind the U&".." that was read last, if one is there,
// and undoes escapes with that sign.
func (p *parser) uescape(id *ir.Ident) {
	raw := p.prev()
	if id.Quote != '"' || p.char(raw.pos) == '"' || !p.isWord(kwUescape) || p.peek(1).kind != tString {
		return
	}
	p.next()
	sign := p.stringValue(p.t)
	p.next()
	if len(sign) != 1 || sign == `\` {
		return
	}
	text := p.unquote(p.cut(int(raw.pos)+2, int(raw.end)), raw.flags, false)
	id.Name = unicodeName(strings.NewReplacer(sign+sign, sign, sign, `\`, `\`, `\\`).Replace(text))
}

// databaseLink reads Oracle's @link.domain behind a name.
func (p *parser) databaseLink() string {
	p.next()
	start := p.t.pos
	p.next()
	for p.is(tDot) && anyPart(p.peek(1)) {
		p.next()
		p.next()
	}
	return p.cut(int(start), int(p.prev().end))
}

// nameList reads names separated by commas.
func (p *parser) nameList(what string) []ir.Name {
	var names []ir.Name
	for {
		names = append(names, p.name(what))
		if !p.accept(tComma) {
			return names
		}
	}
}

// aliasIdent reads the identifier behind AS: any word, quoted name or, as some
// dialects allow, string.
func (p *parser) aliasIdent() ir.Ident {
	switch p.t.kind {
	case tIdent, tQuoted, tTemplate, tString, tBind, tVariable, tNumber:
		id := p.ident(p.t)
		if p.t.kind == tString {
			id.Name, id.Quote = p.stringValue(p.t), '"'
		}
		p.next()
		return id
	}
	p.expected("a name")
	return ir.Ident{}
}

// identList reads (a, b, c). Types, sort orders and comments behind a name are
// skipped.
func (p *parser) identList() []ir.Ident {
	p.need(tLParen)
	mark := len(p.mem.identStack)
	for !p.is(tRParen) && !p.is(tEOF) {
		if !anyPart(p.t) {
			p.expected("a column name")
			break
		}
		p.mem.identStack = append(p.mem.identStack, p.aliasIdent())
		p.skipElement()
		if !p.accept(tComma) {
			break
		}
	}
	p.need(tRParen)
	return p.mem.takeIdents(mark)
}

// skipElement skips tokens up to the comma or bracket that ends a list element.
func (p *parser) skipElement() {
	for !p.is(tComma) && !p.is(tRParen) && !p.ended() {
		p.skipToken()
	}
}

// skipToken skips one token, or a whole bracketed group.
func (p *parser) skipToken() {
	switch p.t.kind {
	case tLParen, tLBracket, tLBrace:
		p.skipBrackets()
	case tUnclosed, tOverLimit:
		p.expected("a token")
	default:
		p.next()
	}
}

// skipBrackets skips a bracketed group, whatever is in it.
func (p *parser) skipBrackets() {
	depth := 0
	for {
		switch p.t.kind {
		case tLParen, tLBracket, tLBrace:
			depth++
		case tRParen, tRBracket, tRBrace:
			depth--
			if depth == 0 {
				p.next()
				return
			}
		case tEOF, tBorder, tSemi, tUnclosed, tOverLimit:
			p.expected("a closing bracket")
			return
		}
		p.next()
	}
}

// skipParens skips a parenthesised group if one stands here.
func (p *parser) skipParens() bool {
	if !p.is(tLParen) {
		return false
	}
	p.skipBrackets()
	return true
}

// afterParens gives the token behind the parenthesised group that starts at the
// current token, looking at no more than most tokens.
func (p *parser) afterParens(most int) token { return p.afterParensAt(0, most) }

// afterParensAt is afterParens for a group that starts some tokens on.
func (p *parser) afterParensAt(from, most int) token {
	depth := 0
	for n := from; n < from+most; n++ {
		switch t := p.peek(n); t.kind {
		case tLParen:
			depth++
		case tRParen:
			depth--
			if depth == 0 {
				return p.peek(n + 1)
			}
		case tEOF, tSemi:
			return token{}
		}
	}
	return token{}
}
