package ir

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
)

// Span is a half-open range of byte offsets into the script.
type Span struct{ Start, End int32 }

// Empty reports whether the span covers nothing, as for nodes that a front end
// invented while lowering.
func (s Span) Empty() bool { return s.End <= s.Start }

// Ident is one part of a name.
type Ident struct {
	// Name is the identifier without quotes and with escapes undone. Template
	// text that stands in for a name, or for a part of one, is kept as written
	// (`dw_${day}`).
	Name string
	// Start is the byte offset of the identifier's first byte.
	Start int32
	// Quote is the opening quote that it was written in ('`', '"', '[', '\”),
	// or 0.
	Quote byte
	// Lower is true if the front end knows that Name has small letters only, so that
	// nobody looks again. False says nothing.
	Lower bool
}

// Set reports whether there is an identifier at all.
func (i Ident) Set() bool { return i.Name != "" }

// Name is a possibly qualified name, outermost part first. T-SQL's `db..t` has an
// empty middle part. BigQuery's “ `p.d.t` “ arrives as one part; the resolver
// splits it. An Oracle database link is kept in Link, without the `@`.
type Name struct {
	Parts []Ident
	Link  string
	Span
}

// Set reports whether there is a name at all.
func (n Name) Set() bool { return len(n.Parts) > 0 }

// Last is the innermost part, the zero Ident if there is none.
func (n Name) Last() Ident {
	if len(n.Parts) == 0 {
		return Ident{}
	}
	return n.Parts[len(n.Parts)-1]
}

// String joins the parts with dots, for messages.
func (n Name) String() string {
	parts := make([]string, len(n.Parts))
	for i, p := range n.Parts {
		parts[i] = p.Name
	}
	return strings.Join(parts, ".")
}

// Lines turns byte offsets into lines and columns. A place is found in a time that
// does not grow with the script, however long its lines are.
type Lines struct {
	src []byte
	// starts are where lines start; there are none for a short script, whose lines are
	// counted when a place is asked for.
	starts []int32
	// chars is the number of characters before each block of the script.
	chars []int32
}

const (
	lineBlock   = 512
	shortScript = 8 * lineBlock
)

// NewLines indexes a script.
func NewLines(src []byte) *Lines {
	l := &Lines{src: src}
	if len(src) <= shortScript {
		return l
	}
	l.starts = make([]int32, 1, bytes.Count(src, []byte{'\n'})+1)
	l.chars = make([]int32, 0, len(src)/lineBlock+1)
	for at := 0; ; {
		n := bytes.IndexByte(src[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
		l.starts = append(l.starts, int32(at))
	}
	count := int32(0)
	for block := range slices.Chunk(src, lineBlock) {
		l.chars = append(l.chars, count)
		count += characters(block)
	}
	return l
}

// characters counts the characters that begin in a piece of UTF-8.
func characters(s []byte) int32 {
	n := len(s)
	for ; len(s) >= 8; s = s[8:] {
		w := binary.LittleEndian.Uint64(s)
		n -= bits.OnesCount64(w & (^w << 1) & 0x8080808080808080) // 10xxxxxx continues a character
	}
	for _, b := range s {
		if int8(b) < -64 {
			n--
		}
	}
	return int32(n)
}

// At returns the 1-based line and the 1-based column, counted in characters, of a
// byte offset. Offsets outside the script are moved to its nearest end.
func (l *Lines) At(offset int32) (line, column int) {
	offset = max(0, min(offset, int32(len(l.src))))
	if l.starts == nil {
		before := l.src[:offset]
		start := bytes.LastIndexByte(before, '\n') + 1
		return bytes.Count(before, []byte{'\n'}) + 1, int(characters(before[start:])) + 1
	}
	lo, hi := 0, len(l.starts)
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		if l.starts[mid] <= offset {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + 1, int(l.before(offset)-l.before(l.starts[lo])) + 1
}

// before counts the characters that begin before an offset.
func (l *Lines) before(offset int32) int32 {
	block := min(int(offset)/lineBlock, len(l.chars)-1)
	if block < 0 {
		return 0
	}
	return l.chars[block] + characters(l.src[block*lineBlock:offset])
}
