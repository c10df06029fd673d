INSERT INTO d SELECT g.generate_series AS n, s.a FROM generate_series(0, 10) AS g, s
