INSERT INTO d SELECT a, c, b FROM t JOIN u ON t.b = u.b
