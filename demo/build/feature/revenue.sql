-- Revenue of each customer, returns taken off.
-- job: revenue
-- inputs: shop.orders
-- outputs: shop.revenue
SELECT customer, sum(amount - returned) AS revenue, max(amount) AS largest
FROM shop.orders
WHERE paid
GROUP BY customer
ORDER BY customer
