package grammar

import "slices"

// lexer cuts the source into tokens, in one pass and without allocating but for
// the token slice. It knows the lines that are not SQL (DELIMITER, GO, SQL*Plus,
// psql) and counts the bounds of each statement.
type lexer struct {
	src  []byte
	end  int // src[pos:end] is read
	pos  int
	f    *features
	ch   *charTable
	lim  Limits
	toks []token

	flags    uint8  // for the next token
	first    int    // index of the current statement's first token
	tokenMax int    // number of tokens over which the statement has too many
	room     int    // number of tokens up to which there is room and no bound
	byteMax  int    // position over which the statement is too long, -1 before it begins
	depth    int    // open brackets of the current statement
	skipping bool   // the statement passed a bound: drop tokens up to its border
	over     string // the bound passed, for the message
	delim    string // statement border set by a DELIMITER line, "" for ";"
	exec     int    // open executable comments (/*! ... */)
	program  bool   // inside a PL/SQL block: no SQL*Plus lines there
	budget   int    // bytes that searches for a closing mark may still look through in vain
}

// lex cuts src[from:to]. The last token is always tEOF. The tokens are put into
// room if they fit there. Over names the bound that a statement passed, if one did.
func lex(src []byte, from, to int, f *features, lim Limits, room []token) (toks []token, over string) {
	l := lexer{src: src, pos: from, end: to, f: f, ch: f.chars, lim: lim, toks: room[:0]}
	if need := (to-from)/4 + 8; cap(room) < need {
		l.toks = make([]token, 0, need)
	}
	l.byteMax = -1
	l.budget = 8*(to-from) + 1<<16
	l.flags = flagNewline | flagSpace
	l.run()
	l.skipping = false
	l.toks = append(l.toks, token{pos: uint32(to), end: uint32(to), kind: tEOF, flags: flagNewline | flagSpace})
	return l.toks, l.over
}

func (l *lexer) run() {
	src, end, ch := l.src[:l.end], l.end, l.ch
	for l.pos < end {
		c := src[l.pos]
		class := ch[c]
		switch {
		case class&classSpace != 0:
			l.space()
		case l.delim != "" && c == l.delim[0] && l.atDelimiter(l.pos):
			l.border(l.pos, l.pos+len(l.delim))
		case class&classStart != 0:
			l.word()
		case class&classDigit != 0:
			l.number()
		case c >= 0x80:
			l.wide()
		default:
			l.symbol(c)
		}
	}
}

// space skips white space.
func (l *lexer) space() {
	src, ch := l.src[:l.end], l.ch
	flags := l.flags | flagSpace
	i := l.pos
	for ; i < len(src) && ch[src[i]]&classSpace != 0; i++ {
		if src[i] == '\n' {
			flags |= flagNewline
		}
	}
	l.pos, l.flags = i, flags
}

// peek gives the byte n places on, or 0 at the end.
func (l *lexer) peek(n int) byte {
	if l.pos+n < l.end {
		return l.src[l.pos+n]
	}
	return 0
}

func (l *lexer) emit(k kind, start, end int) {
	l.emitWord(k, 0, start, end)
}

func (l *lexer) emitWord(k kind, kw keyword, start, end int) {
	l.pos = end
	flags := l.flags
	l.flags = 0
	n := len(l.toks)
	if n >= l.room || end > l.byteMax {
		if !l.makeRoom(start, end, flags) {
			return
		}
		n = len(l.toks)
	}
	l.toks = l.toks[:n+1]
	// Field by field: the whole would be put together elsewhere and copied.
	t := &l.toks[n]
	t.pos, t.end = uint32(start), uint32(end)
	t.kw, t.kind, t.flags = kw, k, flags
}

// makeRoom does what is rare before a token is put behind the others: it drops tokens
// of a statement that passed a bound (then it is false), begins a statement, and makes
// room.
func (l *lexer) makeRoom(start, end int, flags uint8) bool {
	if l.skipping {
		return false
	}
	n := len(l.toks)
	if n == l.first {
		l.byteMax, l.tokenMax = start+l.lim.MaxBytes, n+l.lim.MaxTokens
	}
	if n == cap(l.toks) {
		l.more()
	}
	if n >= l.tokenMax || end > l.byteMax {
		l.toks = append(l.toks, token{pos: uint32(start), end: uint32(end), flags: flags})
		l.overLimit(n >= l.tokenMax)
		return false
	}
	l.room = min(cap(l.toks), l.tokenMax)
	return true
}

// more makes room for as many tokens as the rest has if it is like the part before.
func (l *lexer) more() {
	l.toks = slices.Grow(l.toks, len(l.toks)*(l.end-l.pos)/max(l.pos, 1)+16)
}

// overLimit drops the statement's tokens and leaves one that names the bound.
func (l *lexer) overLimit(tokens bool) {
	what := limitBytes
	if tokens {
		what = limitTokens
	}
	l.dropStatement(what)
}

func (l *lexer) dropStatement(what string) {
	start := l.toks[l.first]
	start.kind, start.kw = tOverLimit, 0
	l.toks = append(l.toks[:l.first], start)
	l.over = what
	l.skipping = true
	l.byteMax = -1 // so that each further token is looked at
}

// border ends a statement with a token stronger than ";".
func (l *lexer) border(start, end int) {
	l.endStatement(tBorder, start, end)
	l.program = false
}

func (l *lexer) endStatement(k kind, start, end int) {
	l.skipping = false
	l.toks = append(l.toks, token{pos: uint32(start), end: uint32(end), kind: k, flags: l.flags})
	l.flags = 0
	l.pos = end
	l.depth = 0
	l.first = len(l.toks)
	l.byteMax = -1
}

func (l *lexer) open(k kind) {
	l.emit(k, l.pos, l.pos+1)
	l.depth++
	if l.depth > l.lim.MaxNesting && !l.skipping {
		l.dropStatement(limitNesting)
	}
}

func (l *lexer) close(k kind) {
	l.emit(k, l.pos, l.pos+1)
	if l.depth > 0 {
		l.depth--
	}
}

// last gives the kind of the last token if it stands directly before position
// at, else tEOF.
func (l *lexer) last(at int) kind {
	if n := len(l.toks); n > 0 && int(l.toks[n-1].end) == at {
		return l.toks[n-1].kind
	}
	return tEOF
}

// atStart tells whether the next token starts a statement.
func (l *lexer) atStart() bool {
	return len(l.toks) == l.first
}

// word reads a plain word, a string with a letter before it, or a line that is
// not SQL.
func (l *lexer) word() {
	start := l.pos
	end, hash, lower := l.scanPlain(start)
	if l.delim != "" {
		end, hash = l.cutAtDelimiter(start, end, hash)
	}
	if end < l.end {
		switch l.src[end] {
		case '\'', '"':
			if end-start <= 2 && l.prefixed(start, end) {
				return
			}
		case '&':
			if end-start == 1 && l.unicodeString(start, end) {
				return
			}
		case '$', '{', '%', '#':
			if l.wordWithTemplate(start, end) {
				return
			}
		}
	}
	if end == start { // the mark of a placeholder that is none
		l.emit(tIllegal, start, start+1)
		return
	}
	kw := lookupKeyword(l.src[start:end], hash)
	if kw != 0 && (l.flags&flagNewline != 0 || kw == kwGo && l.atStart()) && l.special(kw, start, end) {
		return
	}
	if lower {
		l.flags |= flagLower
	}
	l.emitWord(tIdent, kw, start, end)
	if kw == kwFormat && l.f.formatData {
		l.inlineData()
	}
}

// scanWord gives the end of the plain word at start, and its keyword hash.
func (l *lexer) scanWord(start int) (int, uint32) {
	end, hash, _ := l.scanPlain(start)
	return end, hash
}

// scanPlain is scanWord that also tells whether the word has small letters only.
func (l *lexer) scanPlain(start int) (end int, hash uint32, lower bool) {
	src, ch := l.src[:l.end], l.ch
	hash = hashSeed
	seen := uint8(0)
	for i := start; i < len(src); i++ {
		c := src[i]
		class := ch[c]
		if class&(classPart|classMark) != classPart {
			if c >= 0x80 || class&classMark != 0 {
				end, hash = l.scanRare(i, hash)
				return end, hash, false
			}
			return i, hash, seen&classCapital == 0
		}
		seen |= class
		hash = (hash ^ uint32(c|0x20)) * hashPrime
	}
	return len(src), hash, seen&classCapital == 0
}

// scanRare goes on with a word from a character that is not ASCII, or may start a
// placeholder.
func (l *lexer) scanRare(i int, hash uint32) (int, uint32) {
	src, ch := l.src[:l.end], l.ch
	for i < len(src) {
		c := src[i]
		if c >= 0x80 {
			class, n := wideClass(src[i:])
			if class&classPart == 0 {
				break
			}
			i += n
			hash = 0
			continue
		}
		if ch[c]&classPart == 0 || (c == '$' || c == '#') && i+1 < len(src) && src[i+1] == '{' {
			break
		}
		hash = (hash ^ uint32(c|0x20)) * hashPrime
		i++
	}
	return i, hash
}

func (l *lexer) wide() {
	class, n := wideClass(l.src[l.pos:l.end])
	switch {
	case class&classSpace != 0:
		l.flags |= flagSpace
		l.pos += n
	case class&classStart != 0:
		l.word()
	default:
		l.emit(tIllegal, l.pos, l.pos+n)
	}
}

// number reads a numeric literal, a word that starts with digits where the
// dialect has such, or the field number after a dot (t.1).
func (l *lexer) number() {
	start := l.pos
	if l.last(start) == tDot {
		end, hash := l.scanWord(start)
		for i := start; i < end; i++ {
			if l.ch[l.src[i]]&classDigit == 0 {
				l.emitWord(tIdent, lookupKeyword(l.src[start:end], hash), start, end)
				return
			}
		}
		l.emit(tNumber, start, end)
		return
	}
	end := l.scanNumber(start)
	if end < l.end && l.ch[l.src[end]]&classPart != 0 && (l.delim == "" || !l.atDelimiter(end)) {
		word, _ := l.scanWord(end)
		switch {
		case numberSuffix(l.src[end:word]):
			end = word
		case l.f.digitWords && word > end && l.plainDigits(start, end):
			l.emit(tIdent, start, word)
			return
		}
	}
	if l.f.digitWords && end+1 < l.end && l.src[end] == '$' && l.src[end+1] == '{' && l.wordWithTemplate(start, end) {
		return
	}
	l.emit(tNumber, start, end)
}

func (l *lexer) plainDigits(start, end int) bool {
	for _, c := range l.src[start:end] {
		if l.ch[c]&classPart == 0 {
			return false
		}
	}
	return true
}

// numberSuffix tells the type letters that some dialects write after a number:
// 10L, 1.5D, 3BD.
func numberSuffix(s []byte) bool {
	switch len(s) {
	case 1:
		switch s[0] | 0x20 {
		case 'l', 's', 'y', 'd', 'f', 'n', 'm':
			return true
		}
	case 2:
		return s[0]|0x20 == 'b' && s[1]|0x20 == 'd'
	}
	return false
}

func (l *lexer) scanNumber(i int) int {
	src := l.src[:l.end]
	if src[i] == '0' && i+2 < len(src) && (src[i+1]|0x20 == 'x' || src[i+1]|0x20 == 'b') && (isHex(src[i+2]) || l.f.noSemicolons && l.ch[src[i+2]]&classPart == 0) {
		j := i + 2
		for j < len(src) && isHex(src[j]) {
			j++
		}
		return j
	}
	i = l.scanDigits(i)
	if i < len(src) && src[i] == '.' {
		next := l.peekAt(i + 1)
		if next == '.' || l.f.dashNames && l.ch[next]&classStart != 0 {
			return i // 1..10, proj-1.dataset
		}
		i = l.scanDigits(i + 1)
	}
	if i+1 < len(src) && src[i]|0x20 == 'e' {
		j := i + 1
		if src[j] == '+' || src[j] == '-' {
			j++
		}
		if j < len(src) && l.ch[src[j]]&classDigit != 0 {
			return l.scanDigits(j)
		}
	}
	return i
}

func (l *lexer) scanDigits(i int) int {
	for i < l.end {
		c := l.src[i]
		if l.ch[c]&classDigit == 0 && (c != '_' || l.ch[l.peekAt(i+1)]&classDigit == 0) {
			break
		}
		i++
	}
	return i
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}
