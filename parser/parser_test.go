package parser_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/tributary-data/tributary/parser"
)

func extract(sql string, o parser.Options) parser.Result {
	return parser.Extract(context.Background(), []byte(sql), o)
}

func TestEncodings(t *testing.T) {
	const sql = "INSERT INTO 结果表 (客户) SELECT 名称 FROM 客户表 -- 注释"
	gbk, err := simplifiedchinese.GBK.NewEncoder().String(sql)
	require.NoError(t, err)
	utf16, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(sql)
	require.NoError(t, err)
	for _, c := range []struct{ name, text string }{{"utf-8", sql}, {"utf-8", "\xef\xbb\xbf" + sql}, {"gbk", gbk}, {"utf-16le", utf16}} {
		name, text := c.name, c.text
		res := extract(text, parser.Options{Dialect: "hive"})
		require.Empty(t, res.Errors, name)
		require.Equal(t, name, res.Encoding)
		require.Equal(t, "客户表", res.Tables[0].From, name)
		require.Equal(t, "名称", res.Columns[0].FromColumn, name)
	}
	res := extract("SELECT 'caf\xe9' AS x, a FROM t", parser.Options{Dialect: "mysql"})
	require.Equal(t, "windows-1252", res.Encoding)
	require.Empty(t, res.Errors)

	res = extract(gbk, parser.Options{Dialect: "hive", Encoding: "gb18030"})
	require.Equal(t, "客户表", res.Tables[0].From)
	res = extract(sql, parser.Options{Dialect: "hive", Encoding: "klingon"})
	require.EqualValues(t, "unsupported", res.Errors[0].Kind)
}

func TestVariablesAreSetByTheScript(t *testing.T) {
	for _, c := range []struct{ dialect, sql, from, to string }{
		{"hive", "set hivevar:s=stg;\nset t=${hivevar:s}.pay;\ninsert into d select a from ${t};", "stg.pay", "d"},
		{"hive", "insert into ${d} select a from x;\nset d=later;", "x", "${d}"},
		{"postgres", "\\set t app.orders\nINSERT INTO d SELECT a::int FROM :t", "app.orders", "d"},
		{"oracle", "DEFINE s = STG\nINSERT INTO d SELECT a FROM &s..t", "STG.T", "D"},
	} {
		res := extract(c.sql, parser.Options{Dialect: c.dialect})
		require.Empty(t, res.Errors, c.sql)
		require.Len(t, res.Tables, 1, c.sql)
		require.Equal(t, c.from, res.Tables[0].From)
		require.Equal(t, c.to, res.Tables[0].To)
	}
	res := extract("INSERT INTO ${layer}.d SELECT a FROM {{ src }}", parser.Options{Dialect: "spark", Variables: map[string]string{"layer": "dw", "src": "ods.t"}})
	require.Equal(t, "ods.t", res.Tables[0].From)
	require.Equal(t, "dw.d", res.Tables[0].To)
}

func TestPlacesAreThoseOfTheTextAsWritten(t *testing.T) {
	sql := "set t=a_name_that_is_longer.than_what_stands_for_it;\ninsert into d select x from ${t} where;\ninsert into e select y from f"
	res := extract(sql, parser.Options{Dialect: "hive"})
	require.Len(t, res.Errors, 1)
	require.Equal(t, 2, res.Errors[0].Line)
	require.Equal(t, 39, res.Errors[0].Column)
	last := res.Statements[len(res.Statements)-1]
	require.Equal(t, 3, last.Line)
	require.Equal(t, 1, last.Column)
	require.True(t, strings.HasPrefix(sql[last.Start:], "insert into e"))
}

func TestDetect(t *testing.T) {
	for dialect, sql := range map[string]string{
		"flink":      "CREATE TABLE k (a INT, WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka')",
		"clickhouse": "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a; SELECT a FROM t PREWHERE a > 1",
		"hive":       "INSERT OVERWRITE TABLE d PARTITION (dt='1') SELECT a FROM t LATERAL VIEW explode(x) e AS y; MSCK REPAIR TABLE d",
		"tsql":       "SELECT TOP 3 [a] FROM dbo.t WITH (NOLOCK)\nGO",
		"oracle":     "SELECT NVL(a, 1) FROM t WHERE ROWNUM < 3 CONNECT BY PRIOR a = b",
		"bigquery":   "SELECT SAFE_CAST(a AS INT64) FROM `p.d.t`",
		"snowflake":  "CREATE OR REPLACE TASK x AS INSERT INTO d SELECT f.value FROM t, LATERAL FLATTEN(input => t.a) f QUALIFY 1 = 1",
		"mysql":      "INSERT INTO d SELECT a FROM t ON DUPLICATE KEY UPDATE a = VALUES(a)",
		"postgres":   "INSERT INTO d SELECT a::int FROM t ON CONFLICT (a) DO NOTHING RETURNING a",
	} {
		got, sure := parser.Detect([]byte(sql))
		require.Equal(t, dialect, got, sql)
		require.Greater(t, sure, 0.3, sql)
	}
	got, sure := parser.Detect([]byte("SELECT a FROM t"))
	require.Equal(t, "ansi", got)
	require.Zero(t, sure)
	res := extract("SELECT TOP 3 [a] FROM dbo.t", parser.Options{})
	require.True(t, res.Guessed)
	require.Equal(t, "tsql", res.Dialect)
}

func TestStepsExplainEdges(t *testing.T) {
	res := extract("INSERT INTO d (x)\nWITH c AS (\n  SELECT SUM(a) AS s, k FROM t GROUP BY k)\nSELECT s + 1 FROM c", parser.Options{Dialect: "ansi", Explain: true})
	require.Len(t, res.Columns, 1)
	require.Equal(t, []string{"transformation", "aggregation"}, res.Columns[0].Via)
	g := res.Steps()
	require.Len(t, g.Columns[0], 1)
	top := g.Steps[g.Columns[0][0]]
	require.Equal(t, 4, top.Line)
	require.Equal(t, []string{"transformation"}, top.Inputs[0].Via)
	sum := g.Steps[top.Inputs[0].Step]
	require.Equal(t, "s", sum.Name)
	require.Equal(t, 3, sum.Line)
	require.Equal(t, []string{"aggregation"}, sum.Inputs[0].Via)
	leaf := g.Steps[sum.Inputs[0].Step]
	require.Equal(t, "t", leaf.Table)
	require.Equal(t, "a", leaf.Name)
	require.Len(t, res.Indirect, 1)
	require.Equal(t, "k", g.Steps[g.Indirect[0][0]].Name)
}

func TestStepsAreShared(t *testing.T) {
	res := extract(chain(40), parser.Options{Dialect: "ansi", Explain: true})
	require.Less(t, len(res.Steps().Steps), 40*8)
}

func TestUnknownDialect(t *testing.T) {
	res := extract("SELECT 1", parser.Options{Dialect: "klingon"})
	require.EqualValues(t, "unsupported", res.Errors[0].Kind)
	require.Contains(t, res.Errors[0].Message, "klingon")
}

func TestFallbackIsMarked(t *testing.T) {
	res := extract("SELECT a FROM t;\nMERGE INTO d USING s ON d.a = s.a WHEN MATCHED THEN UPDATE SET b = s.b;\nSELECT b FROM u", parser.Options{Dialect: "mysql"})
	require.Empty(t, res.Errors)
	require.Equal(t, []int{2}, res.Fallback)
	require.Equal(t, "s", res.Tables[0].From)
}

func TestTemporaryTablesCanBeKept(t *testing.T) {
	const sql = "CREATE TEMPORARY TABLE w AS SELECT a FROM s; INSERT INTO d SELECT a FROM w"
	res := extract(sql, parser.Options{Dialect: "mysql"})
	require.Len(t, res.Tables, 1)
	require.Equal(t, []string{"w"}, res.Temps)
	res = extract(sql, parser.Options{Dialect: "mysql", KeepTemporary: true})
	require.Len(t, res.Tables, 2)
	require.Equal(t, "w", res.Tables[0].To)
	require.Equal(t, "w", res.Tables[1].From)
}

func TestUsesAndTargets(t *testing.T) {
	o := parser.Options{Dialect: "spark", DefaultSchema: "s", Schema: parser.NewSchema(map[string][]string{"s.a": {"x", "y"}})}
	res := extract("CREATE TABLE d AS SELECT * FROM a JOIN b ON a.x = b.x", o)
	require.Equal(t, []parser.Use{{Parts: []string{"s", "a"}, Found: true}, {Parts: []string{"s", "b"}}, {Parts: []string{"s", "d"}}}, sortedUses(res.Uses))
	res = extract("CREATE TABLE d AS SELECT * FROM a", o)
	require.Equal(t, []parser.Columns{{Table: "s.d", Names: []string{"x", "y"}}}, res.Targets)
}

func sortedUses(uses []parser.Use) []parser.Use {
	out := append([]parser.Use(nil), uses...)
	for i := range out {
		for j := i + 1; j < len(out); j++ {
			if strings.Join(out[j].Parts, ".") < strings.Join(out[i].Parts, ".") {
				out[i], out[j] = out[j], out[i]
			}
		}
	}
	return out
}

func TestJSONL(t *testing.T) {
	in := strings.Join([]string{
		`{"id": 7, "dialect": "mysql", "sql": "INSERT INTO d (x) SELECT a FROM t", "default_schema": "s", "schema": {"s.t": ["a"]}}`,
		`not json`,
		fmt.Sprintf(`{"id": "b", "dialect": "HIVE", "sql_b64": %q}`, base64.StdEncoding.EncodeToString([]byte("SELECT '\xff' FROM t"))),
		``,
		`{"id": null, "sql": "SELECT 1"}`,
	}, "\n")
	var out bytes.Buffer
	require.NoError(t, parser.JSONL(context.Background(), strings.NewReader(in), &out, parser.Options{}))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 4)
	var a parser.Answer
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &a))
	require.JSONEq(t, "7", string(a.ID))
	require.Equal(t, []parser.AnswerEdge{{From: "s.t", To: "s.d"}}, a.Tables)
	require.Equal(t, []parser.AnswerEdge{{From: "s.t.a", To: "s.d.x"}}, a.Columns)
	require.Contains(t, lines[1], `"kind":"unsupported"`)
	require.Contains(t, lines[2], `"reads":["t"]`)
	require.Contains(t, lines[3], `"guessed":true`)
	for _, field := range []string{`"statements":`, `"physical":{}`, `"errors":[]`, `"indirect":[]`} {
		require.Contains(t, lines[0], field)
	}
}

// TestLongStatements would take minutes if time did not grow with the length alone.
func TestLongStatements(t *testing.T) {
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(strings.ReplaceAll(format, "#1", fmt.Sprint(i+1)), "#", fmt.Sprint(i)))
		}
		return b.String()
	}
	const n = 30_000
	for name, sql := range map[string]string{
		"aliases":      "INSERT INTO d SELECT a AS x0" + repeat(n, ", x# + b AS x#1") + " FROM t",
		"columns":      "INSERT INTO d SELECT 1" + repeat(n, ", t.c# + 1 AS x#") + " FROM t",
		"unions":       "INSERT INTO d SELECT a FROM t" + repeat(n/3, " UNION ALL SELECT a FROM t#"),
		"conditions":   "INSERT INTO d SELECT a FROM t WHERE b = 0" + repeat(n, " OR c# = #"),
		"statements":   repeat(n/15, "INSERT INTO d# SELECT a, b FROM t#;"),
		"temporary":    "CREATE TEMPORARY VIEW x0 AS SELECT a, b FROM t;" + repeat(n/3, "CREATE TEMPORARY VIEW x#1 AS SELECT a + b AS a, b FROM x#;") + fmt.Sprintf("INSERT INTO d SELECT a FROM x%d", n/3),
		"CTEs of star": "INSERT INTO d WITH x0 AS (SELECT a, b FROM t)" + repeat(n/2, ", x#1 AS (SELECT * FROM x# WHERE a > 1)") + fmt.Sprintf(" SELECT * FROM x%d", n/2),
		"joins":        "INSERT INTO d SELECT t0.a FROM t0" + repeat(n/3, " JOIN t#1 ON t#1.a = t#.b"),
	} {
		t.Run(name, func(t *testing.T) {
			res := extract(sql, parser.Options{Dialect: "spark", Limits: parser.Limits{Time: 30 * time.Second}})
			require.Empty(t, res.Errors)
		})
	}
}

// TestAnAnswerIsAlwaysTheSame reads a star of which some columns are changed, which are
// found by name and listed as written.
func TestAnAnswerIsAlwaysTheSame(t *testing.T) {
	const sql = "INSERT INTO d SELECT * REPLACE (a + 1 AS a, b + 1 AS b, c + 1 AS c) RENAME (e AS x, f AS y, g AS z) FROM t"
	want := []string{"*", "x", "y", "z", "a", "b", "c"}
	for range 20 {
		var got []string
		for _, e := range extract(sql, parser.Options{Dialect: "duckdb"}).Columns {
			got = append(got, e.ToColumn)
		}
		require.Equal(t, want, got)
	}
}

// TestNamesMadeOfTextAreShort reads expressions in one another: the text of each holds
// that of all inside it.
func TestNamesMadeOfTextAreShort(t *testing.T) {
	const depth = 900
	expr := strings.Repeat("(SELECT 'é' || max(x) + ", depth) + "a" + strings.Repeat(" FROM u)", depth)
	res := extract("CREATE TABLE d AS SELECT "+expr+" FROM t", parser.Options{Dialect: "mysql"})
	require.Empty(t, res.Errors)
	require.NotEmpty(t, res.Columns)
	for _, e := range res.Columns {
		require.LessOrEqual(t, len(e.ToColumn), 1<<10)
		require.True(t, utf8.ValidString(e.ToColumn))
	}
}

// TestNoStatementIsLostUnsaid reads scripts whose lineage takes more memory
// than they may: what is left out is told.
func TestNoStatementIsLostUnsaid(t *testing.T) {
	lost := 0
	for _, n := range []int{1000, 4000, 10_000, 40_000} {
		var sql strings.Builder
		for i := range n {
			fmt.Fprintf(&sql, "CACHE TABLE c%d AS SELECT a, b, c FROM t;", i)
		}
		res := extract(sql.String(), parser.Options{Dialect: "spark", Limits: parser.Limits{Time: time.Minute}})
		whole := 0
		for _, s := range res.Statements {
			whole += len(s.Reads)
		}
		lost += n - whole
		limited := slices.ContainsFunc(res.Errors, func(e parser.Error) bool { return e.Kind == "limit" })
		require.Equal(t, whole < n, limited, "%d of %d statements", whole, n)
	}
	require.NotZero(t, lost)
}
