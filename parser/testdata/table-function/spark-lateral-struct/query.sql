INSERT INTO db.d SELECT id, col.sku FROM db.o LATERAL VIEW explode(items) t AS col; INSERT INTO db.e SELECT s.* FROM (SELECT struct(a, b) AS s FROM db.t)
