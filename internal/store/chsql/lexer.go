// Package chsql reads ClickHouse SQL as far as the store needs to: its tokens,
// what kind of statement a text is, where an INSERT's data begins, and whether
// a person may run it. It does not know the grammar; lineage is the parser's
// business.
package chsql

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Kind is a token's kind.
type Kind int

// The kinds of token.
const (
	KindEnd    Kind = iota
	KindWord        // a keyword or a bare name
	KindQuoted      // a name in backticks or double quotes
	KindText        // a string
	KindNumber
	KindSign // one of the operators and brackets, a character each
)

// Token is one piece of a statement.
type Token struct {
	Kind Kind
	// Value is the name or string without its quotes, else the text itself.
	Value string
	// Start and End are byte offsets into the statement.
	Start, End int
}

// Is says whether the token is that keyword; keywords have no case.
func (t Token) Is(keyword string) bool {
	return t.Kind == KindWord && strings.EqualFold(t.Value, keyword)
}

// Sign says whether the token is that character.
func (t Token) Sign(c string) bool { return t.Kind == KindSign && t.Value == c }

// Name says whether the token can name something.
func (t Token) Name() bool { return t.Kind == KindWord || t.Kind == KindQuoted }

// Error says what in a statement is refused, and where.
type Error struct {
	// Offset is the byte at which it stands.
	Offset int
	// Reason is a clause that completes "the statement is refused: ".
	Reason string
}

// Error gives the reason and the place.
func (e *Error) Error() string {
	return fmt.Sprintf("the statement is refused: %s (at byte %d)", e.Reason, e.Offset)
}

// Lexer takes a statement apart, one token at a time, so that what follows an
// INSERT's head need not be SQL.
type Lexer struct {
	sql string
	at  int
}

// NewLexer begins at the statement's first byte.
func NewLexer(sql string) *Lexer { return &Lexer{sql: sql} }

// signs are the characters outside of names, numbers and strings that the
// lexer knows. What the engine may read otherwise, such as heredocs ($), other
// comments (#) and typographic quotes, is left out on purpose: a text that the
// two of them take apart differently could hide something.
const signs = "()[]{}<>=!+-*/%,.;:?|^&~@"

// Next returns the next token; its kind is KindEnd behind the last.
func (l *Lexer) Next() (Token, error) {
	if err := l.skipBlank(); err != nil {
		return Token{}, err
	}
	if l.at >= len(l.sql) {
		return Token{Kind: KindEnd, Start: l.at, End: l.at}, nil
	}
	start := l.at
	switch c := l.sql[l.at]; {
	case c == '\'':
		return l.quoted(KindText)
	case c == '"' || c == '`':
		return l.quoted(KindQuoted)
	case isLetter(c):
		l.takeWhile(func(c byte) bool { return isLetter(c) || isDigit(c) })
		return l.token(KindWord, start), nil
	case isDigit(c):
		l.takeNumber()
		return l.token(KindNumber, start), nil
	case strings.IndexByte(signs, c) >= 0:
		l.at++
		return l.token(KindSign, start), nil
	}
	r, _ := utf8.DecodeRuneInString(l.sql[l.at:])
	return Token{}, &Error{Offset: start, Reason: fmt.Sprintf("the character %q outside of quotes", r)}
}

// Tokens takes a whole statement apart, the end not included.
func Tokens(sql string) ([]Token, error) { return tokensUpTo(sql, math.MaxInt) }

// tokensUpTo takes a statement of at most limit tokens apart, the end not
// included. It stops at the limit, so that a long text costs no memory.
func tokensUpTo(sql string, limit int) ([]Token, error) {
	l := NewLexer(sql)
	var all []Token
	for {
		t, err := l.Next()
		if err != nil {
			return nil, err
		}
		if t.Kind == KindEnd {
			return all, nil
		}
		if len(all) == limit {
			return nil, &Error{Offset: t.Start, Reason: fmt.Sprintf("it has more than %d words", limit)}
		}
		all = append(all, t)
	}
}

func (l *Lexer) token(kind Kind, start int) Token {
	return Token{Kind: kind, Value: l.sql[start:l.at], Start: start, End: l.at}
}

func (l *Lexer) takeWhile(ok func(byte) bool) {
	for l.at < len(l.sql) && ok(l.sql[l.at]) {
		l.at++
	}
}

// takeNumber takes digits, a fraction and an exponent, and hexadecimal
// numbers. Letters that follow digits belong to the token.
func (l *Lexer) takeNumber() {
	for l.at < len(l.sql) {
		c := l.sql[l.at]
		sign := (c == '+' || c == '-') && strings.IndexByte("eE", l.sql[l.at-1]) >= 0 && l.decimal()
		if !isDigit(c) && !isLetter(c) && c != '.' && !sign {
			return
		}
		l.at++
	}
}

// decimal says whether the number that ends here is not hexadecimal, in which
// e is a digit.
func (l *Lexer) decimal() bool {
	start := l.at
	for start > 0 && (isDigit(l.sql[start-1]) || isLetter(l.sql[start-1]) || l.sql[start-1] == '.') {
		start--
	}
	text := strings.ToLower(l.sql[start:l.at])
	return !strings.HasPrefix(text, "0x") && !strings.HasPrefix(text, "0b")
}

// skipBlank passes over spaces and comments.
func (l *Lexer) skipBlank() error {
	for l.at < len(l.sql) {
		rest := l.sql[l.at:]
		switch {
		case strings.IndexByte(" \t\r\n\f\v", rest[0]) >= 0:
			l.at++
		case strings.HasPrefix(rest, "--"):
			l.takeWhile(func(c byte) bool { return c != '\n' })
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return &Error{Offset: l.at, Reason: "a comment that does not end"}
			}
			l.at += 2 + end + 2
		default:
			return nil
		}
	}
	return nil
}

// quoted takes a string or a quoted name. A backslash takes the next
// character with it, a doubled quote stands for one.
func (l *Lexer) quoted(kind Kind) (Token, error) {
	start := l.at
	quote := l.sql[l.at]
	var value strings.Builder
	for l.at++; l.at < len(l.sql); l.at++ {
		switch c := l.sql[l.at]; {
		case c == '\\' && l.at+1 < len(l.sql):
			l.at++
			value.WriteByte(unescape(l.sql[l.at]))
		case c != quote:
			value.WriteByte(c)
		case l.at+1 < len(l.sql) && l.sql[l.at+1] == quote:
			l.at++
			value.WriteByte(quote)
		default:
			l.at++
			return Token{Kind: kind, Value: value.String(), Start: start, End: l.at}, nil
		}
	}
	return Token{}, &Error{Offset: start, Reason: "a quote that does not end"}
}

// unescape gives what a character behind a backslash stands for. Escapes of
// several characters (\xHH) do not matter to what is looked at here, except
// that a name with one is not the name that it seems to be; see Check.
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

func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
