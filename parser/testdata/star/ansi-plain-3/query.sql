INSERT INTO d SELECT * FROM (SELECT * FROM t) a JOIN (SELECT id, nm FROM u) b ON a.k = b.id
