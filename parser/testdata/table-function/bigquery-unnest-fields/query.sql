CREATE TABLE ds.d AS SELECT (SELECT value.int_value FROM UNNEST(params) WHERE key = 'k') AS kv FROM ds.ev
