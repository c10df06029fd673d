INSERT INTO d SELECT joinGet(db.jt, 'v', k, k2) AS v, joinGetOrNull('jt2', 'w', k) AS w FROM t
