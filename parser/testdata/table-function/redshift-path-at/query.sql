SELECT o.id, i.sku, n FROM orders o, o.items AS i AT n
