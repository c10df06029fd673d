INSERT INTO d (a, b) SELECT t.a, u.b FROM t LEFT OUTER JOIN u PARTITION BY (u.k) ON t.id = u.id
