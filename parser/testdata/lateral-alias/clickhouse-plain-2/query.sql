INSERT INTO d SELECT (a + b AS s) * 2 AS x, s + 1 AS y FROM t;
