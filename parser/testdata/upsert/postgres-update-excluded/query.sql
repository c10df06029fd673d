INSERT INTO t (id, v, n) SELECT id, v, 1 FROM s ON CONFLICT (id) DO UPDATE SET v = EXCLUDED.v, n = t.n + EXCLUDED.n, m = now() WHERE t.v <> EXCLUDED.v
