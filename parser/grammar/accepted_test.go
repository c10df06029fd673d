package grammar

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// allDialects are the dialects, in an order that does not change.
var allDialects = []string{
	"ansi", "hive", "spark", "databricks", "flink", "clickhouse", "trino", "postgres", "redshift", "greenplum",
	"snowflake", "bigquery", "tsql", "oracle", "mysql", "tidb", "doris", "starrocks", "impala", "duckdb",
}

// sample is a script in one dialect.
type sample struct{ dialect, sql string }

// samples reads testdata/<folder>: a file for each dialect, scripts separated by a
// line of four dashes.
func samples(tb testing.TB, folder string) []sample {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", folder, "*.sql"))
	require.NoError(tb, err)
	require.NotEmpty(tb, files)
	var list []sample
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(tb, err)
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".sql"), "_")
		for sql := range strings.SplitSeq(string(text), "\n----\n") {
			list = append(list, sample{name, sql})
		}
	}
	return list
}

func TestAccepted(t *testing.T) {
	for _, s := range samples(t, "accepted") {
		d, ok := DialectByName(s.dialect)
		require.True(t, ok, s.dialect)
		stmts, errs := Parse([]byte(s.sql), d, Limits{})
		require.NotEmpty(t, stmts)
		for _, e := range errs {
			at := min(int(e.At), len(s.sql))
			t.Errorf("%s: %s\nat: …%s⟨here⟩%s", s.dialect, e.Message, s.sql[max(0, at-60):at], s.sql[at:min(len(s.sql), at+40)])
		}
	}
}

func TestDialectNames(t *testing.T) {
	require.ElementsMatch(t, allDialects, Dialects())
	for alias, name := range map[string]string{"presto": "trino", "sqlserver": "tsql", "postgresql": "postgres", "": "ansi"} {
		d, ok := DialectByName(alias)
		require.True(t, ok, alias)
		require.Equal(t, name, d.Name())
	}
	_, ok := DialectByName("cobol")
	require.False(t, ok)
	require.Equal(t, "ansi", Dialect{}.Name())
}
