package grammar_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/parser/grammar"
	"github.com/tributary-data/tributary/parser/ir"
)

func alone(sql string, d grammar.Dialect, lim grammar.Limits) (ir.Span, bool) {
	r := grammar.NewReader([]byte(sql), d, lim)
	defer r.Release()
	return r.Alone()
}

// TestAloneIsWhatReadFinds compares the two on all golden cases and on statements
// with something before, in and behind them.
func TestAloneIsWhatReadFinds(t *testing.T) {
	mysql, ok := grammar.DialectByName("mysql")
	require.True(t, ok)
	scripts := []string{
		"SELECT 1", " -- a\n SELECT 1 -- b\n", "/* a */ SELECT 1 /* ; */ ; ;\n", "/*! SELECT 1 */", "SELECT ';' FROM t",
		"SELECT 1; SELECT 2", "DELIMITER $$\nSELECT 1$$", "{{ config() }} SELECT 1", "SELECT a FROM ${t}", "{% if a %} SELECT 1 {% endif %}",
		"CREATE PROCEDURE p() BEGIN SELECT 1; END", "SELECT 'a", "SELECT `a", "", ";", "-- a", "SELECT FROM WHERE",
	}
	paths, err := filepath.Glob("../testdata/*/*/query.sql")
	require.NoError(t, err)
	for _, p := range paths {
		sql, err := os.ReadFile(p)
		require.NoError(t, err)
		scripts = append(scripts, string(sql))
	}
	found := 0
	for _, sql := range scripts {
		span, ok := alone(sql, mysql, grammar.Limits{})
		if !ok {
			continue
		}
		found++
		stmts, _ := grammar.Parse([]byte(sql), mysql, grammar.Limits{})
		require.Len(t, stmts, 1, sql)
		require.Equal(t, span, stmts[0].Span, sql)
	}
	require.Greater(t, found, len(scripts)/4)
}

func TestAloneKeepsBounds(t *testing.T) {
	mysql, _ := grammar.DialectByName("mysql")
	for _, lim := range []grammar.Limits{{MaxNesting: 3}, {MaxTokens: 3}, {MaxBytes: 8}} {
		_, ok := alone("SELECT ((1))", mysql, lim)
		require.False(t, ok)
	}
	span, ok := alone("SELECT ((1))", mysql, grammar.Limits{})
	require.True(t, ok)
	r := grammar.NewReader([]byte("SELECT 1"), mysql, grammar.Limits{})
	defer r.Release()
	r.Skip()
	require.Nil(t, r.Next())
	require.Equal(t, ir.Span{End: 12}, span)
}
