UPDATE t SET v = sub.v FROM (SELECT id, max(v) AS v FROM s GROUP BY id) AS sub WHERE sub.id = t.id AND t.k IN (SELECT k FROM w) RETURNING t.id
