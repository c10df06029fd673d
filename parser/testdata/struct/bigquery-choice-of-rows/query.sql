INSERT INTO ds.person SELECT IF(o.id IS NOT NULL, o, g).* REPLACE (LEAST(o.at, g.at) AS at) FROM ds.own AS o FULL JOIN ds.guest AS g USING (id);
INSERT INTO ds.part (f, c) SELECT COALESCE(a.s, b.s).f, CASE WHEN a.k THEN STRUCT(a.x AS p, a.y AS q) ELSE STRUCT(b.z AS p, 1 AS q) END.p FROM (SELECT STRUCT(x AS f) AS s, k, x, y FROM ds.t) AS a CROSS JOIN (SELECT STRUCT(z AS f) AS s, z FROM ds.u) AS b
