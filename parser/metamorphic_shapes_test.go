package parser

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// shape is a statement of many clauses. Words stand apart, so that they can be spaced
// and cased anew; {3} is an alias.
type shape struct {
	free, chained []string // CTEs that use none of the others; those that use earlier ones
	body          string
	head, tail    string // around the query
}

// shaper draws a shape. All its relations have the columns k, a, b and c.
type shaper struct {
	t       *rapid.T
	aliases int
	ctes    []string
}

func (s *shaper) pick(label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(s.t, label)
}

func (s *shaper) alias() string {
	s.aliases++
	return fmt.Sprintf("{%d}", s.aliases)
}

func drawShape(t *rapid.T) shape {
	s := &shaper{t: t}
	var out shape
	for i := range rapid.IntRange(0, 3).Draw(t, "free") {
		out.free = append(out.free, fmt.Sprintf("w%d AS ( %s )", i, s.query(1)))
	}
	for i := range len(out.free) {
		s.ctes = append(s.ctes, fmt.Sprintf("w%d", i))
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "chained") {
		out.chained = append(out.chained, fmt.Sprintf("v%d AS ( %s )", i, s.query(1)))
		s.ctes = append(s.ctes, fmt.Sprintf("v%d", i))
	}
	out.body = s.query(2)
	switch s.pick("statement", "insert", "table", "view", "merge", "update") {
	case "insert":
		out.head = "INSERT INTO d ( k , a , b , c )"
	case "table":
		out.head = "CREATE TABLE d AS"
	case "view":
		out.head = "CREATE VIEW d AS"
	case "merge":
		src := s.alias()
		out.head = "MERGE INTO d USING ("
		out.tail = strings.ReplaceAll(") ? ON d.k = ?.k WHEN MATCHED AND ?.c > 1 THEN UPDATE SET a = ?.a , b = d.b + ?.b "+
			"WHEN NOT MATCHED THEN INSERT ( k , a , c ) VALUES ( ?.k , ?.a , ?.c )", "?", src)
	case "update":
		src := s.alias()
		out.head = "UPDATE d SET a = ( SELECT MAX ( " + src + ".a ) FROM ("
		out.tail = ") " + src + " WHERE " + src + ".k = d.k ) WHERE d.c > 1"
	}
	return out
}

// query is a query of the four columns, or a set operation of two.
func (s *shaper) query(depth int) string {
	one := s.selects(depth)
	if depth > 0 && rapid.IntRange(0, 3).Draw(s.t, "set") == 0 {
		return one + " " + s.pick("operator", "UNION", "UNION ALL", "EXCEPT", "INTERSECT") + " " + s.selects(depth-1)
	}
	return one
}

func (s *shaper) selects(depth int) string {
	first := s.alias()
	from, closed := s.relation(depth)
	from += " " + first
	if closed && rapid.IntRange(0, 3).Draw(s.t, "star") == 0 {
		return "SELECT " + first + ".* FROM " + from
	}
	owners := []string{first}
	for range rapid.IntRange(0, 2).Draw(s.t, "joins") {
		right := s.alias()
		rel, _ := s.relation(depth - 1)
		from += fmt.Sprintf(" %s %s %s ON %s.k = %s.k", s.pick("join", "JOIN", "LEFT JOIN", "FULL OUTER JOIN"), rel, right, right, owners[0])
		owners = append(owners, right)
	}
	column := func() string { return s.pick("owner", owners...) + "." + s.pick("column", "k", "a", "b", "c") }
	grouped := rapid.IntRange(0, 3).Draw(s.t, "grouped") == 0
	var items []string
	for _, name := range []string{"k", "a", "b", "c"} {
		items = append(items, s.item(column, grouped)+" AS "+name)
	}
	text := "SELECT " + strings.Join(items, " , ") + " FROM " + from
	switch s.pick("where", "none", "plain", "in", "exists") {
	case "plain":
		text += " WHERE " + column() + " > 1 AND NOT " + column() + " = " + column()
	case "in":
		in := s.alias()
		text += fmt.Sprintf(" WHERE %s IN ( SELECT %s.a FROM t3 %s WHERE %s.b = 1 )", column(), in, in, in)
	case "exists":
		in := s.alias()
		text += fmt.Sprintf(" WHERE EXISTS ( SELECT 1 FROM t2 %s WHERE %s.k = %s )", in, in, column())
	}
	if grouped {
		text += " GROUP BY " + column() + " HAVING COUNT ( " + column() + " ) > 1"
	}
	return text
}

// relation is what can stand in FROM; closed says that all its columns are known.
func (s *shaper) relation(depth int) (text string, closed bool) {
	if depth > 0 && rapid.IntRange(0, 2).Draw(s.t, "derived") == 0 {
		return "( " + s.query(depth-1) + " )", true
	}
	from := append([]string{"t1", "t2", "t3"}, s.ctes...)
	name := s.pick("relation", from...)
	return name, slices.Contains(s.ctes, name)
}

func (s *shaper) item(column func() string, grouped bool) string {
	if grouped {
		return s.pick("aggregate", "SUM", "MAX", "COUNT") + " ( " + column() + " )"
	}
	switch s.pick("item", "column", "sum", "case", "call", "query", "window", "cast") {
	case "sum":
		return column() + " + " + column() + " * 2"
	case "case":
		return "CASE WHEN " + column() + " = 1 THEN " + column() + " ELSE " + column() + " END"
	case "call":
		return "COALESCE ( " + column() + " , " + column() + " )"
	case "query":
		in := s.alias()
		return fmt.Sprintf("( SELECT MAX ( %s.b ) FROM t3 %s WHERE %s.k = %s )", in, in, in, column())
	case "window":
		return "SUM ( " + column() + " ) OVER ( PARTITION BY " + column() + " ORDER BY " + column() + " )"
	case "cast":
		return "CAST ( " + column() + " AS int )"
	}
	return column()
}

// write gives the statement's text in one style.
func (q shape) write(s style) string {
	free, body := slices.Clone(q.free), q.body
	if s.reverse {
		slices.Reverse(free)
	}
	ctes := slices.Concat(free, q.chained)
	switch s.wrap {
	case "subquery":
		body = "SELECT k , a , b , c FROM ( " + body + " ) wrapped"
	case "cte":
		ctes = append(ctes, "wrapped AS ( "+body+" )")
		body = "SELECT k , a , b , c FROM wrapped"
	case "star":
		body = "SELECT * FROM ( " + body + " ) wrapped"
	}
	if len(ctes) > 0 {
		body = "WITH " + strings.Join(ctes, " , ") + " " + body
	}
	text := q.head + " " + body + " " + q.tail
	if s.wrap == "session" {
		text = "CREATE TEMPORARY TABLE wrapped AS " + body + " ; " + q.head + " SELECT k , a , b , c FROM wrapped " + q.tail
	}
	text = respace(text, s)
	return strings.NewReplacer("{", s.alias, "}", "").Replace(text)
}

// TestLineageOfShapesStays: joins, derived tables, set operations, chains of CTEs,
// windows, stars and subqueries, in all statements that write: other aliases, comments
// and white space, case of keywords, the order of independent CTEs, and a subquery, CTE
// or session table around the whole leave the lineage as it is.
func TestLineageOfShapesStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := drawShape(t)
		dialect := rapid.SampledFrom(Dialects()).Draw(t, "dialect")
		plain := q.write(plainStyle)
		want := lineage(plain, dialect)
		require.NotEmpty(t, want)
		for _, line := range want {
			require.NotRegexp(t, "^(syntax|unresolved|ambiguous|unsupported|limit) ", line, plain)
		}
		requireSameLineage(t, want, dialect, plain, q.write, "session")
	})
}

// TestFrontEndsAgreeOnShapes: what TiDB's parser reads of the shapes has one lineage in
// both front ends.
func TestFrontEndsAgreeOnShapes(t *testing.T) {
	drawn, both := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		sql := mysqlShape.Replace(drawShape(t).write(plainStyle))
		if !readByBoth(t, sql) {
			return
		}
		both++
		require.Equal(t, frontLineage(t, sql, true), frontLineage(t, sql, false), sql)
	})
	require.Greater(t, both, drawn/4)
}

// mysqlShape writes a shape as MySQL has it.
var mysqlShape = strings.NewReplacer("FULL OUTER JOIN", "LEFT JOIN", "AS int )", "AS SIGNED )", "SUM (", "SUM(", "MAX (", "MAX(",
	"COUNT (", "COUNT(", "COALESCE (", "COALESCE(", "CAST (", "CAST(")

// readByBoth reports statements that TiDB's parser does not leave to our grammar.
func readByBoth(t require.TestingT, sql string) bool {
	f, ok := frontEnd("mysql", Limits{}, context.Background())
	require.True(t, ok)
	return extractWith(context.Background(), f, []byte(sql), Options{}).Fallback == nil
}
