INSERT INTO d WITH t1 AS (SELECT a FROM t) SELECT a, x.1 AS p, if(c = 1, m, n) AS q, multiIf(c1, v1, c2, v2, v3) AS r FROM t1, z;
