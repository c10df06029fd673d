SELECT sales.orders.total, o.id, orders.note FROM sales.orders AS o WHERE EXISTS (SELECT 1 FROM lines l WHERE lines.order_id = orders.id)
