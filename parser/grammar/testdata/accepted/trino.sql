CREATE TABLE hive.default.orders_by_date WITH (format = 'ORC', partitioned_by = ARRAY['ds'], bucketed_by = ARRAY['a'], bucket_count = 5) COMMENT 'x' AS SELECT orderkey, orderdate AS ds FROM orders WITH NO DATA
----
SELECT a, b FROM t CROSS JOIN UNNEST(split(x, ','), sequence(1, 3)) WITH ORDINALITY AS u (p, q, n) WHERE a > INTERVAL '2' DAY AND ts AT TIME ZONE 'UTC' < TIMESTAMP '2024-01-01 00:00:00 UTC'
----
SELECT try_cast(a AS row(x bigint, y array(varchar(10)))), CAST(b AS map(varchar, double)), CAST(ROW(1, 2.0) AS ROW(x BIGINT, y DOUBLE)).x, ARRAY[1, 2][1], MAP(ARRAY['a'], ARRAY[1])['a'], a[1].b, json_extract_scalar(j, '$.x'), U&'\00e9', X'65', DECIMAL '1.5', CHAR 'x', 1e3, approx_percentile(x, 0.9), count_if(x > 1), element_at(m, 'k') FROM t
----
SELECT transform(a, x -> x + 1), reduce(a, CAST(ROW(0, 0) AS ROW(s DOUBLE, c INT)), (s, x) -> CAST(ROW(x + s.s, s.c + 1) AS ROW(s DOUBLE, c INT)), s -> s.s / s.c), zip_with(a, b, (x, y) -> (y, x)), any_match(a, x -> x IS NULL), filter(a, x -> NOT x = 1) FROM t
----
SELECT listagg(a, ',' ON OVERFLOW TRUNCATE '...' WITH COUNT) WITHIN GROUP (ORDER BY a), array_agg(x ORDER BY y DESC) FILTER (WHERE z), max_by(a, b, 3), lag(a, 1) IGNORE NULLS OVER (PARTITION BY b ORDER BY c), nth_value(a, 2) FROM FIRST RESPECT NULLS OVER w FROM t WINDOW w AS (ORDER BY a GROUPS BETWEEN 1 PRECEDING AND 2 FOLLOWING)
----
SELECT * FROM TABLE(sequence(start => 1, stop => 3)), TABLE(mysql.system.query(query => 'select 1')) AS q, TABLE(exclude_columns(input => TABLE(orders), columns => DESCRIPTOR(clerk, comment)))
----
SELECT * FROM orders FOR TIMESTAMP AS OF TIMESTAMP '2024-01-01 00:00:00 UTC' o JOIN "orders$partitions" p ON true, orders FOR VERSION AS OF 123
----
INSERT INTO t (a, b) WITH x AS (SELECT 1) TABLE x
----
MERGE INTO accounts t USING monthly s ON (t.customer = s.customer) WHEN MATCHED AND s.address = 'C' THEN DELETE WHEN MATCHED THEN UPDATE SET purchases = s.purchases + t.purchases, address = s.address WHEN NOT MATCHED THEN INSERT (customer, purchases, address) VALUES (s.customer, s.purchases, s.address)
----
UPDATE t SET a = (SELECT max(b) FROM u), c = DEFAULT WHERE d IS NOT NULL; DELETE FROM t WHERE a IN (VALUES 1, 2)
----
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t (id, name), LATERAL (SELECT 1) l(x), (TABLE u) v
----
SELECT a, b, GROUPING(a, b) FROM t GROUP BY GROUPING SETS ((a), (b), ()), ROLLUP (c), CUBE (d, e), AUTO
----
(SELECT a FROM t ORDER BY a LIMIT 1) UNION ALL (SELECT b FROM u) EXCEPT DISTINCT SELECT c FROM v INTERSECT SELECT d FROM w ORDER BY 1 OFFSET 5 ROWS FETCH NEXT 10 ROWS WITH TIES
----
SELECT json_query(a, 'lax $.b' WITH ARRAY WRAPPER), json_value(a, 'lax $.c' RETURNING int DEFAULT 0 ON EMPTY ERROR ON ERROR), json_exists(a, 'lax $.d'), json_object('k': v, KEY 'b' VALUE c NULL ON NULL), json_array(a, b ABSENT ON NULL) FROM t
----
SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY c ORDER BY d MEASURES A.p AS s, LAST(B.p) AS b, CLASSIFIER() AS k, MATCH_NUMBER() AS m ALL ROWS PER MATCH SHOW EMPTY MATCHES AFTER MATCH SKIP TO LAST B PATTERN (A B{2,3}? (C | D)* ^ $ {- E -}) SUBSET U = (C, D) DEFINE B AS B.p < PREV(B.p), C AS C.p > PREV(C.p, 2)) AS m
----
CREATE OR REPLACE VIEW v SECURITY DEFINER AS SELECT 1 AS x; CREATE MATERIALIZED VIEW mv GRACE PERIOD INTERVAL '1' HOUR WITH (format = 'ORC') AS SELECT * FROM t; REFRESH MATERIALIZED VIEW mv; ALTER TABLE a RENAME TO b; ALTER TABLE a EXECUTE optimize(file_size_threshold => '10MB') WHERE x = 1; ALTER TABLE a ADD COLUMN x int; COMMENT ON TABLE t IS 'x'; ALTER VIEW v RENAME TO w; ALTER TABLE t SET PROPERTIES x = 1
----
PREPARE s FROM SELECT * FROM t WHERE a = ?; EXECUTE s USING 1; DEALLOCATE PREPARE s; DESCRIBE OUTPUT s; EXECUTE IMMEDIATE 'SELECT 1'; START TRANSACTION READ ONLY; COMMIT; SET SESSION a.b = 1; RESET SESSION x; SHOW CATALOGS; SHOW CREATE TABLE t; USE a.b; CALL system.x(a => 1, b => ARRAY[1]); CREATE SCHEMA s WITH (location = 's3://x'); GRANT SELECT ON t TO u; DENY SELECT ON t TO u; SET ROLE x; SET TIME ZONE 'UTC'; SET PATH a.b; EXPLAIN (TYPE DISTRIBUTED, FORMAT JSON) SELECT 1; ANALYZE t; TRUNCATE TABLE t; DROP TABLE IF EXISTS a.b.c
----
CREATE FUNCTION f(x bigint) RETURNS bigint RETURN x + 1
----
CREATE FUNCTION g(n bigint) RETURNS bigint LANGUAGE SQL DETERMINISTIC BEGIN DECLARE a, b bigint DEFAULT 1; IF n < 2 THEN RETURN 1; END IF; WHILE n > 2 DO SET n = n - 1; SET a = a + b; END WHILE; CASE n WHEN 1 THEN SET a = 2; ELSE SET a = 3; END CASE; RETURN a; END
----
WITH FUNCTION hello(name varchar) RETURNS varchar RETURN 'Hello ' || name SELECT hello('x')
----
SELECT x.y.z, "a.b"."c" FROM "cat"."sch"."tab" "a.b" TABLESAMPLE BERNOULLI (50) WHERE a IS DISTINCT FROM b AND (a, b) = (1, 2) AND c LIKE 'x\_%' ESCAPE '\' AND EXISTS (SELECT 1) AND d = ANY (SELECT 1) AND e >= ALL (VALUES 1) AND NOT (f BETWEEN 1 AND 2)
----
SELECT date_add('day', 1, d), date_diff('month', a, b), extract(year FROM d), current_date, localtimestamp, current_timestamp(3), at_timezone(a, 'x'), position('a' IN b), substring(a FROM 1 FOR 2), trim(LEADING 'x' FROM a), normalize(a, NFD), format('%s%%', a), year(d), if(a, b), coalesce(a, b), nullif(a, b), try(a / b), typeof(a) FROM t
----
prepare p from unload (select * from t where a < ?) to 's3://out/' with (format = 'PARQUET')
