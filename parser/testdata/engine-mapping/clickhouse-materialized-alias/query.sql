CREATE TABLE t (id UInt64, v String, n UInt64 MATERIALIZED length(v), al String ALIAS concat(v, 'x')) ENGINE = MergeTree ORDER BY id;
INSERT INTO t SELECT a, b FROM s;
INSERT INTO d SELECT id, n, al FROM t;
INSERT INTO e SELECT * FROM t;
