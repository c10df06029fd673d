WITH RECURSIVE c (n, p) AS (SELECT id, CAST(nm AS CHAR(100)) FROM cat WHERE pid IS NULL UNION ALL SELECT k.id, CONCAT(c.p, '/', k.nm) FROM cat k JOIN c ON k.pid = c.n) SELECT n, p FROM c;
