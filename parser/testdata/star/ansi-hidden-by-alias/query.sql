INSERT INTO d SELECT orders.* FROM orders o JOIN customers c ON o.customer = c.id
