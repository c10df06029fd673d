INSERT INTO d SELECT t.k, t.m FROM (SELECT x.*, y.*, 1 AS m FROM x JOIN y ON x.i = y.i) t WHERE k2 = 1
