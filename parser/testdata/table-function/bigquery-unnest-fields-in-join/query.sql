CREATE TABLE ds.d AS SELECT (SELECT value.int_value FROM UNNEST(t.params) WHERE key = 'k') AS kv, (SELECT key FROM UNNEST(t.params)) k2 FROM ds.ev t JOIN ds.u ON t.id = u.id
