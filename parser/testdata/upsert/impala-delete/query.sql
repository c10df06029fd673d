UPSERT INTO d (a, b) SELECT x, y FROM t; INSERT INTO d SELECT c.id, o.item.nm FROM cust c, c.orders o; CREATE TABLE z LIKE PARQUET '/x/f.parq'; DELETE d FROM d JOIN e ON d.a = e.a;
