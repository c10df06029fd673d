package resolve

import (
	"strconv"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// valuesName is the dialect's own name of a VALUES column.
func (r *resolver) valuesName(i int) string {
	n := strconv.Itoa(i + 1)
	switch r.d.name {
	case "mysql", "tidb":
		return "column_" + strconv.Itoa(i)
	case "spark", "databricks", "duckdb":
		if r.d.name == "duckdb" {
			return "col" + strconv.Itoa(i)
		}
		return "col" + n
	case "snowflake", "oracle":
		return "COLUMN" + n
	case "clickhouse":
		return "c" + n
	case "trino", "presto":
		return "_col" + strconv.Itoa(i)
	case "flink":
		return "EXPR$" + strconv.Itoa(i)
	}
	return "column" + n
}

// outputName is the name that a select item gives its column by itself.
func (r *resolver) outputName(e *ir.Expr, i int) (shown string) {
	if id := nameOf(e); id.Set() && (e.Kind != ir.ExprField || r.d.name != "snowflake") {
		return r.shown(id)
	}
	switch r.d.name {
	case "postgres", "redshift", "greenplum":
		return postgresName(e)
	case "spark", "databricks", "ansi":
		// A cast of a column keeps its name, where CAST is written out too in Spark.
		if id := castColumn(e); id.Set() && (r.d.name != "ansi" || strings.Contains(r.text(e.Span), "::")) {
			return r.shown(id)
		}
	case "hive", "impala":
		return "_c" + strconv.Itoa(i)
	case "trino", "presto":
		return "_col" + strconv.Itoa(i)
	case "bigquery":
		return "f" + strconv.Itoa(i) + "_"
	case "flink":
		return "EXPR$" + strconv.Itoa(i)
	case "snowflake", "oracle":
		return strings.ToUpper(r.shortText(e.Span))
	}
	if t := r.shortText(e.Span); t != "" {
		return oneLine(t)
	}
	return "_c" + strconv.Itoa(i)
}

// maxNameBytes is how much of an expression's text names its column. The text of a
// subquery holds that of those inside it, so names without bound would take the square
// of the nesting.
const maxNameBytes = 1 << 10

// shortText is what a name takes of the text of an expression.
func (r *resolver) shortText(at ir.Span) string {
	if int(at.End)-int(at.Start) <= maxNameBytes {
		return r.text(at)
	}
	return strings.ToValidUTF8(r.text(ir.Span{Start: at.Start, End: at.Start + maxNameBytes}), "")
}

// castColumn is the name of a column that is only cast.
func castColumn(e *ir.Expr) ir.Ident {
	for e.Kind == ir.ExprCast {
		e = e.Args[0]
	}
	if e.Kind != ir.ExprColumn {
		return ir.Ident{}
	}
	return nameOf(e)
}

// postgresName follows PostgreSQL: a cast keeps the name of a column, a call has
// the function's name.
func postgresName(e *ir.Expr) string {
	switch e.Kind {
	case ir.ExprCast:
		if n := postgresName(e.Args[0]); n != "?column?" {
			return n
		}
		return strings.ToLower(firstWord(e.Text))
	case ir.ExprCall:
		if len(e.Name) > 0 {
			return strings.ToLower(e.Name[len(e.Name)-1].Name)
		}
	case ir.ExprColumn, ir.ExprField:
		return strings.ToLower(e.Name[len(e.Name)-1].Name)
	case ir.ExprCase:
		return "case"
	case ir.ExprArray:
		return "array"
	case ir.ExprExists:
		return "exists"
	case ir.ExprIndex:
		return postgresName(e.Args[0])
	case ir.ExprStruct, ir.ExprTuple:
		return "row"
	case ir.ExprSubquery:
		if q := unwrap(e.Query); q != nil && q.Select != nil && len(q.Select.Items) == 1 {
			it := q.Select.Items[0]
			if it.Alias.Set() {
				return strings.ToLower(it.Alias.Name)
			}
			return postgresName(it.Expr)
		}
	}
	return "?column?"
}

// oneLine puts one space for each piece of white space.
func oneLine(s string) string {
	for i := range len(s) {
		c := s[i]
		if c >= 0x80 || c < ' ' || c == ' ' && (i == 0 || i == len(s)-1 || s[i+1] <= ' ') {
			return strings.Join(strings.Fields(s), " ")
		}
	}
	return s
}
