INSERT INTO d (a, b) SELECT a.x, (SELECT MAX(c.y) FROM c WHERE c.k = a.k AND c.z > (SELECT MIN(e.w) FROM e WHERE e.k = a.k)) FROM a
