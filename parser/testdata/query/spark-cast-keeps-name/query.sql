CREATE TABLE d AS SELECT CAST(a AS int), (b), (a + b) / c FROM t
