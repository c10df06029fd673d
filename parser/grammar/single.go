package grammar

import (
	"bytes"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// Single gives the place of the only statement of a script in MySQL's language by
// looking at its bytes, which takes a small part of the time that cutting it into
// tokens does. It knows plain SQL alone and says what Alone does; false says that the
// tokens have to tell. What it gives makes no trigger.
func Single(src []byte, lim Limits) (ir.Span, bool) {
	lim = lim.withDefaults()
	s := single{src: src, start: -1, room: min(lim.MaxNesting, lim.MaxTokens)}
	for s.at < len(src) && s.room >= 0 {
		if !s.next() {
			return ir.Span{}, false
		}
	}
	if s.start < 0 || s.room < 0 || s.end-s.start > lim.MaxBytes {
		return ir.Span{}, false
	}
	return ir.Span{Start: int32(s.start), End: int32(s.end)}, true
}

// single is the state of Single. room is how many more tokens there may be.
type single struct {
	src            []byte
	at, start, end int
	room           int
	ended          bool // by a semicolon
}

// The kinds of bytes that plain SQL is made of.
const (
	byteOther uint8 = iota // not plain
	byteSpace
	byteWord
	byteSymbol
	byteQuote
	byteSemicolon
)

var singleBytes = func() (t [256]uint8) {
	for kind, list := range map[uint8]string{
		byteSpace:     " \t\n\r\f\v",
		byteWord:      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_",
		byteSymbol:    "(),.=<>!+-*/",
		byteQuote:     "'\"`",
		byteSemicolon: ";",
	} {
		for _, c := range []byte(list) {
			t[c] = kind
		}
	}
	return t
}()

// next passes over a piece of the script; false: it is not plain.
func (s *single) next() bool {
	from := s.at
	switch c := s.src[from]; singleBytes[c] {
	case byteSpace:
		s.at++
		return true
	case byteWord:
		for s.at < len(s.src) && singleBytes[s.src[s.at]] == byteWord {
			s.at++
		}
		return !clientWord(s.src[from:s.at]) && s.token(from)
	case byteQuote:
		n := bytes.IndexByte(s.src[from+1:], c)
		if n < 0 || bytes.IndexByte(s.src[from+1:from+1+n], '\\') >= 0 {
			return false
		}
		s.at += n + 2
		return s.token(from)
	case byteSemicolon:
		s.at++
		s.ended = true
		return true
	case byteSymbol:
		if from+1 < len(s.src) {
			switch next := s.src[from+1]; {
			case c == '-' && next == '-':
				return s.lineComment()
			case c == '/' && next == '*':
				return s.blockComment()
			case c == '/' && next == '/':
				return false // an operator that hides what the second begins
			}
		}
		s.at++
		return s.token(from)
	}
	return false
}

// token notes a token, or a part of one, from a place on; false: it stands behind the
// end of the statement.
func (s *single) token(from int) bool {
	if s.start < 0 {
		s.start = from
	}
	s.room--
	s.end = s.at
	return !s.ended
}

// lineComment passes over a comment that "--" begins: white space has to follow.
func (s *single) lineComment() bool {
	if s.at+2 < len(s.src) && singleBytes[s.src[s.at+2]] != byteSpace {
		return false
	}
	n := bytes.IndexByte(s.src[s.at:], '\n')
	if n < 0 {
		n = len(s.src) - s.at
	}
	s.at += n
	return true
}

// blockComment passes over a comment that is no more than one: white space follows
// where an executable one or a hint says what it is.
func (s *single) blockComment() bool {
	if s.at+2 >= len(s.src) || singleBytes[s.src[s.at+2]] != byteSpace {
		return false
	}
	n := bytes.Index(s.src[s.at+2:], []byte("*/"))
	if n < 0 {
		return false
	}
	s.at += 2 + n + 2
	return true
}

// clientWord reports a word that may be a line for the client program, or make a
// trigger.
func clientWord(word []byte) bool {
	switch len(word) {
	case len("trigger"):
		return strings.EqualFold(string(word), "trigger")
	case len("delimiter"):
		return strings.EqualFold(string(word), "delimiter")
	}
	return false
}
