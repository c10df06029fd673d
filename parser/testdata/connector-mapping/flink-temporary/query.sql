CREATE TABLE src (k STRING, v ROW<a INT, b STRING>, pt AS PROCTIME(), m STRING METADATA FROM 'value.source' VIRTUAL) WITH ('connector'='kafka','topic'='t','properties.bootstrap.servers'='b:9092');
CREATE TEMPORARY TABLE snk WITH ('connector'='print') LIKE src (EXCLUDING ALL);
INSERT INTO o SELECT k, v.a, m, pt FROM src;
INSERT INTO o2 SELECT T.rn, T.k FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt DESC) AS rn FROM src) T WHERE T.rn = 1;
