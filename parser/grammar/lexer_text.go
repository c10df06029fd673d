package grammar

import "bytes"

// quoted reads a text that starts at the position with its quote character, in
// which the quote is escaped by doubling it and, where the dialect has it in
// strings, by a backslash.
func (l *lexer) quoted(k kind, quote byte) {
	l.quotedFrom(k, l.pos, l.pos, quote, l.f.backslash && k == tString || l.f.backslashNames && quote == '`')
}

// quotedFrom reads a text whose quote stands at open; its token starts at start.
func (l *lexer) quotedFrom(k kind, start, open int, quote byte, backslash bool) {
	src := l.src[:l.end]
	i := open + 1
	for i < len(src) {
		c := src[i]
		switch {
		case c == quote:
			if i+1 < len(src) && src[i+1] == quote {
				l.flags |= flagEscaped
				i += 2
				continue
			}
			l.emit(k, start, i+1)
			return
		case c == '\\' && backslash:
			l.flags |= flagEscaped
			i += 2
		default:
			i++
		}
	}
	l.emit(tUnclosed, start, l.end)
}

func (l *lexer) doubleQuote() {
	if l.f.tripleQuotes && l.tripleQuoted(l.pos, l.pos, true) {
		return
	}
	if l.f.doubleQuoteStrings {
		l.quoted(tString, '"')
		return
	}
	l.quotedFrom(tQuoted, l.pos, l.pos, '"', false)
}

// tripleQuoted reads a text in triple quotes, if there is one at open.
func (l *lexer) tripleQuoted(start, open int, backslash bool) bool {
	src := l.src[:l.end]
	if open+2 >= len(src) || src[open+1] != src[open] || src[open+2] != src[open] {
		return false
	}
	closer := src[open : open+3]
	for i := open + 3; i < len(src); i++ {
		if src[i] == '\\' && backslash {
			l.flags |= flagEscaped
			i++
			continue
		}
		if src[i] == closer[0] && bytes.HasPrefix(src[i:], closer) {
			l.emit(tString, start, i+3)
			return true
		}
	}
	l.emit(tUnclosed, start, l.end)
	return true
}

// prefixed reads a string with a prefix of one or two letters: N'..', x'..',
// E'..', r"..", q'[..]'. It does nothing if the letters are no prefix here.
func (l *lexer) prefixed(start, end int) bool {
	quote := l.src[end]
	if quote == '"' && !l.f.doubleQuoteStrings {
		return false
	}
	raw, escape, q := false, l.f.backslash, false
	for _, c := range l.src[start:end] {
		switch c | 0x20 {
		case 'n', 'x', 'b':
		case 'r':
			if !l.f.rawStrings {
				return false
			}
			raw = true
		case 'e':
			if !l.f.escapeStrings {
				return false
			}
			escape = true
		case 'q':
			if !l.f.qStrings {
				return false
			}
			q = true
		default:
			return false
		}
	}
	switch {
	case q:
		return l.qString(start, end)
	case l.f.tripleQuotes && l.tripleQuoted(start, end, true):
		// A raw text keeps its backslashes, but a quote behind one does not end it.
	case raw:
		l.rawString(start, end)
	default:
		l.quotedFrom(tString, start, end, quote, escape)
	}
	return true
}

// rawString reads r'..': a backslash is kept, and the quote behind it does not
// end the text.
func (l *lexer) rawString(start, open int) {
	quote := l.src[open]
	for i := open + 1; i < l.end; i++ {
		switch l.src[i] {
		case '\\':
			if l.f.rawBackslash {
				i++
			}
		case quote:
			l.emit(tString, start, i+1)
			return
		}
	}
	l.emit(tUnclosed, start, l.end)
}

// qString reads Oracle's q'[..]'.
func (l *lexer) qString(start, open int) bool {
	if open+2 >= l.end {
		return false
	}
	closer := l.src[open+1]
	switch closer {
	case '[':
		closer = ']'
	case '(':
		closer = ')'
	case '{':
		closer = '}'
	case '<':
		closer = '>'
	}
	n := bytes.Index(l.src[open+2:l.end], []byte{closer, '\''})
	if n < 0 {
		l.emit(tUnclosed, start, l.end)
		return true
	}
	l.emit(tString, start, open+2+n+2)
	return true
}

// unicodeString reads U&'..' and U&"..".
func (l *lexer) unicodeString(start, end int) bool {
	if l.src[start]|0x20 != 'u' || end+1 >= l.end {
		return false
	}
	switch l.src[end+1] {
	case '\'':
		l.quotedFrom(tString, start, end+1, '\'', false)
	case '"':
		l.quotedFrom(tQuoted, start, end+1, '"', false)
	default:
		return false
	}
	return true
}

// bracketName reads T-SQL's [name], in which ]] stands for ].
func (l *lexer) bracketName() {
	for i := l.pos + 1; i < l.end; i++ {
		if l.src[i] != ']' {
			continue
		}
		if i+1 < l.end && l.src[i+1] == ']' {
			l.flags |= flagEscaped
			i++
			continue
		}
		l.emit(tQuoted, l.pos, i+1)
		return
	}
	l.emit(tUnclosed, l.pos, l.end)
}

func (l *lexer) lineComment() {
	if l.f.notebooks && l.flags&flagNewline != 0 && bytes.HasPrefix(l.src[l.pos:l.end], []byte("-- COMMAND ---")) {
		l.endStatement(tSemi, l.pos, l.pos)
	}
	n := bytes.IndexByte(l.src[l.pos:l.end], '\n')
	if n < 0 {
		l.pos = l.end
		return
	}
	l.flags |= flagSpace
	l.pos += n
}

// blockComment skips /* .. */, nested where the dialect nests them. The content
// of an executable comment (/*! .. */, /*T! .. */) is read as SQL.
func (l *lexer) blockComment() {
	l.flags |= flagSpace
	if l.f.execComments && l.execComment() {
		return
	}
	src := l.src[:l.end]
	depth := 1
	for i := l.pos + 2; i+1 < len(src); i++ {
		switch {
		case src[i] == '*' && src[i+1] == '/':
			depth--
			i++
			if depth == 0 {
				l.pos = i + 1
				return
			}
		case src[i] == '/' && src[i+1] == '*' && l.f.nestedComments:
			depth++
			i++
		}
	}
	l.emit(tUnclosed, l.pos, l.end)
}

// execComment enters an executable comment, if one starts at the position.
func (l *lexer) execComment() bool {
	i := l.pos + 2
	if i < l.end && (l.src[i] == 'M' || l.src[i] == 'T') {
		i++
	}
	if i >= l.end || l.src[i] != '!' {
		return false
	}
	i++
	if i < l.end && l.src[i] == '[' {
		n := l.find(i, "]")
		if n < 0 {
			return false
		}
		i += n + 1
	}
	for i < l.end && l.ch[l.src[i]]&classDigit != 0 {
		i++
	}
	l.exec++
	l.pos = i
	return true
}

// hash handles "#": a comment, a template, or an operator (then it is false).
func (l *lexer) hash() bool {
	if l.peek(1) == '{' {
		if end := l.simpleTemplate(l.pos+2, '}'); end > 0 {
			l.templateWord(l.pos, end)
			return true
		}
	}
	if l.f.hashComment || l.f.hashSpaceComment && (l.peek(1) == ' ' || l.peek(1) == '!') {
		l.lineComment()
		return true
	}
	return false
}

// find gives the position of a mark in src[i:], counted from i, or -1. Searches in
// vain are paid from a budget, so that many marks without an end cost no more than
// a few passes over the source; when it is used up, nothing is found.
func (l *lexer) find(i int, mark string) int {
	if l.budget < 0 {
		return -1
	}
	n := bytes.Index(l.src[i:l.end], []byte(mark))
	if n < 0 {
		l.budget -= l.end - i
	}
	return n
}

// simpleTemplate gives the end of a placeholder whose text, from i on, is one
// line of plain characters up to the closer, or 0.
func (l *lexer) simpleTemplate(i int, closer byte) int {
	for start := i; i < l.end && i < start+maxPlaceholder; i++ {
		switch l.src[i] {
		case closer:
			return i + 1
		case '\n', ';', '\'', '"':
			return 0
		}
	}
	return 0
}

// maxPlaceholder bounds the length of a placeholder on one line.
const maxPlaceholder = 400

// percentBind reads %s and %(name)s where a value or name is due.
func (l *lexer) percentBind() bool {
	end := l.percentEnd(l.pos)
	if end == 0 || len(l.toks) > l.first && l.afterOperand() {
		return false
	}
	l.emit(tBind, l.pos, end)
	return true
}

// percentEnd gives the end of a %s or %(name)s at i, or 0.
func (l *lexer) percentEnd(i int) int {
	i++
	if i >= l.end {
		return 0
	}
	if l.src[i] == '(' {
		n := bytes.IndexByte(l.src[i:min(l.end, i+maxPlaceholder)], ')')
		if n < 2 || bytes.ContainsAny(l.src[i+1:i+n], " '\"(,+") {
			return 0
		}
		i += n + 1
		if i >= l.end || l.src[i] != 's' && l.src[i] != 'd' && l.src[i] != 'i' && l.src[i] != 'f' {
			return 0
		}
	} else if l.src[i] != 's' && l.src[i] != 'd' {
		return 0
	}
	i++
	if i < l.end && l.ch[l.src[i]]&classPart != 0 && l.src[i] != '_' {
		return 0
	}
	return i
}

// afterOperand tells whether the last token ends a value, so that an operator is
// due and not a value.
func (l *lexer) afterOperand() bool {
	t := l.toks[len(l.toks)-1]
	return operand(t.kind) && (t.kind != tIdent || !l.f.reserved.has(t.kw))
}

// substitution reads SQL*Plus's &name and &&name; a dot behind it ends the name
// and belongs to it.
func (l *lexer) substitution() bool {
	i := l.pos + 1
	if i < l.end && l.src[i] == '&' {
		i++
	}
	if i >= l.end || l.ch[l.src[i]]&classPart == 0 {
		return false
	}
	end, _ := l.scanWord(i)
	if end < l.end && l.src[end] == '.' {
		end++
	}
	l.templateWord(l.pos, end)
	return true
}

// dollar reads ${..}, $(..), $$..$$, $tag$..$tag$, $1 and $name.
func (l *lexer) dollar() {
	next := l.peek(1)
	switch {
	case next == '{':
		if end := l.templateEnd(l.pos); end > 0 {
			l.templateWord(l.pos, end)
			return
		}
	case next == '(' && l.f.parenTemplates:
		if end := l.simpleTemplate(l.pos+2, ')'); end > 0 {
			l.templateWord(l.pos, end)
			return
		}
	case l.f.dollarBodies && l.dollarBody():
		return
	}
	if l.ch[next]&classPart != 0 {
		end, _ := l.scanWord(l.pos + 1)
		l.emit(tVariable, l.pos, end)
		return
	}
	l.emit(tDollar, l.pos, l.pos+1)
}

// dollarBody reads a text between two equal $tag$, if there is one.
func (l *lexer) dollarBody() bool {
	i := l.pos + 1
	for i < l.end && l.ch[l.src[i]]&classPart != 0 && l.src[i] != '$' {
		i++
	}
	if i >= l.end || l.src[i] != '$' {
		return false
	}
	tag := l.src[l.pos : i+1]
	n := l.find(i+1, string(tag))
	if n < 0 {
		if len(tag) > 2 {
			return false
		}
		l.emit(tUnclosed, l.pos, l.end)
		return true
	}
	l.emit(tBody, l.pos, i+1+n+len(tag))
	return true
}

// brace reads {{ }}, {% %}, {# #}, ClickHouse's {name:Type}, or a plain brace.
func (l *lexer) brace() {
	switch l.peek(1) {
	case '{':
		if end := l.templateEnd(l.pos); end > 0 {
			l.templateWord(l.pos, end)
			return
		}
	case '%':
		if n := l.find(l.pos, "%}"); n > 0 {
			l.emit(tBlock, l.pos, l.pos+n+2)
			return
		}
	case '#':
		if n := l.find(l.pos, "#}"); n > 0 {
			l.flags |= flagSpace
			l.pos += n + 2
			return
		}
	}
	if l.ch[l.peek(1)]&classPart != 0 || l.peek(1) == ' ' {
		if end := l.braceBind(); end > 0 {
			l.templateOrBind(end)
			return
		}
	}
	l.open(tLBrace)
}

// braceBind gives the end of {name} or {name:Type}, or 0.
func (l *lexer) braceBind() int {
	i := l.pos + 1
	for i < l.end && l.src[i] == ' ' {
		i++
	}
	word, _ := l.scanWord(i)
	if word == i {
		return 0
	}
	for word < l.end && l.src[word] == ' ' {
		word++
	}
	if word >= l.end {
		return 0
	}
	switch {
	case l.src[word] == '}':
		return word + 1
	case l.src[word] == ':' && l.f.typedBinds, l.src[word] == '.' || l.src[word] == '[':
		return l.simpleTemplate(word, '}')
	}
	return 0
}

// templateOrBind emits {name:Type} as a bound value and {name} (Python's format
// strings) as a placeholder that may be part of a name.
func (l *lexer) templateOrBind(end int) {
	if l.f.typedBinds && bytes.IndexByte(l.src[l.pos:end], ':') > 0 && !bytes.Contains(l.src[l.pos:end], []byte("Identifier")) {
		l.emit(tBind, l.pos, end)
		return
	}
	l.templateWord(l.pos, end)
}

// templateEnd gives the end of the ${..}, {{..}}, #{..} or %(..)s placeholder at
// i, or 0 if there is none.
func (l *lexer) templateEnd(i int) int {
	if i+1 >= l.end {
		return 0
	}
	switch {
	case l.src[i] == '{' && l.src[i+1] == '{':
		if n := l.find(i, "}}"); n > 0 {
			i += n + 2
			for i < l.end && l.src[i] == '}' {
				i++
			}
			return i
		}
	case l.src[i] == '{':
		return l.simpleTemplateName(i)
	case l.src[i] == '#' && l.src[i+1] == '{':
		return l.simpleTemplate(i+2, '}')
	case l.src[i] == '%':
		return l.percentEnd(i)
	case l.src[i] == '$' && l.src[i+1] == '{':
		depth := 0
		for j := i + 1; j < l.end && j < i+maxPlaceholder; j++ {
			switch l.src[j] {
			case '{':
				depth++
			case '}':
				depth--
				if depth == 0 {
					return j + 1
				}
			case '\n', ';':
				return 0
			}
		}
	}
	return 0
}

// simpleTemplateName gives the end of {name} directly behind a word.
func (l *lexer) simpleTemplateName(i int) int {
	end, _ := l.scanWord(i + 1)
	if end > i+1 && end < l.end && l.src[end] == '}' {
		return end + 1
	}
	return 0
}

// wordWithTemplate reads a word whose plain part src[start:end] is followed
// directly by a placeholder. It does nothing if none follows.
func (l *lexer) wordWithTemplate(start, end int) bool {
	if l.src[end] == '%' && (end == start || l.src[end-1] != '_' && l.peekAt(end+1) != '(') {
		return false
	}
	after := l.templateEnd(end)
	if after == 0 {
		return false
	}
	l.templateWord(start, after)
	return true
}

func (l *lexer) peekAt(i int) byte {
	if i < l.end {
		return l.src[i]
	}
	return 0
}

// templateWord emits a placeholder src[start:end] together with the word
// characters and placeholders that follow it directly.
func (l *lexer) templateWord(start, end int) {
	alone := true
	c := l.src[start]
	if c != '$' && c != '{' && c != '#' && c != '&' && c != '%' {
		alone = false
	}
	for end < l.end {
		word, _ := l.scanWord(end)
		if word > end {
			end, alone = word, false
			continue
		}
		next := l.templateEnd(end)
		if next == 0 || l.src[end] == '%' {
			break
		}
		end, alone = next, false
	}
	l.flags |= flagTemplate
	if alone {
		l.emit(tTemplate, start, end)
		return
	}
	l.emit(tIdent, start, end)
}
