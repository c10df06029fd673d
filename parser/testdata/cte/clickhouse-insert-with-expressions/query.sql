INSERT INTO d WITH (SELECT max(x) FROM t) AS top, a * 2 AS twice SELECT top + twice AS z FROM s
