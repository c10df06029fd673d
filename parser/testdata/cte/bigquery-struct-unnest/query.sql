WITH a AS (SELECT ARRAY_AGG(STRUCT(id, nm)) AS arr FROM t) SELECT e.id, e.nm FROM a, UNNEST(arr) AS e
