package parser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// randomQuery is a query in parts, so that it can be written in several ways that
// mean the same.
type randomQuery struct {
	ctes  []randomCTE
	items []string // expressions over {0}, {1}, … as aliases of tables
	from  []string // table or CTE names; {i} is the alias of the i-th
	joins []string // conditions, for all but the first
	where string
	group bool
}

// randomCTE is an independent CTE: a projection of one table.
type randomCTE struct{ name, table string }

// style is one way to write a query.
type style struct {
	alias     string
	upper     bool
	separator func() string
	reverse   bool // order of CTEs
	wrap      string
}

func drawQuery(t *rapid.T) randomQuery {
	var q randomQuery
	names := []string{"t1", "t2", "t3"}
	for i := range rapid.IntRange(0, 3).Draw(t, "ctes") {
		c := randomCTE{fmt.Sprintf("w%d", i), rapid.SampledFrom(names[:3]).Draw(t, "base")}
		q.ctes = append(q.ctes, c)
		names = append(names, c.name)
	}
	n := rapid.IntRange(1, 3).Draw(t, "sources")
	for i := range n {
		q.from = append(q.from, rapid.SampledFrom(names).Draw(t, "source"))
		if i > 0 {
			q.joins = append(q.joins, fmt.Sprintf("{%d}.k = {%d}.k", i, rapid.IntRange(0, i-1).Draw(t, "left")))
		}
	}
	column := func() string {
		return fmt.Sprintf("{%d}.%s", rapid.IntRange(0, n-1).Draw(t, "owner"), rapid.SampledFrom([]string{"k", "a", "b", "c"}).Draw(t, "column"))
	}
	q.group = rapid.Bool().Draw(t, "group")
	for range rapid.IntRange(1, 4).Draw(t, "items") {
		q.items = append(q.items, drawItem(t, column, q.group))
	}
	if rapid.Bool().Draw(t, "filtered") {
		q.where = column() + " > 1 AND " + column() + " IN (SELECT a FROM t3)"
	}
	return q
}

func drawItem(t *rapid.T, column func() string, aggregate bool) string {
	if aggregate {
		return rapid.SampledFrom([]string{"SUM", "MAX", "COUNT"}).Draw(t, "aggregate") + "(" + column() + ")"
	}
	switch rapid.IntRange(0, 4).Draw(t, "shape") {
	case 0:
		return column() + " + " + column()
	case 1:
		return "CASE WHEN " + column() + " = 1 THEN " + column() + " ELSE " + column() + " END"
	case 2:
		return "COALESCE(" + column() + ", " + column() + ")"
	case 3:
		return "(SELECT MAX(x.b) FROM t3 x WHERE x.k = " + column() + ")"
	}
	return column()
}

// write gives the query's text in one style.
func (q randomQuery) write(s style) string {
	as := func(text string) string {
		for i := range q.from {
			text = strings.ReplaceAll(text, fmt.Sprintf("{%d}", i), fmt.Sprintf("%s%d", s.alias, i))
		}
		return text
	}
	var body strings.Builder
	body.WriteString("SELECT ")
	for i, it := range q.items {
		if i > 0 {
			body.WriteString(" , ")
		}
		fmt.Fprintf(&body, "%s AS o%d", as(it), i)
	}
	for i, f := range q.from {
		if i == 0 {
			fmt.Fprintf(&body, " FROM %s AS %s%d", f, s.alias, i)
			continue
		}
		fmt.Fprintf(&body, " LEFT JOIN %s AS %s%d ON %s", f, s.alias, i, as(q.joins[i-1]))
	}
	if q.where != "" {
		body.WriteString(" WHERE " + as(q.where))
	}
	if q.group {
		body.WriteString(" GROUP BY " + as("{0}.k"))
	}
	return q.finish(body.String(), s)
}

// finish puts the CTEs and the target around, and the separators in.
func (q randomQuery) finish(body string, s style) string {
	var ctes []string
	for _, c := range q.ctes {
		ctes = append(ctes, fmt.Sprintf("%s AS ( SELECT k , a , b AS c , a AS b FROM %s )", c.name, c.table))
	}
	if s.reverse {
		for i, j := 0, len(ctes)-1; i < j; i, j = i+1, j-1 {
			ctes[i], ctes[j] = ctes[j], ctes[i]
		}
	}
	var names []string
	for i := range q.items {
		names = append(names, fmt.Sprintf("o%d", i))
	}
	list := strings.Join(names, " , ")
	switch s.wrap {
	case "subquery":
		body = "SELECT " + list + " FROM ( " + body + " ) AS wrapped"
	case "cte":
		ctes = append(ctes, "wrapped AS ( "+body+" )")
		body = "SELECT " + list + " FROM wrapped"
	case "star":
		body = "SELECT * FROM ( " + body + " ) AS wrapped"
	}
	with := ""
	if len(ctes) > 0 {
		with = "WITH " + strings.Join(ctes, " , ") + " "
	}
	return respace("INSERT INTO d ( "+list+" ) "+with+body, s)
}

// respace rewrites white space and the case of keywords.
func respace(text string, s style) string {
	var b strings.Builder
	for i, w := range strings.Fields(text) {
		if i > 0 {
			if s.separator != nil {
				b.WriteString(s.separator())
			} else {
				b.WriteByte(' ')
			}
		}
		if !s.upper && strings.ToUpper(w) == w {
			w = strings.ToLower(w)
		}
		b.WriteString(w)
	}
	return b.String()
}

// summary is a result's lineage without the places in the text.
func summary(res Result) []string {
	var out []string
	for _, e := range res.Tables {
		out = append(out, e.From+">"+e.To)
	}
	for _, e := range res.Columns {
		out = append(out, fmt.Sprintf("%s.%s>%s.%s %v", e.FromTable, e.FromColumn, e.ToTable, e.ToColumn, e.Via))
	}
	for _, e := range res.Indirect {
		out = append(out, fmt.Sprintf("%s.%s~%s %v", e.FromTable, e.FromColumn, e.To, e.Via))
	}
	for _, e := range res.Errors {
		out = append(out, string(e.Kind)+" "+e.Message)
	}
	sort.Strings(out)
	return out
}

var plainStyle = style{alias: "q", upper: true}

func lineage(sql, dialect string) []string {
	return summary(Extract(context.Background(), []byte(sql), Options{Dialect: dialect, DefaultSchema: "s"}))
}

// TestLineageStaysWhateverTheWriting: other aliases, comments and white space, case
// of keywords, the order of independent CTEs, and a subquery or CTE around the whole
// leave the lineage as it is.
func TestLineageStaysWhateverTheWriting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawQuery(t)
		dialect := rapid.SampledFrom(Dialects()).Draw(t, "dialect")
		plain := q.write(plainStyle)
		want := lineage(plain, dialect)
		require.NotEmpty(t, want)
		requireSameLineage(t, want, dialect, plain, q.write)
	})
}

// requireSameLineage writes a statement in other ways and finds the lineage wanted. Wraps
// are ways to wrap it beside those that every statement has.
func requireSameLineage(t *rapid.T, want []string, dialect, plain string, write func(style) string, wraps ...string) {
	gap := rapid.SampledFrom([]string{"\n", "\t ", " /* x , FROM y ; */ ", " -- z\n"})
	styles := []style{
		{alias: "zz_", upper: true},
		{alias: "q", upper: true, separator: func() string { return gap.Draw(t, "gap") }},
		{alias: "q"},
		{alias: "q", upper: true, reverse: true},
	}
	for _, wrap := range append([]string{"subquery", "cte", "star"}, wraps...) {
		styles = append(styles, style{alias: "q", upper: true, wrap: wrap})
	}
	for _, s := range styles {
		other := write(s)
		require.Equal(t, want, lineage(other, dialect), "%s\n%s\n%s", dialect, plain, other)
	}
}

// TestFrontEndsAgree: what TiDB's parser and our grammar both read has one lineage.
func TestFrontEndsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sql := drawQuery(t).write(plainStyle)
		require.Equal(t, frontLineage(t, sql, true), frontLineage(t, sql, false), sql)
	})
	for _, sql := range []string{
		"INSERT INTO d (a, b) SELECT x, SUM(y) OVER (PARTITION BY z ORDER BY w) FROM t WHERE v BETWEEN 1 AND u",
		"UPDATE a JOIN b ON a.k = b.k SET a.x = b.y, b.z = a.w WHERE a.q > 1",
		"DELETE a FROM a JOIN b ON a.k = b.k WHERE b.x = 1",
		"INSERT INTO d SELECT * FROM a NATURAL JOIN b UNION ALL SELECT * FROM c",
		"REPLACE INTO d SET a = (SELECT MAX(x) FROM t), b = 2",
		"INSERT INTO d (a) VALUES (1), ((SELECT x FROM t)) ON DUPLICATE KEY UPDATE a = VALUES(a) + d.b",
		"CREATE TABLE d (z INT) SELECT a, b AS z FROM t",
		"CREATE OR REPLACE VIEW v (p, q) AS SELECT a, b FROM t LEFT JOIN (u, w) ON t.k = u.k AND t.k = w.k",
		"WITH RECURSIVE c (n) AS (SELECT a FROM t UNION ALL SELECT c.n + t.b FROM c JOIN t ON t.k = c.n) SELECT n FROM c",
		"SELECT a FROM t1 EXCEPT SELECT b FROM t2 INTERSECT SELECT c FROM t3",
		"LOAD DATA INFILE '/x.csv' INTO TABLE t (a, @b) SET c = (SELECT MAX(z) FROM u)",
		"RENAME TABLE a TO b, c TO a",
		"SET @x = (SELECT MAX(a) FROM t)",
		"INSERT INTO d SELECT k, a.x, c.y FROM a CROSS JOIN b JOIN c USING (k) GROUP BY 1, 2 ORDER BY 3",
		"INSERT INTO d SELECT a.x, c.y FROM a, b JOIN c USING (k), e NATURAL JOIN f",
		"SELECT HIGH_PRIORITY ALL STRAIGHT_JOIN 'a' \"b\" AS c, x FROM t",
	} {
		require.Equal(t, frontLineage(t, sql, true), frontLineage(t, sql, false), sql)
	}
}

// TestFrontEndsAgreeOnGoldenCases: the same over every kept case of MySQL that TiDB's
// parser reads.
func TestFrontEndsAgreeOnGoldenCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*/mysql-*/query.sql")
	require.NoError(t, err)
	compared := 0
	for _, file := range files {
		sql, err := os.ReadFile(file)
		require.NoError(t, err)
		f, ok := frontEnd("mysql", Limits{}, context.Background())
		require.True(t, ok)
		o := Options{DefaultSchema: "s"}
		first := extractWith(context.Background(), f, sql, o)
		if first.Fallback != nil {
			continue
		}
		compared++
		f.tidb = false
		require.Equal(t, summary(first), summary(extractWith(context.Background(), f, sql, o)), file)
	}
	require.NotZero(t, compared)
}

// frontLineage reads MySQL with one of the front ends alone.
func frontLineage(t require.TestingT, sql string, tidb bool) []string {
	f, ok := frontEnd("mysql", Limits{}, context.Background())
	require.True(t, ok)
	f.tidb = tidb
	res := extractWith(context.Background(), f, []byte(sql), Options{DefaultSchema: "s"})
	if tidb {
		require.Empty(t, res.Fallback, sql)
	}
	return summary(res)
}
