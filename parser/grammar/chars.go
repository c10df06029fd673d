package grammar

import (
	"unicode"
	"unicode/utf8"
)

// Byte classes. A byte may be in several.
const (
	classStart uint8 = 1 << iota // starts a plain word
	classPart                    // goes on with a plain word
	classDigit
	classSpace
	classCapital
	classMark // may start a placeholder: $ and #, where they are part of words
)

// charTable holds the class of each byte.
type charTable [256]uint8

// newCharTable gives the classes common to all dialects and those of the
// characters that one dialect allows in plain words besides.
func newCharTable(startExtra, partExtra string) *charTable {
	var t charTable
	for c := 'a'; c <= 'z'; c++ {
		t[c] = classStart | classPart
		t[c-'a'+'A'] = classStart | classPart | classCapital
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = classDigit | classPart
	}
	t['_'] = classStart | classPart
	for _, c := range []byte(" \t\n\r\f\v") {
		t[c] = classSpace
	}
	for _, c := range []byte(startExtra) {
		t[c] |= classStart | classPart
	}
	for _, c := range []byte(partExtra) {
		t[c] |= classPart
	}
	for _, c := range []byte("$#") {
		if t[c] != 0 {
			t[c] |= classMark
		}
	}
	return &t
}

// wideClass classifies the character that starts with a byte over 0x7f, and
// gives its length in bytes: white space, part of a word, or neither. Full-width
// punctuation and typographic quotes are neither: they are what people get from
// an input method by mistake, and no engine takes them outside quotes.
func wideClass(src []byte) (uint8, int) {
	r, n := utf8.DecodeRune(src)
	switch {
	case r == utf8.RuneError && n <= 1:
		return classStart | classPart, 1
	case unicode.IsSpace(r), r == 0xFEFF, r == 0x200B:
		return classSpace, n
	case unicode.IsPunct(r):
		return 0, n
	case r >= 0xFF01 && r <= 0xFF5E && !unicode.IsLetter(r) && !unicode.IsDigit(r):
		return 0, n
	}
	return classStart | classPart, n
}
