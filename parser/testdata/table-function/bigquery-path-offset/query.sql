SELECT o.id, item.sku, position FROM ds.orders AS o, o.items AS item WITH OFFSET AS position
