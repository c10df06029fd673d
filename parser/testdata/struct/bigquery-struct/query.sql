INSERT INTO ds.d (a, b) SELECT s.x, s.y FROM (SELECT STRUCT(t.a AS x, t.b AS y) AS s FROM ds.t AS t);
