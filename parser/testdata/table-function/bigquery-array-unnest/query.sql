SELECT t.a.b.c AS x, ARRAY(SELECT e.p FROM UNNEST(t.arr) e WHERE e.q = t.k) AS y, (SELECT MAX(z) FROM UNNEST(t.zs) z) AS m FROM ds.t
