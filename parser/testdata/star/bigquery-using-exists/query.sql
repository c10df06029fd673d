SELECT p.*, q.c FROM ds.a p LEFT JOIN ds.b q USING (id, dt) WHERE NOT EXISTS (SELECT 1 FROM ds.c c WHERE c.id = p.id)
