package ir_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tributary-data/tributary/parser/ir"
)

// TestLinesCountsCharacters compares with counting from the beginning.
func TestLinesCountsCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"a", "é", "客户", "\n", strings.Repeat("x", 500), strings.Repeat("ü", 300), "\r\n"})
		src := strings.Join(rapid.SliceOfN(part, 0, 20).Draw(t, "parts"), "")
		offset := rapid.IntRange(-2, len(src)+2).Draw(t, "offset")
		line, column := ir.NewLines([]byte(src)).At(int32(offset))
		at := max(0, min(offset, len(src)))
		for at > 0 && at < len(src) && !utf8.RuneStart(src[at]) {
			at++ // inside a character is before the next one
		}
		before := src[:at]
		require.Equal(t, strings.Count(before, "\n")+1, line)
		require.Equal(t, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])+1, column)
	})
}
