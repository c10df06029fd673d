INSERT INTO d SELECT (a + b), (a + b) * 2, c::int, CAST(e AS int) FROM t
