package grammar_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

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

// pieces are what scripts of MySQL's are put together from, plain and not.
var pieces = []string{
	"SELECT 1", "a.b", "'x'", "'it''s'", `'a\'`, `"q"`, "`n`", "`n``m`", "'", "(", ")", "a>=1.5e3", "a--b", "-- c\n", "--", "--c\n", "# c\n",
	"/* ; */", "/*! a */", "/*+ h */", "/*T! a */", "*/", "/*", ";", "; ", "\n", "\t", " ", "DELIMITER $$\n", "delimiter", "trigger", "TRIGGER",
	"{{ a }}", "${b}", "@v", "[1]", "é", "\u00a0", "$$", "x'00'", "N'a'", "\\", "<=>", "!", "\x00", "::", "0x1", "1.2.3", "go\n", "/", "-", "*",
}

// TestSingleIsWhatAloneSays compares the two on pieces of scripts in any order.
func TestSingleIsWhatAloneSays(t *testing.T) {
	mysql, ok := grammar.DialectByName("mysql")
	require.True(t, ok)
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.SampledFrom(pieces[:8])
		parts := rapid.SliceOfN(rapid.OneOf(plain, plain, plain, rapid.SampledFrom(pieces)), 0, 9).Draw(t, "parts")
		sql := strings.Join(parts, rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
		lim := grammar.Limits{MaxTokens: rapid.IntRange(0, 9).Draw(t, "tokens"), MaxBytes: rapid.IntRange(0, 40).Draw(t, "bytes")}
		span, ok := grammar.Single([]byte(sql), lim)
		if !ok {
			return
		}
		found++
		r := grammar.NewReader([]byte(sql), mysql, lim)
		defer r.Release()
		want, alone := r.Alone()
		require.True(t, alone, sql)
		require.Equal(t, want, span, sql)
		require.False(t, r.MakesTriggers(), sql)
	})
	require.NotZero(t, found)
}

func TestSingleKnowsWhatPeopleWrite(t *testing.T) {
	for sql, want := range map[string]ir.Span{
		"SELECT 1": {End: 8}, "-- a\nSELECT ';' /* ; */ FROM `t`; -- b\n;": {Start: 5, End: 32},
	} {
		span, ok := grammar.Single([]byte(sql), grammar.Limits{})
		require.True(t, ok, sql)
		require.Equal(t, want, span, sql)
	}
	for _, sql := range []string{"", ";", "-- a", "SELECT 1; SELECT 2", "CREATE TRIGGER t", "DELIMITER $$", "SELECT 'a", "SELECT {{ a }}", `SELECT 'a\'b'`, "*//* ; */"} {
		_, ok := grammar.Single([]byte(sql), grammar.Limits{})
		require.False(t, ok, sql)
	}
	_, ok := grammar.Single([]byte("SELECT ((1))"), grammar.Limits{MaxNesting: 3})
	require.False(t, ok)
}
