INSERT INTO d (a, b) SELECT x, y FROM (VALUES (1, 2), (3, 4)) AS v (x, y) JOIN t ON t.k = v.x
