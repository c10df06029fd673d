INSERT INTO foo SELECT id, (array_agg(x ORDER BY y))[1] AS f, (SELECT row_to_json(q) FROM (SELECT a.p, a.r) q) AS j FROM a GROUP BY id
