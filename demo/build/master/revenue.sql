-- Revenue of each customer, from the orders that were paid.
-- job: revenue
-- inputs: shop.orders
-- outputs: shop.revenue
SELECT customer, sum(amount) AS revenue
FROM shop.orders
WHERE paid
GROUP BY customer
ORDER BY customer
