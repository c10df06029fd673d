UPDATE t SET a = (SELECT b FROM u WHERE u.id = t.id), c = c + 1, e = DEFAULT WHERE EXISTS (SELECT 1 FROM w WHERE w.id = t.id AND w.f = t.g)
