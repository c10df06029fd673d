package cli

import (
	"io"
	"os"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// ForPeople gives a writer to a file that keeps a terminal from obeying what
// it is shown: names, SQL and messages come from anyone. What is no terminal
// gets every byte as it is.
func ForPeople(f *os.File) io.Writer {
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return f
	}
	return Harmless(f)
}

// Harmless writes text without control characters but line ends and tabs,
// and without those that change the
// direction of text; signs that can be seen stand in their place. Bytes that
// are not UTF-8 become U+FFFD.
func Harmless(w io.Writer) io.Writer { return transform.NewWriter(w, runes.Map(visible)) }

func visible(r rune) rune {
	const pictures = '\u2400' // the symbol for NUL; those for the others follow it
	switch {
	case r == '\n' || r == '\t':
		return r
	case r < ' ':
		return pictures + r
	case r == '\u007f':
		return '\u2421'
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Bidi_Control, r):
		return unicode.ReplacementChar
	}
	return r
}
