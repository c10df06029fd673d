package blackbox_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestImpactOfChangedSQL asks what breaks if a task had other SQL: the exit
// code is 3 where something would, and nothing of it is kept.
func TestImpactOfChangedSQL(t *testing.T) {
	p := serve(t, t.TempDir())
	const sql = "INSERT INTO dw.orders (id, amount) SELECT id, total_amount FROM orders"
	post(t, p.URL, table("db.orders", "id", "total_amount"), task("load", sql),
		task("report", "INSERT INTO mart.daily (amount) SELECT SUM(amount) FROM dw.orders"))
	impact := func(sql string) answer {
		return command(t, p.URL, sql, "lineage", "impact", "--sql", "-", "--task", "load")
	}
	poll(t, settleTime, func() error {
		if a := command(t, p.URL, "", "lineage", "impact", orders, "--column", "total_amount"); !strings.Contains(a.out, "mart.daily") {
			return fmt.Errorf("not seen yet: %s%s", a.out, a.errors)
		}
		return nil
	})

	a := impact(sql)
	require.Zero(t, a.code, "%s%s", a.out, a.errors)
	require.Contains(t, a.out, "Nothing is affected.")

	a = impact("INSERT INTO dw.orders (id) SELECT id FROM orders")
	require.Equal(t, 3, a.code, a.errors)
	require.Contains(t, a.out, "mart.daily")
	require.Contains(t, a.out, "Edges that go away:")

	a = impact("INSERT INTO dw.orders (id, amount) SELECT id, FROM orders")
	require.Equal(t, 3, a.code, a.errors)
	require.Contains(t, a.out, "syntax: expected an expression")

	a = impact(sql)
	require.Zero(t, a.code, "what was asked about is not kept: %s", a.out)
	require.Zero(t, p.interrupt())
}
