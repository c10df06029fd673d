package parser_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"

	"github.com/tributary-data/tributary/parser"
)

// analytic is a statement of about 2 KB as analysts write them: CTEs, joins,
// windows, CASE, aggregates, subqueries and a union.
func analytic(n int) string {
	return fmt.Sprintf(`INSERT INTO mart.report_%[1]d
WITH base AS (
  SELECT o.order_id, o.customer_id, o.store_id, o.amount, o.discount, o.created_at, c.segment, c.country
  FROM sales.orders_%[1]d o
  LEFT JOIN crm.customers c ON c.customer_id = o.customer_id AND c.valid = 1
  WHERE o.created_at >= '2026-01-01' AND o.status IN ('paid', 'shipped', 'done')
),
ranked AS (
  SELECT b.*, ROW_NUMBER() OVER (PARTITION BY b.customer_id ORDER BY b.created_at DESC) AS rn,
         SUM(b.amount) OVER (PARTITION BY b.country ORDER BY b.created_at) AS running
  FROM base b
),
agg AS (
  SELECT r.store_id, r.segment AS dim, COUNT(*) AS orders, SUM(r.amount - COALESCE(r.discount, 0)) AS net,
         MAX(CASE WHEN r.rn = 1 THEN r.amount ELSE 0 END) AS last_amount, AVG(r.running) AS running
  FROM ranked r
  WHERE r.amount > %[1]d AND EXISTS (SELECT 1 FROM ref.stores s WHERE s.store_id = r.store_id AND s.open_on < r.created_at)
  GROUP BY r.store_id, r.segment
  HAVING SUM(r.amount) > 10
),
named AS (
  SELECT s.store_id, s.name AS store_name, g.region FROM ref.stores s JOIN ref.regions g ON g.region_id = s.region_id
)
SELECT n.store_name, UPPER(n.region) AS region, a.dim, a.orders, a.net, a.net / NULLIF(a.orders, 0) AS average,
       CASE WHEN a.net > 100 THEN 'high' WHEN a.last_amount > 0 THEN 'active' ELSE 'low' END AS band,
       (SELECT MAX(t.target) FROM plan.targets t WHERE t.store_id = a.store_id) AS target
FROM agg a JOIN named n ON n.store_id = a.store_id
WHERE a.dim IS NOT NULL AND n.region <> 'test'
UNION ALL
SELECT n.store_name, n.region, a.dim, a.orders, a.net, 0, 'none', NULL
FROM agg a JOIN named n ON n.store_id = a.store_id
`, n)
}

// processor is the processor time of this process so far, in seconds.
func processor(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// BenchmarkExtract parses and resolves analytic statements of about 2 KB. Beside the
// clock's rate it gives the rate by processor time, which other work on the machine
// changes less.
func BenchmarkExtract(b *testing.B) {
	statements := make([][]byte, 16)
	for i := range statements {
		statements[i] = []byte(analytic(i))
	}
	for _, dialect := range []string{"ansi", "spark", "postgres", "mysql"} {
		b.Run(dialect, func(b *testing.B) {
			o := parser.Options{Dialect: dialect}
			b.SetBytes(int64(len(statements[0])))
			b.ReportAllocs()
			before := processor(b)
			for i := range b.N {
				if res := parser.Extract(context.Background(), statements[i%len(statements)], o); len(res.Errors) > 0 {
					b.Fatal(res.Errors[0].Message)
				}
			}
			b.ReportMetric(float64(b.N*len(statements[0]))/1e6/(processor(b)-before), "MB/cpu-s")
		})
	}
}
