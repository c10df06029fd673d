INSERT INTO d SELECT o.total, l.sku FROM shop.customers AS c, c.orders AS o, c.carts[0].lines AS l
