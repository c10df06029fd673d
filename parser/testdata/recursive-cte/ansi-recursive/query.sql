WITH RECURSIVE a AS (SELECT id, pid FROM t WHERE pid IS NULL UNION SELECT t.id, a.pid FROM t JOIN a ON t.pid = a.id), b AS (SELECT id FROM a) SELECT * FROM b
