FROM (SELECT a, b, dt FROM src) s LATERAL VIEW OUTER explode(s.b) e AS x
INSERT OVERWRITE TABLE t1 PARTITION (dt = '1', hr) SELECT s.a, x WHERE s.a > 1
INSERT INTO TABLE t2 SELECT TRANSFORM (s.a, x) USING 'cat' AS (k STRING, v) CLUSTER BY k
INSERT OVERWRITE DIRECTORY '/out' SELECT `(a|b)?+.+`, count(1);
SET hivevar:d = a b;
