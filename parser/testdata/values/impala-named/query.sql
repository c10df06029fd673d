WITH v AS (VALUES (1 AS a, 2 AS b)) INSERT INTO d SELECT v.a, t.x FROM v JOIN t ON t.k = v.b
