SELECT x.a, y.* FROM (SELECT 1 AS a) x, LATERAL (SELECT t.b, t.c FROM t WHERE t.id = x.a) y;
