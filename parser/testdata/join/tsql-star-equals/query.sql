INSERT INTO d SELECT a.x, b.y * 2 FROM t AS a, u AS b WHERE a.id *= b.id AND a.k =* b.k
