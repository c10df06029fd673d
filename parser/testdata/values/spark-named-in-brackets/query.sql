INSERT INTO d SELECT a, b, t.x FROM t JOIN (VALUES (1, 2), (3, 4) AS v(a, b)) ON b = t.k
