package grammar

import "testing"

// analytic is a statement of about 2 KB, as reports have them.
const analytic = `INSERT INTO mart.customer_month (customer_id, month, region, orders, revenue, avg_basket, first_order, rank_in_region, segment, churned)
WITH paid AS (
  SELECT o.order_id, o.customer_id, o.order_date, o.region_id, o.total_amount - COALESCE(o.discount, 0) AS net_amount
  FROM dwh.orders o
  JOIN dwh.payments p ON p.order_id = o.order_id AND p.status IN ('captured', 'settled')
  WHERE o.order_date >= DATE '2023-01-01' AND o.order_date < DATE '2024-01-01' AND o.is_test = FALSE
), items AS (
  SELECT i.order_id, SUM(i.quantity) AS units, COUNT(DISTINCT i.product_id) AS products, MAX(i.unit_price * i.quantity) AS biggest_line
  FROM dwh.order_items i
  LEFT JOIN dwh.products pr ON pr.product_id = i.product_id
  WHERE pr.category NOT IN ('gift card', 'sample') OR pr.category IS NULL
  GROUP BY i.order_id
), monthly AS (
  SELECT paid.customer_id, EXTRACT(YEAR FROM paid.order_date) * 100 + EXTRACT(MONTH FROM paid.order_date) AS month, r.region_name AS region,
         COUNT(*) AS orders, SUM(paid.net_amount) AS revenue, AVG(items.units) AS avg_basket, MIN(paid.order_date) AS first_order
  FROM paid
  JOIN items ON items.order_id = paid.order_id
  LEFT JOIN dwh.regions r ON r.region_id = paid.region_id
  GROUP BY paid.customer_id, EXTRACT(YEAR FROM paid.order_date) * 100 + EXTRACT(MONTH FROM paid.order_date), r.region_name
  HAVING SUM(paid.net_amount) > 0
)
SELECT m.customer_id, m.month, m.region, m.orders, m.revenue, m.avg_basket, m.first_order,
       RANK() OVER (PARTITION BY m.region, m.month ORDER BY m.revenue DESC) AS rank_in_region,
       CASE WHEN m.revenue > 10000 THEN 'platinum' WHEN m.revenue > 1000 THEN 'gold' WHEN c.signup_date > DATE '2023-06-01' THEN 'new' ELSE 'standard' END AS segment,
       CASE WHEN NOT EXISTS (SELECT 1 FROM dwh.orders later WHERE later.customer_id = m.customer_id AND later.order_date > m.first_order) THEN 1 ELSE 0 END AS churned
FROM monthly m
JOIN dwh.customers c ON c.customer_id = m.customer_id
WHERE c.country_code = 'DE' AND m.orders > 1
ORDER BY m.region, rank_in_region
`

func BenchmarkParse(b *testing.B) {
	for _, name := range []string{"ansi", "postgres", "spark", "snowflake", "bigquery", "tsql"} {
		b.Run(name, func(b *testing.B) {
			d, _ := DialectByName(name)
			src := []byte(analytic)
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, errs := Parse(src, d, Limits{}); len(errs) > 0 {
					b.Fatal(errs[0])
				}
			}
		})
	}
}

func BenchmarkLex(b *testing.B) {
	src := []byte(analytic)
	d, _ := DialectByName("ansi")
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		lex(src, 0, len(src), d.f, Limits{}.withDefaults(), nil)
	}
}
