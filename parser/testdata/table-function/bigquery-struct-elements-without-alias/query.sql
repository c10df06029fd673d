WITH d AS (SELECT [STRUCT(x AS a, y AS b)] AS pairs, z FROM src) SELECT a, b, z FROM d CROSS JOIN UNNEST(pairs)
