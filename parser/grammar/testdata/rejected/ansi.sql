SELECT a,
  b c d
FROM t;
SELECT 1
-- 2:7 expected the end of the statement, found “d”
----
SELECT FROM t
-- 1:8 expected an expression, found “FROM”
----
CREATE TABEL t (a INT); INSERT INTO g SELECT a FROM h
-- 1:8 expected TABLE, VIEW or another object to create, found “TABEL”
----
SELEC a FROM t
-- 1:1 expected a statement, found “SELEC”
----
INSERT INTO t (a, b SELECT 1
-- 1:21 expected ), found “SELECT”
----
SELECT a FROM t WHERE
-- 1:22 expected an expression, found the end of the statement
----
SELECT a FROM t WHERE b = 'open
-- 1:27 string is not closed: “'open”
----
SELECT a /* open
-- 1:10 comment is not closed
----
SELECT a，b FROM t
-- 1:9 expected the end of the statement, found the character “，”, which is no SQL outside quotes
----
SELECT (a + 1 FROM t
-- 1:15 expected ), found “FROM”
----
SELECT CASE WHEN a THEN b FROM t
-- 1:27 expected END, found “FROM”
----
INSERT INTO t
-- 1:14 expected VALUES or a query, found the end of the statement
----
UPDATE t WHERE a = 1
-- 1:10 expected SET, found “WHERE”
----
MERGE INTO t USING s WHEN MATCHED THEN DELETE
-- 1:22 expected ON, found “WHEN”
----
WITH a AS SELECT 1 SELECT 2
-- 1:11 expected (, found “SELECT”
----
SELECT * FROM a JOIN
-- 1:21 expected a table, found the end of the statement
----
{% if x %} SELECT 1 {% endif %}
-- 1:1 template block “{% if x %}” must be rendered before the SQL can be read
----
{{ macro() }}
-- 1:1 placeholder “{{ macro() }}” stands where a statement is expected: render the template first
----
CREATE VIEW v SELECT 1
-- 1:15 expected AS, found “SELECT”
----
SELECT a FROM t GROUP a
-- 1:17 expected the end of the statement, found “GROUP”
----
DROP TABEL x
-- 1:6 expected TABLE, VIEW or another object to drop, found “TABEL”
