INSERT INTO d (k, x, y) SELECT k, a.x, c.y FROM a CROSS JOIN b JOIN c USING (k)
