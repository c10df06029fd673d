-- One line for the management.
-- job: summary
-- inputs: shop.revenue
-- outputs: shop.summary
SELECT count() AS customers, sum(revenue) AS revenue
FROM shop.revenue
