package grammar

import (
	"strings"
	"testing"

	"fmt"

	"github.com/stretchr/testify/require"
	"github.com/tributary-data/tributary/parser/ir"
)

// TestRejected reads scripts with one error each, whose place and message stand in
// the comment of their last line.
func TestRejected(t *testing.T) {
	for _, s := range samples(t, "rejected") {
		i := strings.LastIndex(s.sql, "\n-- ")
		sql, want := s.sql[:i], strings.TrimSpace(s.sql[i+4:])
		d, _ := DialectByName(s.dialect)
		_, errs := Parse([]byte(sql), d, Limits{})
		require.Len(t, errs, 1, "%s", sql)
		line, column := ir.NewLines([]byte(sql)).At(errs[0].At)
		require.Equal(t, want, fmt.Sprintf("%d:%d %s", line, column, errs[0].Message), "%s", sql)
	}
}

// TestOthersAreKept reads scripts with a broken statement between two good ones.
func TestOthersAreKept(t *testing.T) {
	broken := []string{
		"SELECT FROM WHERE", "INSERT INTO", "CREATE TABEL x", "UPDATE t SET = 1", "SELECT a b c d",
		"MERGE t", "SELECT (((", "SELECT )", "WITH a AS", "SELECT 1 +", "SELECT CASE", "DELETE",
	}
	for _, name := range allDialects {
		d, _ := DialectByName(name)
		for _, bad := range broken {
			sql := "INSERT INTO a SELECT x FROM b;\n" + bad + ";\nINSERT INTO c SELECT y FROM d;"
			stmts, errs := Parse([]byte(sql), d, Limits{})
			require.NotEmpty(t, errs, "%s: %s", name, bad)
			require.Equal(t, 2, errs[0].Statement)
			require.GreaterOrEqual(t, len(stmts), 3, "%s: %s", name, bad)
			require.IsType(t, &ir.Insert{}, stmts[0].Node, "%s: %s", name, bad)
			require.IsType(t, &ir.Insert{}, stmts[len(stmts)-1].Node, "%s: %s", name, bad)
		}
	}
}
