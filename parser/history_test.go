package parser_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/parser"
)

// TestAnAnswerDoesNotDependOnScriptsBefore reads a script in memory that a much longer
// one has left, which is not to be charged to it.
func TestAnAnswerDoesNotDependOnScriptsBefore(t *testing.T) {
	extract := func(sql string) (messages []string) {
		o := parser.Options{Dialect: "spark", Limits: parser.Limits{Tokens: 4 << 20}}
		for _, e := range parser.Extract(context.Background(), []byte(sql), o).Errors {
			messages = append(messages, e.Message)
		}
		return messages
	}
	list := func(n int, format, sep string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i%1000))
		}
		return strings.Join(parts, sep)
	}
	columns := "insert into t select " + list(1000, "coalesce(a#, b#) + c# as d#", ", ") + " from s"
	unions := "insert into t " + list(80_000, "select a#, b, c from s# where d > 1", " union all ")
	require.Empty(t, extract(columns))
	require.Empty(t, extract(unions))
	require.Empty(t, extract(columns))
}
