SELECT o.id, it FROM ds.ord o LEFT JOIN UNNEST(o.items) AS it WITH OFFSET p
