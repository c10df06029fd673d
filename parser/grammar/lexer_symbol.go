package grammar

import "strings"

// symbol reads a token that starts with a character that is neither letter,
// digit nor space.
func (l *lexer) symbol(c byte) {
	switch c {
	case '\'':
		if l.f.tripleQuotes && l.tripleQuoted(l.pos, l.pos, true) {
			return
		}
		l.quoted(tString, '\'')
	case '"':
		l.doubleQuote()
	case '`':
		l.quoted(tQuoted, '`')
	case '(':
		l.open(tLParen)
	case ')':
		l.close(tRParen)
	case '[':
		if l.f.bracketNames {
			l.bracketName()
			return
		}
		l.open(tLBracket)
	case ']':
		l.close(tRBracket)
	case '{':
		l.brace()
	case '}':
		l.close(tRBrace)
	case ',':
		l.emit(tComma, l.pos, l.pos+1)
	case '.':
		l.dot()
	case ';':
		l.endStatement(tSemi, l.pos, l.pos+1)
		if l.f.copyData {
			l.copyData()
		}
	case '@':
		l.at()
	case '$':
		l.dollar()
	case '\\':
		l.backslash()
	default:
		l.operator(c)
	}
}

func (l *lexer) dot() {
	if l.peek(1) == '.' {
		l.emit(tDotDot, l.pos, l.pos+2)
		return
	}
	if l.ch[l.peek(1)]&classDigit != 0 && !operand(l.last(l.pos)) {
		end := l.scanNumber(l.pos)
		if word, _ := l.scanWord(end); numberSuffix(l.src[end:word]) {
			end = word
		}
		l.emit(tNumber, l.pos, end)
		return
	}
	l.emit(tDot, l.pos, l.pos+1)
}

// operand tells whether a token of this kind ends a value.
func operand(k kind) bool {
	switch k {
	case tIdent, tQuoted, tString, tNumber, tVariable, tBind, tTemplate, tRParen, tRBracket, tRBrace:
		return true
	}
	return false
}

// operator reads comments, placeholders and operators.
func (l *lexer) operator(c byte) {
	next := l.peek(1)
	if l.comment(c, next) || l.mark(c) {
		return
	}
	if l.f.operatorRuns {
		l.operatorRun()
		return
	}
	k, n := l.fixedOperator(c, next)
	l.emit(k, l.pos, l.pos+n)
}

// comment skips a comment, or the mark that ends an executable one.
func (l *lexer) comment(c, next byte) bool {
	switch {
	case c == '-' && next == '-' && (!l.f.dashSpace || l.dashComment()):
		l.lineComment()
	case c == '/' && next == '*':
		l.blockComment()
	case c == '/' && next == '/' && l.f.slashComment:
		l.lineComment()
	case c == '*' && next == '/' && l.exec > 0:
		l.exec--
		l.flags |= flagSpace
		l.pos += 2
	default:
		return false
	}
	return true
}

// mark reads what a character stands for that is an operator elsewhere: a
// placeholder, or a line that is for the client program.
func (l *lexer) mark(c byte) bool {
	switch c {
	case '#':
		return l.hash()
	case '%':
		return l.f.notebooks && l.startsLine() && l.magicCell() || l.percentBind()
	case '&':
		return l.f.ampersand && l.substitution()
	case '/':
		if !l.f.slashLine || l.flags&flagNewline == 0 || !l.aloneOnLine(l.pos+1) {
			return false
		}
		l.border(l.pos, l.pos+1)
	case ':', '!': // sqlcmd: :setvar, :r; Hive: !command
		if !l.startsLine() || c == ':' && !l.f.goLines || c == '!' && !l.f.bangLine {
			return false
		}
		l.skipLine()
	default:
		return false
	}
	return true
}

// startsLine tells whether the next token starts a line and a statement.
func (l *lexer) startsLine() bool { return l.flags&flagNewline != 0 && l.atStart() }

// dashComment tells whether "--" starts a comment in MySQL, which wants white
// space behind it (5--3 is 8).
func (l *lexer) dashComment() bool {
	c := l.peek(2)
	return c == 0 || l.ch[c]&classSpace != 0 || c < ' ' || l.atStart()
}

// fixedOperator gives the longest operator at the position and its length.
func (l *lexer) fixedOperator(c, next byte) (kind, int) {
	third := l.peek(2)
	switch c {
	case '=':
		switch next {
		case '=':
			return tEq, 2
		case '>':
			return tFatArrow, 2
		}
		return tEq, 1
	case '<':
		return lessOperator(next, third)
	case '>':
		switch next {
		case '=':
			return tGe, 2
		case '>':
			return tShr, 2
		}
		return tGt, 1
	case '!':
		switch next {
		case '=':
			return tNe, 2
		case '<':
			return tGe, 2
		case '>':
			return tLe, 2
		case '~':
			return tOperator, l.run1(2, '~', '*')
		}
		return tBang, 1
	case '|':
		switch {
		case next == '|' && third == '/', next == '/':
			return tOperator, 2
		case next == '|':
			return tConcat, 2
		case next == '>':
			return tPipeGt, 2
		}
		return tPipe, 1
	case '-':
		switch {
		case next == '>' && third == '>':
			return tArrow2, 3
		case next == '>':
			return tArrow, 2
		}
		return tMinus, 1
	case ':':
		switch next {
		case ':':
			return tCast, 2
		case '=':
			return tAssign, 2
		}
		return tColon, 1
	}
	return otherOperator(c, next, third)
}

func lessOperator(next, third byte) (kind, int) {
	switch next {
	case '=':
		if third == '>' {
			return tNullSafe, 3
		}
		return tLe, 2
	case '>':
		return tNe, 2
	case '<':
		return tShl, 2
	case '@', '|':
		return tOperator, 2
	}
	return tLt, 1
}

func otherOperator(c, next, third byte) (kind, int) {
	switch c {
	case '+':
		return tPlus, 1
	case '*':
		if next == '*' {
			return tOperator, 2
		}
		return tStar, 1
	case '/':
		if next == '/' {
			return tOperator, 2
		}
		return tSlash, 1
	case '%':
		return tPercent, 1
	case '&':
		if next == '&' {
			return tAmpAmp, 2
		}
		return tAmp, 1
	case '^':
		switch next {
		case '=':
			return tNe, 2
		case '@':
			return tOperator, 2
		}
		return tCaret, 1
	case '~':
		switch next {
		case '=':
			return tNe, 2
		case '~', '*':
			if third == '*' {
				return tOperator, 3
			}
			return tOperator, 2
		}
		return tTilde, 1
	case '?':
		return tQuestion, 1
	case '@':
		return tAt, 1
	case '#':
		if next == '>' {
			if third == '>' {
				return tOperator, 3
			}
			return tOperator, 2
		}
		return tHash, 1
	}
	return tIllegal, 1
}

// run1 gives the length n plus that of the optional bytes that follow.
func (l *lexer) run1(n int, optional ...byte) int {
	for _, c := range optional {
		if l.peek(n) == c {
			n++
		}
	}
	return n
}

// operatorRun reads an operator as the Postgres family does: the longest run of
// operator characters, without a trailing sign unless the run holds one of the
// characters that no SQL standard operator has.
func (l *lexer) operatorRun() {
	start := l.pos
	src := l.src[:l.end]
	i := start
	special := false
	for i < len(src) && strings.IndexByte("+-*/<>=~!@#%^&|`?:", src[i]) >= 0 {
		if i > start && (src[i] == '-' && i+1 < len(src) && src[i+1] == '-' || src[i] == '/' && i+1 < len(src) && src[i+1] == '*') {
			break
		}
		if src[i] == ':' && (i > start || l.peekAt(i+1) != ':' && l.peekAt(i+1) != '=') {
			break
		}
		if src[i] == ':' {
			l.emitOperator(start, i+2)
			return
		}
		special = special || strings.IndexByte("~!@#%^&|`?", src[i]) >= 0
		i++
	}
	for !special && i > start+1 && (src[i-1] == '+' || src[i-1] == '-') {
		i--
	}
	if i == start {
		i++
	}
	l.emitOperator(start, i)
}

// emitOperator emits the operator src[start:end] with the kind that it has in
// all dialects, or as tOperator.
func (l *lexer) emitOperator(start, end int) {
	c := l.src[start]
	k, n := l.fixedOperator(c, l.peek(1))
	if n == end-start {
		l.emit(k, start, end)
		return
	}
	if c == '*' && n < end-start {
		// "select *-1" and the like are rare; a star before an operator is
		// nearly always count(*) or a multiplication.
		l.emit(tStar, start, start+1)
		return
	}
	if c == '=' && l.src[end-1] == '>' {
		l.emit(tFatArrow, start, start+2)
		return
	}
	l.emit(tOperator, start, end)
}

// at reads @variables, stages, and the at sign as an operator.
func (l *lexer) at() {
	next := l.peek(1)
	switch {
	case l.f.stages && (l.ch[next]&classStart != 0 || next == '~' || next == '%' || next == '"'):
		l.stage()
		return
	case l.f.atLine && l.flags&flagNewline != 0 && l.atStart():
		l.skipLine()
		return
	case l.f.atVariables:
		if end := l.variableEnd(); end > 0 {
			l.emit(tVariable, l.pos, end)
			return
		}
	}
	if l.f.operatorRuns {
		l.operatorRun()
		return
	}
	if next == '>' || next == '?' || next == '@' {
		l.emit(tOperator, l.pos, l.pos+2)
		return
	}
	l.emit(tAt, l.pos, l.pos+1)
}

// variableEnd gives the end of @name, @@name or @'name', or 0.
func (l *lexer) variableEnd() int {
	i := l.pos + 1
	if i < l.end && l.src[i] == '@' {
		i++
	}
	if i >= l.end {
		return 0
	}
	c := l.src[i]
	if c == '`' || c == '\'' || c == '"' {
		if n := l.find(i+1, string(c)); n >= 0 {
			return i + n + 2
		}
		return 0
	}
	if l.ch[c]&classPart == 0 && c < 0x80 {
		return 0
	}
	end, _ := l.scanWord(i)
	return end
}

// stage reads a Snowflake stage with its path, up to white space or a bracket.
func (l *lexer) stage() {
	i := l.pos + 1
	for i < l.end {
		c := l.src[i]
		if c == '"' {
			n := l.find(i+1, `"`)
			if n < 0 {
				break
			}
			i += n + 2
			continue
		}
		if l.ch[c]&classSpace != 0 || strings.IndexByte("();,'", c) >= 0 {
			break
		}
		i++
	}
	l.emit(tStage, l.pos, i)
}
