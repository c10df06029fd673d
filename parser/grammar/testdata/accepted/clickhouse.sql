CREATE TABLE IF NOT EXISTS db.events ON CLUSTER '{cluster}' UUID 'x'
(
    `id` UInt64 CODEC(Delta, ZSTD(1)),
    `ts` DateTime64(3, 'UTC') DEFAULT now64(3),
    `day` Date MATERIALIZED toDate(ts),
    `name` LowCardinality(Nullable(String)) COMMENT 'x',
    tags Array(Tuple(k String, v Map(String, Array(UInt8)))),
    nested Nested(a UInt8, b String),
    e Enum8('a' = 1, 'b' = 2) TTL ts + INTERVAL 1 DAY,
    agg AggregateFunction(quantiles(0.5, 0.9), UInt64),
    al String ALIAS upper(name),
    eph String EPHEMERAL,
    key String, index UInt8,
    INDEX idx name TYPE bloom_filter(0.01) GRANULARITY 4,
    INDEX idx2 (lower(name)) TYPE tokenbf_v1(1, 2, 3),
    PROJECTION p (SELECT name, count() GROUP BY name),
    CONSTRAINT c CHECK id > 0
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/{shard}/t', '{replica}', ts)
PARTITION BY toYYYYMM(ts) PRIMARY KEY (id) ORDER BY (id, ts) SAMPLE BY id
TTL ts + INTERVAL 3 MONTH DELETE WHERE x = 1, ts + toIntervalDay(1) TO DISK 'd'
SETTINGS index_granularity = 8192, storage_policy = 'x' COMMENT 'y'
----
CREATE TABLE d AS db.events ENGINE = Distributed('c', 'db', 'events', sipHash64(id)); CREATE TABLE m ENGINE = MergeTree ORDER BY tuple() AS SELECT * FROM t; CREATE TABLE m2 (a Int8) ENGINE = MySQL('h:3306', 'd', 't', 'u', 'p') ; CREATE TABLE k (a String) ENGINE = Kafka('k:9092', 'topic', 'group', 'JSONEachRow') SETTINGS kafka_num_consumers = 2; CREATE TEMPORARY TABLE tmp (a UInt8); CREATE TABLE s AS s3('https://x/y', 'CSV'); CREATE TABLE n AS numbers(10); CREATE OR REPLACE TABLE r ENGINE = Log AS SELECT 1 AS a; CREATE TABLE x (a UInt8 DEFAULT 1, b ALIAS a + 1) ENGINE = Null; CREATE TABLE q ENGINE = S3('https://b/x', 'Parquet') AS SELECT 1
----
CREATE MATERIALIZED VIEW IF NOT EXISTS db.mv ON CLUSTER c TO db.t (`a` UInt64, `b` String) AS WITH x AS (SELECT 1) SELECT a, b FROM src WHERE c; CREATE MATERIALIZED VIEW mv2 REFRESH EVERY 1 HOUR OFFSET 5 MINUTE RANDOMIZE FOR 1 MINUTE DEPENDS ON a, b APPEND TO t AS SELECT 1; CREATE MATERIALIZED VIEW mv3 (a UInt8) ENGINE = MergeTree ORDER BY a POPULATE AS SELECT 1 AS a; CREATE LIVE VIEW lv AS SELECT 1; CREATE WINDOW VIEW wv TO d WATERMARK = INTERVAL '3' SECOND AS SELECT count() FROM t GROUP BY tumble(ts, INTERVAL '10' SECOND); CREATE VIEW v DEFINER = u SQL SECURITY DEFINER AS SELECT 1 COMMENT 'x'
----
CREATE DICTIONARY IF NOT EXISTS d ON CLUSTER c (id UInt64 DEFAULT 0, parent UInt64 HIERARCHICAL, name String DEFAULT '' EXPRESSION upper(n) INJECTIVE) PRIMARY KEY id, name SOURCE(MYSQL(host 'h' port 3306 user 'u' password '' db 'd' table 't' where 'a = 1' replica(host 'r1' priority 1))) LAYOUT(COMPLEX_KEY_CACHE(SIZE_IN_CELLS 1000)) LIFETIME(3600) RANGE(MIN a MAX b) SETTINGS(format_csv_allow_single_quotes = 0) COMMENT 'x'; CREATE DICTIONARY q (a UInt64) PRIMARY KEY a SOURCE(CLICKHOUSE(QUERY 'SELECT a FROM db.t')) LAYOUT(FLAT()) LIFETIME(MIN 0 MAX 1); CREATE DICTIONARY h (a UInt64) PRIMARY KEY a SOURCE(HTTP(url 'http://x' format 'TSV' credentials(user 'a' password 'b') headers(header(name 'n' value 'v')))) LAYOUT(HASHED) LIFETIME(1)
----
SELECT
    toStartOfInterval(ts, INTERVAL 5 minute) AS t,
    uniqExactIf(id, name != '') AS u, countIf(a), sum(x) FILTER (WHERE y), quantile(0.99)(lat) q99, quantilesTDigest(0.5, 0.9)(lat)[1], argMax(a, b), groupArray(10)(x), topK(3)(name), sumMap(k, v), avgOrNull(x), maxMerge(st), arrayMap((x, y) -> x + y, a, b), arrayFilter(x -> x > 1, arr), arr[1], arr[-1], m['k'], t.1, t.2.3, (1, 'a').2, tup.name, nest.a, j.a.b, j.^sub, [1, 2], (1, 2), {'a': 1}, map('a', 1), x ? y : z, a = 1 ? 'b' : 'c', if(a, b, c), multiIf(a, 1, b, 2, 3), CASE WHEN a THEN b END, a BETWEEN 1 AND 2, a IN (1, 2), (a, b) IN ((1, 2), (3, 4)), a GLOBAL NOT IN (SELECT 1), a IN tbl, NOT a, -a, a % b, a DIV b, a || b, a == b, a LIKE 'x', a ILIKE '%y%', a IS NULL, CAST(a AS Nullable(UInt8)), CAST(a, 'String'), a::Array(String), toDate('2024-01-01'), DATE '2024-01-01', INTERVAL 1 DAY, {p:UInt8}, {tbl:Identifier}, dictGet('d', 'a', id), dictGetOrDefault('db.d', ('a', 'b'), tuple(x), (1, 2)), joinGet('j', 'v', k), rowNumberInAllBlocks(), runningDifference(a), now() - 1, extract(YEAR FROM ts), dateDiff('day', a, b), date_trunc('month', a), formatDateTime(a, '%Y'), JSONExtract(j, 'a', 'Array(String)'), splitByChar(',', s), arrayJoin(arr) AS aj, tupleElement(t, 'a'), untuple(t), COLUMNS('^a') APPLY sum, COLUMNS(a, b), t.COLUMNS('x') EXCEPT (y), * EXCEPT a REPLACE (b + 1 AS b) APPLY(toString), lagInFrame(a) OVER (PARTITION BY b ORDER BY c ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), row_number() OVER w, count(DISTINCT a, b), count() AS c, `a b`, "c d", 'it\'s', 'x\\', $$heredoc 'x'$$, 0x1F, 1e3, inf, nan, NULL, true, a AS b2, b2 + 1 AS b3, (SELECT max(x) FROM u) AS mx
FROM db.events AS e FINAL SAMPLE 1/10 OFFSET 1/2
LEFT ARRAY JOIN tags AS tag, arrayEnumerate(tags) AS num
ANY LEFT JOIN u USING (id)
GLOBAL ALL INNER JOIN (SELECT * FROM v) AS v ON v.id = e.id AND v.x > e.x
ASOF JOIN w ON w.a = e.a AND w.t <= e.t
SEMI LEFT JOIN x1 USING id LEFT ANTI JOIN y1 ON y1.a = e.a PASTE JOIN z1 CROSS JOIN z2, z3
PREWHERE day = today() WHERE a AND b OR c
GROUP BY t WITH TOTALS HAVING c > 1
WINDOW w AS (PARTITION BY a ORDER BY b)
QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) = 1
ORDER BY t ASC NULLS LAST WITH FILL FROM 1 TO 10 STEP 1 INTERPOLATE (c AS c + 1), u DESC COLLATE 'en'
LIMIT 2 OFFSET 1 BY a, b LIMIT 5, 10 WITH TIES
SETTINGS max_threads = 1, x = 'y' FORMAT JSONEachRow
----
WITH 1 AS one, x -> x + one AS f, (SELECT 1, 2) AS tup, cte AS (SELECT number AS n FROM numbers(10)), sum(n) AS s SELECT f(n), s, tup.1 FROM cte GROUP BY n WITH ROLLUP; WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 10) SELECT * FROM r; WITH toDate(ts) AS d SELECT d FROM t; WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b
----
INSERT INTO t (a, b) VALUES (1, 'x'), (2, now()) (3, NULL); INSERT INTO t SELECT * FROM s; INSERT INTO t (* EXCEPT (a)) SELECT b FROM s; INSERT INTO TABLE FUNCTION remote('h', db.t, 'u', 'p') (a) SELECT 1; INSERT INTO FUNCTION s3('https://x', 'CSV') PARTITION BY rand() % 10 SELECT a FROM t; INSERT INTO t FROM INFILE 'x.csv' COMPRESSION 'gzip' FORMAT CSV; INSERT INTO t SETTINGS async_insert = 1 VALUES (1); INSERT INTO t WITH q AS (SELECT 1) SELECT * FROM q; INSERT INTO t FORMAT Values (1, 'a'), (2, 'b'); INSERT INTO t (a) FORMAT JSONEachRow {"a": "it's"}
{"a": 2};
----
INSERT INTO t FORMAT CSV
1,"it's; a 'test"
2,x

SELECT 1
----
ALTER TABLE t ON CLUSTER c ADD COLUMN IF NOT EXISTS a UInt8 DEFAULT 1 AFTER b, DROP COLUMN c, MODIFY COLUMN d String, RENAME COLUMN e TO f, COMMENT COLUMN g 'x', CLEAR COLUMN h IN PARTITION 1, MODIFY TTL ts + INTERVAL 1 DAY; ALTER TABLE t UPDATE a = b + 1, c = 'x' WHERE d IN (SELECT e FROM u) SETTINGS mutations_sync = 1; ALTER TABLE t DELETE WHERE a = 1; ALTER TABLE t DROP PARTITION '2024', DETACH PARTITION ID 'x', ATTACH PARTITION tuple(1, 'a') FROM u, REPLACE PARTITION 202401 FROM v, MOVE PARTITION '1' TO TABLE w, MOVE PARTITION '2' TO DISK 'd', FREEZE; ALTER TABLE t MODIFY QUERY SELECT a FROM s; ALTER TABLE t MODIFY SETTING a = 1; ALTER TABLE t ADD INDEX i a TYPE minmax; ALTER TABLE t MATERIALIZE PROJECTION p; ALTER USER u IDENTIFIED BY 'x'; DELETE FROM t ON CLUSTER c WHERE a = 1; UPDATE t SET a = 1 WHERE b; TRUNCATE TABLE IF EXISTS t ON CLUSTER c; DROP TABLE IF EXISTS t ON CLUSTER c SYNC; DROP VIEW v; DROP DICTIONARY d; DETACH TABLE t PERMANENTLY; ATTACH TABLE t; RENAME TABLE a TO b, c TO d ON CLUSTER x; EXCHANGE TABLES a AND b; EXCHANGE DICTIONARIES a AND b; RENAME DICTIONARY a TO b; OPTIMIZE TABLE t FINAL DEDUPLICATE BY a; SYSTEM RELOAD DICTIONARY d; SYSTEM STOP MERGES; KILL MUTATION WHERE x = 'y'; KILL QUERY WHERE a = 'b' SYNC; SHOW CREATE TABLE t; DESCRIBE TABLE t; EXISTS TABLE t; EXPLAIN PLAN indexes = 1 SELECT 1; EXPLAIN SYNTAX SELECT 1; SET a = 1, b = 'x'; USE db; CREATE DATABASE d ENGINE = Replicated('x'); CREATE FUNCTION f AS (x, k) -> x * k; CREATE USER u IDENTIFIED WITH sha256_password BY 'x' HOST ANY; CREATE ROLE r; CREATE ROW POLICY p ON t USING a = 1 TO u; CREATE QUOTA q FOR INTERVAL 1 hour MAX queries = 1; CREATE NAMED COLLECTION n AS a = 1; GRANT SELECT(a, b) ON db.* TO u WITH GRANT OPTION; REVOKE ALL ON *.* FROM u; CHECK TABLE t; BACKUP TABLE t TO Disk('d', 'x'); RESTORE TABLE t FROM Disk('d', 'x'); WATCH lv; UNDROP TABLE t; MOVE USER a TO b
----
SELECT * FROM remote('h1,h2', db.t) r, cluster('c', db, t), url('http://x', CSV, 'a String'), file('x.csv'), s3('https://x/{a,b}/*.parquet'), postgresql('h:5432', 'd', 't', 'u', 'p', 's'), merge('db', '^t'), generateRandom('a UInt8'), view(SELECT 1 AS x) v, values('a UInt8', 1, 2), input('a UInt8'), dictionary('d'), numbers(1, 10), zeros(5), system.numbers LIMIT 10; SELECT a FROM (SELECT 1 AS a) UNION DISTINCT SELECT 2 UNION ALL (SELECT 3) INTERSECT SELECT 4 EXCEPT SELECT 5; SELECT DISTINCT ON (a, b) a, c FROM t; SELECT 1, 2,; SELECT TOP 5 WITH TIES a FROM t ORDER BY a; SELECT * FROM t WHERE (a, b) = (1, 2) LIMIT 1 BY a; FROM t SELECT a WHERE b; SELECT sum(a) AS s, s / 2 AS h FROM t INTO OUTFILE 'x.csv' TRUNCATE FORMAT CSV; SELECT a.b.c FROM db.t a; SELECT date, timestamp, key, value, type, end, table, index, interval, level, desc FROM t -- x
# comment
SETTINGS a = 1; SELECT 'a' 'b'; SELECT * FROM t ORDER BY ALL; SELECT a FROM t GROUP BY ALL; SELECT a, count() FROM t GROUP BY GROUPING SETS ((a), ()), CUBE(b)
----
INSERT INTO t SELECT id, any(w) AS w FROM s LEFT JOIN (SELECT id, w FROM u) AS u USING id GROUP BY id; SELECT a FROM t JOIN u USING a, b WHERE c = 1 ORDER BY a; SELECT a FROM t ANY LEFT JOIN u USING (a) LIMIT 5
