SELECT inline(arr) FROM t; SELECT stack(2, a, b, c, d) AS (x, y) FROM t; SELECT posexplode(arr) AS (p, v) FROM t;
