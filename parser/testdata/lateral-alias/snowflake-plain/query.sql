SELECT t.a AS x, x + 1 AS y, y * 2 AS z FROM t WHERE y > 3 GROUP BY ALL HAVING z > 1 ORDER BY x;
