package parser_test

import (
	"context"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/parser"
)

// measured is watched, again where it was too much: garbage that the collector
// has not come to on a busy machine only adds.
func measured(sql []byte, o parser.Options, bound int64) (parser.Result, int64) {
	const tries = 4
	res, peak := watched(sql, o)
	for n := 1; n < tries && peak > bound; n++ {
		_, again := watched(sql, o)
		peak = min(peak, again)
	}
	return res, peak
}

// watched extracts a script and returns the most memory that was in use meanwhile,
// in bytes above what was in use before. The collector runs often, so that little of it
// is garbage.
func watched(sql []byte, o parser.Options) (parser.Result, int64) {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	runtime.GC() // the second takes what scripts before have left to be used again
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	done := make(chan parser.Result, 1)
	go func() { done <- parser.Extract(context.Background(), sql, o) }()
	peak := int64(0)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case res := <-done:
			return res, peak
		case <-tick.C:
			runtime.ReadMemStats(&now)
			peak = max(peak, int64(now.HeapAlloc+now.StackInuse)-int64(before.HeapAlloc+before.StackInuse))
		}
	}
}

// bound is the memory that a script of n bytes may take.
func bound(n int) int64 { return 64*int64(n) + 16<<20 }

// list is a statement of about n bytes that repeats a part.
func list(n int, head, part, tail string) string {
	return head + strings.Repeat(part, (n-len(head)-len(tail))/len(part)) + tail
}

func chain(n int) string {
	var b strings.Builder
	b.WriteString("INSERT INTO d (a, b) WITH c0 AS (SELECT a, b FROM t)")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, ", c%d AS (SELECT l.a + r.b AS a, r.a AS b FROM c%d l JOIN c%d r ON l.a = r.b)", i, i-1, i-1)
	}
	fmt.Fprintf(&b, " SELECT a, b FROM c%d", n-1)
	return b.String()
}

// TestHostileInput gives scripts that killed other parsers: each is answered, or
// refused by a limit that is named, within its bounds of memory.
func TestHostileInput(t *testing.T) {
	for _, c := range []struct {
		name, sql, limit string
	}{
		{"3,000,000 nested subqueries", "SELECT * FROM " + strings.Repeat("(SELECT * FROM ", 3_000_000) + "t" + strings.Repeat(")", 3_000_000), "nesting"},
		{"100,000 nested parentheses", "SELECT " + strings.Repeat("(", 100_000) + "a" + strings.Repeat(")", 100_000) + " FROM t", "nesting"},
		{"21 MB of OR", "SELECT a FROM t WHERE a = 0" + strings.Repeat(" OR a=1", 3_000_000), "tokens"},
		{"a 4 MB IN list", "SELECT a FROM t WHERE a IN (0" + strings.Repeat(",12345678", 460_000) + ")", ""},
		{"10,000 CTEs", chain(10_000), ""},
		{"40 self-joining CTEs", chain(40), ""},
	} {
		for _, dialect := range []string{"ansi", "mysql"} {
			t.Run(c.name+" "+dialect, func(t *testing.T) {
				res, peak := measured([]byte(c.sql), parser.Options{Dialect: dialect, Limits: parser.Limits{Time: time.Minute}}, bound(len(c.sql)))
				require.Less(t, peak, bound(len(c.sql)))
				if c.limit == "" {
					require.Empty(t, res.Errors)
					require.NotEmpty(t, res.Columns)
					return
				}
				require.Len(t, res.Errors, 1)
				require.EqualValues(t, "limit", res.Errors[0].Kind)
				require.Contains(t, res.Errors[0].Message, c.limit)
			})
		}
	}
}

// TestMemory gives long lists of everything, which take the most memory for their text:
// each is answered or refused within its bound.
func TestMemory(t *testing.T) {
	const megabyte = 1_000_000 // so many bytes have fewer tokens than a statement may
	for _, c := range []struct{ name, sql string }{
		{"columns", list(megabyte, "SELECT a", ",a", " FROM t")},
		{"different columns", "SELECT 0" + numbered(130_000, ",a%d") + " FROM t"},
		{"arguments", list(megabyte, "SELECT f(a", ",a", ") FROM t")},
		{"sums", list(megabyte, "SELECT a", "+a", " FROM t")},
		{"fields", list(megabyte, "SELECT a", ".a", " FROM t")},
		{"cases", list(megabyte, "SELECT CASE", " WHEN a THEN b", " END FROM t")},
		{"columns in IN", list(megabyte, "SELECT a FROM t WHERE a IN (b", ",b", ")")},
		{"subqueries", list(megabyte, "SELECT 1", ",(SELECT a FROM t)", "")},
		{"tables", list(megabyte, "SELECT 1 FROM t", ",t", "")},
		{"joins", list(megabyte, "SELECT 1 FROM t", " JOIN t ON a=b", "")},
		{"unions", list(megabyte, "SELECT a", " UNION SELECT b", "")},
		{"groups", list(megabyte, "SELECT 1 FROM t GROUP BY a", ",b", "")},
		{"orders", list(megabyte, "SELECT 1 FROM t ORDER BY a", ",b", "")},
		{"rows", list(megabyte, "INSERT INTO t VALUES (a)", ",(b)", "")},
		{"columns of an insert", list(megabyte, "INSERT INTO t(a", ",b", ") SELECT * FROM u")},
		{"columns of a table", list(megabyte, "CREATE TABLE t(a int", ",b int", ")")},
		{"stars", list(megabyte, "SELECT *", ",*", " FROM t")},
		{"statements", list(megabyte, "", "SELECT a FROM t;", "")},
		{"selects of different tables", numbered(50_000, "SELECT 1 FROM t%d;")},
		{"columns of different tables", numbered(40_000, "SELECT a FROM t%d;")},
		{"copies of different tables", numbered(30_000, "INSERT INTO a%d TABLE b%d;")},
		{"views of different tables", numbered(30_000, "CREATE VIEW a%d AS SELECT*FROM b%d;")},
		{"session tables", numbered(30_000, "CREATE TEMP TABLE a%d AS SELECT a FROM b%d;")},
		{"dropped tables", numbered(50_000, "DROP TABLE t%d;")},
		{"declarations", numbered(50_000, "DECLARE a%d INT;")},
		{"settings", numbered(50_000, "SET x%d = (SELECT a FROM t%d);")},
		{"broken statements", list(megabyte, "", "a;", "")},
		{"empty statements", list(megabyte, "", ";", "")},
	} {
		for _, dialect := range []string{"ansi", "mysql"} {
			t.Run(c.name+" "+dialect, func(t *testing.T) {
				res, peak := measured([]byte(c.sql), parser.Options{Dialect: dialect, Limits: parser.Limits{Time: time.Minute}}, bound(len(c.sql)))
				require.LessOrEqual(t, peak, bound(len(c.sql)))
				for _, e := range res.Errors {
					require.Contains(t, []string{"limit", "syntax", "unresolved", "ambiguous"}, string(e.Kind))
				}
			})
		}
	}
}

// numbered repeats a part with its number wherever it has a %d.
func numbered(n int, part string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(part, "%d", strconv.Itoa(i)))
	}
	return b.String()
}

// TestLongScripts reads 100,000 small statements over tables of their own: none is left
// out, and what each takes in memory is bounded as that of one is.
func TestLongScripts(t *testing.T) {
	for _, c := range []struct {
		statements, columns int // columns that a statement writes
		sql                 string
	}{
		{100_000, 1, "INSERT INTO d%d SELECT a FROM s%d;\n"},
		{100_000, 2, "INSERT INTO mart.d%d (a, b) SELECT x, y FROM src.s%d WHERE z > %d;\n"},
		{50_000, 2, "CREATE TABLE d%d AS SELECT a, b FROM s%d;\n"},
		{50_000, 2, "CREATE VIEW d%d AS SELECT a, b FROM s%d;\n"},
		{50_000, 1, "UPDATE d%d SET a = b + 1 WHERE c = %d;\n"},
		{50_000, 0, "DELETE FROM d%d WHERE c IN (SELECT a FROM s);\n"},
		{50_000, 0, "INSERT INTO d%d (a, b) VALUES (1, '%d');\n"},
		{50_000, 0, "CREATE TABLE d%d (a int, b int, c%d text);\n"},
		{50_000, 0, "TRUNCATE TABLE d%d;\n"},
		{25_000, 1, "USE s%d;\nINSERT INTO d SELECT a FROM s;\n"},
	} {
		t.Run(fmt.Sprintf("%.20s", c.sql), func(t *testing.T) {
			sql := []byte(numbered(c.statements, c.sql))
			o := parser.Options{Dialect: "ansi", Explain: true, Limits: parser.Limits{Time: time.Minute}}
			res, peak := measured(sql, o, bound(len(sql)))
			require.LessOrEqual(t, peak, bound(len(sql)))
			require.Empty(t, res.Errors)
			require.Len(t, res.Statements, strings.Count(c.sql, ";")*c.statements)
			require.Len(t, res.Columns, c.columns*c.statements)
		})
	}
}

// TestLongScriptsOfSession mixes what outlives its statement (session tables, variables,
// prepared statements, triggers) with what does not: it stays as it was made.
func TestLongScriptsOfSession(t *testing.T) {
	const statements = 1000
	noise := func(from int) string {
		return strings.ReplaceAll(numbered(statements, "INSERT INTO n%d (a) WITH c AS (SELECT x.a + y.b AS a FROM x JOIN y ON x.k = y.k WHERE x.z > 1) SELECT MAX(a) FROM c GROUP BY a;\n"), "INTO n", fmt.Sprintf("INTO n%d_", from))
	}
	sql := "CREATE TEMPORARY TABLE tmp AS SELECT p.a + q.b AS a, q.c FROM p JOIN q ON p.k = q.k WHERE q.f = 1;\n" + noise(1) +
		"INSERT INTO tmp SELECT r.a, r.c FROM r;\n" + noise(2) +
		"PREPARE s AS INSERT INTO d2 (x) SELECT u.v FROM u;\n" + noise(3) +
		"EXECUTE s;\nINSERT INTO d1 (a, c) SELECT tmp.a, tmp.c FROM tmp;\n"
	edges := func(sql string) []string {
		res := parser.Extract(context.Background(), []byte(sql), parser.Options{Dialect: "postgres", Explain: true})
		require.Empty(t, res.Errors)
		var out []string
		steps := res.Steps()
		for i, e := range res.Columns {
			if strings.HasPrefix(e.ToTable, "d") {
				first := steps.Steps[steps.Columns[i][0]]
				out = append(out, fmt.Sprint(e.FromTable, ".", e.FromColumn, ">", e.ToTable, ".", e.ToColumn, e.Via, len(first.Inputs)))
			}
		}
		for _, e := range res.Indirect {
			if strings.HasPrefix(e.To, "d") {
				out = append(out, fmt.Sprint(e.FromTable, ".", e.FromColumn, "~", e.To, e.Via))
			}
		}
		return out
	}
	want := edges(regexp.MustCompile("INSERT INTO n.*\n").ReplaceAllString(sql, ""))
	require.Len(t, want, 9)
	require.Equal(t, want, edges(sql))
}

// TestUnionsOfWideStars expands 1,000 stars over 2,000 columns. The same table each
// time is one set of columns; 1,000 tables are more edges than a result may have.
func TestUnionsOfWideStars(t *testing.T) {
	columns := make([]string, 2000)
	for i := range columns {
		columns[i] = fmt.Sprintf("c%d", i)
	}
	tables := map[string][]string{}
	parts := make([]string, 1000)
	for i := range parts {
		tables[fmt.Sprintf("t%d", i)] = columns
		parts[i] = fmt.Sprintf("SELECT * FROM t%d", i)
	}
	o := parser.Options{Dialect: "ansi", Schema: parser.NewSchema(tables), Limits: parser.Limits{Edges: 100_000, Time: time.Minute}}

	same := "INSERT INTO d " + strings.TrimSuffix(strings.Repeat("SELECT * FROM t0 UNION ALL ", 1000), " UNION ALL ")
	res := parser.Extract(context.Background(), []byte(same), o)
	require.Empty(t, res.Errors)
	require.Len(t, res.Columns, 2000)

	sql := []byte("INSERT INTO d " + strings.Join(parts, " UNION ALL "))
	known := len(parts) * len(strings.Join(columns, ""))
	res, peak := measured(sql, o, bound(len(sql)+known))
	require.Len(t, res.Errors, 1)
	require.EqualValues(t, "limit", res.Errors[0].Kind)
	require.LessOrEqual(t, len(res.Tables)+len(res.Columns)+len(res.Indirect), 100_000)
	require.LessOrEqual(t, peak, bound(len(sql)+known))
}

// TestDeadline: a script that takes too long ends with what there is, and says so.
func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	res := parser.Extract(ctx, []byte(chain(5_000)), parser.Options{Dialect: "ansi"})
	require.NotEmpty(t, res.Errors)
	require.EqualValues(t, "limit", res.Errors[0].Kind)
}
