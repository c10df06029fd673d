package grammar

import (
	"bytes"
	"strings"
)

// special handles words that, at the start of a line, are not SQL but for the
// client program. It tells whether it read the line.
func (l *lexer) special(kw keyword, start, end int) bool {
	switch {
	case kw == kwGo && l.f.goLines:
		return l.goLine(start, end)
	case kw == kwDelimiter && l.f.delimiterLines:
		l.delimiterLine(end)
		return true
	case l.f.sqlPlus:
		return l.sqlPlusLine(kw, end)
	case (kw == kwPut || kw == kwGet) && l.f.stages && l.atStart():
		l.rawStatement(kw, start, end)
		return true
	}
	return false
}

func (l *lexer) lineEnd(from int) int {
	if n := bytes.IndexByte(l.src[from:l.end], '\n'); n >= 0 {
		return from + n
	}
	return l.end
}

func (l *lexer) skipLine() {
	l.pos = l.lineEnd(l.pos)
}

// aloneOnLine tells whether only white space follows on the line.
func (l *lexer) aloneOnLine(from int) bool {
	return len(bytes.TrimSpace(l.src[from:l.lineEnd(from)])) == 0
}

// goLine reads T-SQL's batch separator: GO, alone or with a count, on its line.
func (l *lexer) goLine(start, end int) bool {
	rest := string(bytes.TrimSpace(l.src[end:l.lineEnd(end)]))
	rest = strings.TrimSuffix(rest, ";")
	if strings.Trim(rest, "0123456789") != "" && !strings.HasPrefix(rest, "--") {
		return false
	}
	l.border(start, end)
	l.pos = l.lineEnd(end)
	return true
}

// delimiterLine reads the mysql client's DELIMITER line.
func (l *lexer) delimiterLine(from int) {
	eol := l.lineEnd(from)
	fields := bytes.Fields(l.src[from:eol])
	l.delim = ""
	if len(fields) > 0 && string(fields[0]) != ";" {
		l.delim = string(fields[0])
	}
	l.endStatement(tBorder, from, from)
	l.pos = eol
}

func (l *lexer) atDelimiter(i int) bool {
	return i+len(l.delim) <= l.end && string(l.src[i:i+len(l.delim)]) == l.delim
}

// cutAtDelimiter ends a word before a delimiter that it swallowed (END$$).
func (l *lexer) cutAtDelimiter(start, end int, hash uint32) (int, uint32) {
	n := bytes.Index(l.src[start:end], []byte(l.delim))
	if n <= 0 {
		return end, hash
	}
	hash = hashSeed
	for _, c := range l.src[start : start+n] {
		hash = (hash ^ uint32(c|0x20)) * hashPrime
	}
	return start + n, hash
}

// sqlPlusLine skips a SQL*Plus command, with its continuation lines, and notes
// when a PL/SQL block starts, in which such words are statements.
func (l *lexer) sqlPlusLine(kw keyword, end int) bool {
	if !l.atStart() || l.program {
		return false
	}
	switch kw {
	case kwBegin, kwDeclare, kwCreate:
		l.program = kw != kwCreate || l.createsProgram(end)
		return false
	}
	if !sqlPlusWords.has(kw) {
		return false
	}
	if c := l.peekAt(end); c != 0 && l.ch[c]&classSpace == 0 && c != ';' {
		return false
	}
	eol := l.lineEnd(end)
	for eol < l.end && bytes.HasSuffix(bytes.TrimRight(l.src[end:eol], " \t\r"), []byte("-")) {
		eol = l.lineEnd(eol + 1)
	}
	l.pos = eol
	return true
}

// createsProgram tells whether a CREATE, whose text goes on at i, makes a stored
// program, that is, has statements with semicolons inside.
func (l *lexer) createsProgram(i int) bool {
	for range 6 {
		for i < l.end && l.ch[l.src[i]]&classSpace != 0 {
			i++
		}
		word, hash := l.scanWord(i)
		switch lookupKeyword(l.src[i:word], hash) {
		case kwProcedure, kwFunction, kwPackage, kwTrigger, kwType:
			return true
		case kwOr, kwReplace, kwEditionable, kwNoneditionable, kwAnd, kwCompile, kwResolve:
			i = word
		default:
			return false
		}
	}
	return false
}

// rawStatement emits the word of a statement whose rest is no SQL, and skips the
// rest up to its border.
func (l *lexer) rawStatement(kw keyword, start, end int) {
	l.emitWord(tIdent, kw, start, end)
	eol := l.lineEnd(end)
	if n := bytes.IndexByte(l.src[end:eol], ';'); n >= 0 {
		eol = end + n
	}
	l.pos = eol
}

// magicCell skips a notebook cell in another language (%python), up to the next
// cell; %sql starts a cell of SQL.
func (l *lexer) magicCell() bool {
	word, _ := l.scanWord(l.pos + 1)
	if word == l.pos+1 {
		return false
	}
	if string(l.src[l.pos+1:word]) == "sql" {
		l.pos = word
		return true
	}
	next := l.find(l.pos, "\n-- COMMAND ---")
	if next < 0 {
		next = l.end - l.pos
	}
	l.pos += next
	return true
}

// backslash skips the lines of psql's own commands.
func (l *lexer) backslash() {
	if l.f.backslashLines {
		if !l.atStart() { // \gexec and its like send the query off
			l.endStatement(tSemi, l.pos, l.pos)
		}
		l.skipLine()
		return
	}
	l.emit(tIllegal, l.pos, l.pos+1)
}

// copyData skips the data lines behind COPY .. FROM STDIN, up to the line "\.".
func (l *lexer) copyData() {
	n := len(l.toks) - 1 // the semicolon
	first := n
	for first > 0 && l.toks[first-1].kind != tSemi && l.toks[first-1].kind != tBorder {
		first--
		if n-first > 200 {
			return
		}
	}
	if l.toks[first].kw != kwCopy {
		return
	}
	stdin := false
	for _, t := range l.toks[first:n] {
		stdin = stdin || t.kw == kwStdin
	}
	if !stdin {
		return
	}
	for i := l.lineEnd(l.pos); i < l.end; {
		eol := l.lineEnd(i + 1)
		if i < l.end && string(bytes.TrimSpace(l.src[i:eol])) == `\.` {
			l.pos = eol
			return
		}
		i = eol
	}
	if l.lineEnd(l.pos) < l.end {
		l.pos = l.end
	}
}

// inlineData skips the data behind ClickHouse's INSERT .. FORMAT name: it goes on
// to an empty line, to a semicolon at the end of a line, or to the end.
func (l *lexer) inlineData() {
	if l.skipping || l.depth > 0 || l.toks[l.first].kw != kwInsert {
		return
	}
	i := l.pos
	for i < l.end && l.ch[l.src[i]]&classSpace != 0 {
		i++
	}
	end, hash := l.scanWord(i)
	if kw := lookupKeyword(l.src[i:end], hash); end == i || kw == kwValues {
		return
	}
	for _, t := range l.toks[l.first:] {
		if t.kw == kwSelect || t.kw == kwValues {
			return
		}
	}
	l.emitWord(tIdent, 0, i, end)
	rest := l.src[end:l.end]
	stop := len(rest)
	for _, border := range []string{"\n\n", "\n\r\n", ";\n", ";\r\n"} {
		if n := bytes.Index(rest[:stop], []byte(border)); n >= 0 {
			stop = n
		}
	}
	l.pos = end + stop
	if stop == len(rest) || rest[stop] != ';' {
		l.endStatement(tSemi, l.pos, l.pos)
	}
}
