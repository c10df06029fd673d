package grammar

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tributary-data/tributary/parser/ir"
)

// steps parses and gives the number of tokens that the parser took.
func steps(t *testing.T, dialect, sql string) (int, []Error) {
	t.Helper()
	d, ok := DialectByName(dialect)
	require.True(t, ok)
	p := newParser([]byte(sql), d.features(), Limits{}.withDefaults(), newArena())
	p.load(0, len(sql))
	p.mem.size(len(p.toks))
	for len(p.nextStatement()) > 0 {
	}
	return p.steps, p.errs
}

// nested are statements that nest about n levels deep.
func nested(n int) map[string]string {
	return map[string]string{
		"parentheses":  "SELECT " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n),
		"unclosed":     "SELECT " + strings.Repeat("(", n),
		"subqueries":   strings.Repeat("SELECT a FROM (", n/8),
		"case":         "SELECT " + strings.Repeat("CASE WHEN ", n/8),
		"minus":        "SELECT " + strings.Repeat("- ", n/8) + "1",
		"not":          "SELECT " + strings.Repeat("NOT ", n/8) + "a",
		"calls":        "SELECT " + strings.Repeat("f(", n),
		"brackets":     "SELECT " + strings.Repeat("[", n),
		"braces":       "SELECT " + strings.Repeat("{ ", n),
		"casts":        "SELECT a" + strings.Repeat("::int", n/16),
		"is null":      "SELECT a" + strings.Repeat(" IS NULL", n/16),
		"lambda":       "SELECT f(" + strings.Repeat("x -> ", n/16) + "1)",
		"begin":        strings.Repeat("BEGIN ", n/8),
		"if":           strings.Repeat("IF a THEN ", n/16),
		"types":        "SELECT CAST(a AS " + strings.Repeat("ARRAY<", n/8) + "INT",
		"with":         strings.Repeat("WITH a AS (", n/8),
		"indexes":      "SELECT a" + strings.Repeat("[1]", n/16),
		"fields":       "SELECT f(x)" + strings.Repeat(".y", n/16),
		"between":      "SELECT a" + strings.Repeat(" BETWEEN 1 AND 2", n/64),
		"pipes":        "FROM t" + strings.Repeat(" |> SELECT a", n/64),
		"grouping":     "SELECT 1 FROM t GROUP BY " + strings.Repeat("GROUPING SETS (", n/16),
		"from groups":  "SELECT 1 FROM " + strings.Repeat("(", n),
		"struct types": "CREATE TABLE t (a " + strings.Repeat("STRUCT<b ", n/16),
	}
}

func TestDeepNestingIsALimitError(t *testing.T) {
	for name, sql := range nested(3_000_000) {
		_, errs := steps(t, "ansi", sql)
		require.NotEmpty(t, errs, name)
	}
	cases := nested(100_000)
	for name, sql := range cases {
		for _, dialect := range allDialects {
			taken, errs := steps(t, dialect, sql+";\nINSERT INTO x SELECT a FROM y")
			if name != "lambda" { // where the arrow is JSON access it does not nest
				require.NotEmpty(t, errs, "%s in %s", name, dialect)
			}
			require.LessOrEqual(t, taken, 3*len(sql)+100, "%s in %s", name, dialect)
		}
	}
	for _, name := range []string{"parentheses", "unclosed", "subqueries", "case", "minus", "not", "calls", "is null", "with"} {
		_, errs := steps(t, "ansi", cases[name])
		require.Equal(t, ir.ErrorLimit, errs[0].Kind, name)
		require.NotEmpty(t, errs[0].Message)
	}
}

func TestStatementBehindALimitIsKept(t *testing.T) {
	sql := "SELECT " + strings.Repeat("(", 5000) + ";\nINSERT INTO x SELECT a FROM y"
	stmts, errs := Parse([]byte(sql), Dialect{}, Limits{})
	require.Len(t, errs, 1)
	require.Contains(t, errs[0].Message, "1000 levels of nesting")
	require.Len(t, stmts, 2)
	require.IsType(t, &ir.Insert{}, stmts[1].Node)
}

func TestTokensAndBytesAreBounded(t *testing.T) {
	d, _ := DialectByName("spark")
	_, errs := Parse([]byte("SELECT a, b, c, d"), d, Limits{MaxTokens: 7})
	require.Len(t, errs, 1)
	require.Contains(t, errs[0].Message, "7 tokens")
	_, errs = Parse([]byte("SELECT a, b, c, d"), d, Limits{MaxBytes: 10})
	require.Len(t, errs, 1)
	require.Contains(t, errs[0].Message, "10 bytes")
	stopped := Limits{Stop: func() bool { return true }}
	_, errs = Parse([]byte("SELECT a"), d, stopped)
	require.Len(t, errs, 1)
	require.Equal(t, ir.ErrorLimit, errs[0].Kind)
}

// growing are statements whose length is a parameter. Twice the length must take at
// most 2.1 times the work.
var growing = map[string]func(n int) string{
	"or":      func(n int) string { return "SELECT 1 FROM t WHERE a=1" + strings.Repeat(" OR a=1", n) },
	"plus":    func(n int) string { return "SELECT a" + strings.Repeat(" + a", n) },
	"mixed":   func(n int) string { return "SELECT a" + strings.Repeat(" + a - b || c", n) },
	"in":      func(n int) string { return "SELECT 1 FROM t WHERE a IN (1" + strings.Repeat(", 2", n) + ")" },
	"columns": func(n int) string { return "SELECT a" + strings.Repeat(", b AS c", n) + " FROM t" },
	"union":   func(n int) string { return "SELECT a FROM t" + strings.Repeat(" UNION ALL SELECT a FROM t", n) },
	"joins":   func(n int) string { return "SELECT a FROM t" + strings.Repeat(" JOIN u ON t.a = u.a", n) },
	"rows":    func(n int) string { return "INSERT INTO t VALUES (1)" + strings.Repeat(", (1, 'x', a)", n) },
	"case":    func(n int) string { return "SELECT CASE" + strings.Repeat(" WHEN a THEN b", n) + " END" },
	"ctes": func(n int) string {
		return "WITH a AS (SELECT 1)" + strings.Repeat(", a AS (SELECT b FROM a)", n) + " SELECT 1"
	},
	"script":   func(n int) string { return strings.Repeat("INSERT INTO t SELECT a FROM u WHERE b = 'x';\n", n) },
	"names":    func(n int) string { return "SELECT a" + strings.Repeat(".b", n) },
	"brackets": func(n int) string { return "SELECT " + strings.Repeat("((a)), ", n) + "1" },
	"errors":   func(n int) string { return strings.Repeat("SELECT FROM WHERE;\n", n) },
	"strings":  func(n int) string { return "SELECT 'a'" + strings.Repeat(" 'b'", n) },
	"declare":  func(n int) string { return strings.Repeat("DECLARE a INT;\n", n) },
	"marks":    func(n int) string { return "SELECT " + strings.Repeat("{{ ${ $a$ {% ", n) },
	"bodies":   func(n int) string { return strings.Repeat("CREATE FUNCTION f() LANGUAGE sql AS 'SELECT ''x''';\n", n) },
}

func TestWorkGrowsLinearly(t *testing.T) {
	for name, of := range growing {
		for _, dialect := range []string{"ansi", "postgres", "bigquery", "tsql", "clickhouse"} {
			one, _ := steps(t, dialect, of(1000))
			two, _ := steps(t, dialect, of(2000))
			require.LessOrEqual(t, float64(two), 2.1*float64(one)+200, "%s in %s", name, dialect)
			require.LessOrEqual(t, one, 3*len(of(1000)), "%s in %s", name, dialect)
		}
	}
}

func TestLongChainsAreFlat(t *testing.T) {
	for _, op := range []string{" OR ", " AND ", " + ", " || ", " * ", " = "} {
		sql := "SELECT a" + strings.Repeat(op+"a", 50_000)
		stmts, errs := Parse([]byte(sql), Dialect{}, Limits{})
		require.Empty(t, errs, op)
		e := stmts[0].Node.(*ir.QueryStmt).Query.Select.Items[0].Expr
		require.Equal(t, ir.ExprOp, e.Kind)
		require.Len(t, e.Args, 50_001)
	}
}

// TestBrokenAnywhere cuts samples off at many places, and leaves a token out at
// each: whatever is missing, reading must end, after work in proportion to the text.
func TestBrokenAnywhere(t *testing.T) {
	for _, s := range samples(t, "accepted") {
		d, _ := DialectByName(s.dialect)
		toks, _ := lex([]byte(s.sql), 0, len(s.sql), d.features(), Limits{}.withDefaults(), nil)
		step := 1 + len(toks)/40
		for i := 0; i < len(toks)-1; i += step {
			for _, sql := range []string{s.sql[:toks[i].pos], s.sql[:toks[i].pos] + s.sql[toks[i].end:], s.sql[toks[i].pos:]} {
				taken, _ := steps(t, s.dialect, sql)
				require.LessOrEqual(t, taken, 6*len(sql)+100, "%s: %s", s.dialect, sql)
			}
		}
	}
}
