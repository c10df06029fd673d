-- One line for the management, with the largest order.
-- job: summary
-- inputs: shop.revenue
-- outputs: shop.summary
SELECT count() AS customers, sum(revenue) AS revenue, max(largest) AS largest
FROM shop.revenue
