package parser_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/parser"
)

var update = flag.Bool("update", false, "rewrite lineage.json of every golden case, and docs/sql.md")

// goldenSetting is schema.json of a case: how its SQL is to be read.
type goldenSetting struct {
	Dialect        string              `json:"dialect"`
	DefaultCatalog string              `json:"default_catalog,omitempty"`
	DefaultSchema  string              `json:"default_schema,omitempty"`
	Tables         map[string][]string `json:"tables,omitempty"`
}

// goldenLineage is lineage.json of a case, an edge a line.
type goldenLineage struct {
	Tables   []string            `json:"tables"`
	Columns  []string            `json:"columns"`
	Indirect []string            `json:"indirect"`
	Reads    []string            `json:"reads"`
	Writes   []string            `json:"writes"`
	Physical map[string][]string `json:"physical,omitempty"`
	Errors   []string            `json:"errors,omitempty"`
}

func goldenCases(tb testing.TB) []string {
	tb.Helper()
	cases, err := filepath.Glob("testdata/*/*/query.sql")
	require.NoError(tb, err)
	require.NotEmpty(tb, cases)
	for i, c := range cases {
		cases[i] = filepath.Dir(c)
	}
	sort.Strings(cases)
	return cases
}

func readGolden(tb testing.TB, dir string) (string, goldenSetting) {
	tb.Helper()
	sql, err := os.ReadFile(filepath.Join(dir, "query.sql"))
	require.NoError(tb, err)
	text, err := os.ReadFile(filepath.Join(dir, "schema.json"))
	require.NoError(tb, err)
	var s goldenSetting
	require.NoError(tb, json.Unmarshal(text, &s))
	return string(sql), s
}

func (s goldenSetting) options() parser.Options {
	o := parser.Options{Dialect: s.Dialect, DefaultCatalog: s.DefaultCatalog, DefaultSchema: s.DefaultSchema, Explain: true}
	if s.Tables != nil {
		o.Schema = parser.NewSchema(s.Tables)
	}
	return o
}

func lineageOf(res parser.Result) goldenLineage {
	g := goldenLineage{Tables: []string{}, Columns: []string{}, Indirect: []string{}, Reads: []string{}, Writes: []string{}, Physical: res.Physical}
	for _, e := range res.Tables {
		g.Tables = append(g.Tables, fmt.Sprintf("%s -> %s %v", e.From, e.To, e.Statements))
	}
	for _, e := range res.Columns {
		g.Columns = append(g.Columns, fmt.Sprintf("%s.%s -> %s.%s (%s) %v", e.FromTable, e.FromColumn, e.ToTable, e.ToColumn, strings.Join(e.Via, ", "), e.Statements))
	}
	for _, e := range res.Indirect {
		g.Indirect = append(g.Indirect, fmt.Sprintf("%s.%s -> %s (%s) %v", e.FromTable, e.FromColumn, e.To, strings.Join(e.Via, ", "), e.Statements))
	}
	g.Reads = append(g.Reads, res.Reads...)
	g.Writes = append(g.Writes, res.Writes...)
	for _, e := range res.Errors {
		g.Errors = append(g.Errors, fmt.Sprintf("%d:%d %s: %s", e.Line, e.Column, e.Kind, e.Message))
	}
	for _, list := range [][]string{g.Tables, g.Columns, g.Indirect, g.Reads, g.Writes} {
		sort.Strings(list)
	}
	return g
}

// TestGolden reads every case's query.sql and compares its lineage with
// lineage.json. -update rewrites the files: read the difference before keeping it.
func TestGolden(t *testing.T) {
	for _, dir := range goldenCases(t) {
		t.Run(strings.TrimPrefix(filepath.ToSlash(dir), "testdata/"), func(t *testing.T) {
			sql, s := readGolden(t, dir)
			got := lineageOf(parser.Extract(context.Background(), []byte(sql), s.options()))
			file := filepath.Join(dir, "lineage.json")
			if *update {
				var b strings.Builder
				e := json.NewEncoder(&b)
				e.SetEscapeHTML(false)
				e.SetIndent("", "  ")
				require.NoError(t, e.Encode(got))
				require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
				return
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var want goldenLineage
			require.NoError(t, json.Unmarshal(text, &want))
			require.Equal(t, want, got)
		})
	}
}

// TestSupportTable keeps docs/sql.md's table of kinds and dialects: a mark stands
// where a golden case shows it.
func TestSupportTable(t *testing.T) {
	kinds := map[string]map[string]int{}
	for _, dir := range goldenCases(t) {
		_, s := readGolden(t, dir)
		kind := filepath.Base(filepath.Dir(dir))
		if kinds[kind] == nil {
			kinds[kind] = map[string]int{}
		}
		kinds[kind][s.Dialect]++
	}
	const file = "../docs/sql.md"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	begin, end := "<!-- table: begin -->\n", "<!-- table: end -->"
	head, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok, "docs/sql.md has no place for the table")
	_, tail, ok := strings.Cut(rest, end)
	require.True(t, ok)
	want := head + begin + supportTable(kinds) + end + tail
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "run the test with -update")
}

func supportTable(kinds map[string]map[string]int) string {
	var dialects []string
	used := map[string]bool{}
	for _, by := range kinds {
		for d := range by {
			if !used[d] {
				used[d] = true
				dialects = append(dialects, d)
			}
		}
	}
	sort.Strings(dialects)
	var names []string
	for k := range kinds {
		names = append(names, k)
	}
	sort.Strings(names)
	var b strings.Builder
	fmt.Fprintf(&b, "| kind | %s |\n|---|%s\n", strings.Join(dialects, " | "), strings.Repeat("---|", len(dialects)))
	for _, k := range names {
		fmt.Fprintf(&b, "| %s |", k)
		for _, d := range dialects {
			if n := kinds[k][d]; n > 0 {
				fmt.Fprintf(&b, " %d |", n)
			} else {
				b.WriteString("  |")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
