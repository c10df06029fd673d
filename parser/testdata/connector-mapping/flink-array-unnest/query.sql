CREATE TABLE a (id INT, j ROW<x INT, y ROW<z STRING>>, arr ARRAY<ROW<p INT, q STRING>>, m MAP<STRING, INT>) WITH ('connector'='datagen');
INSERT INTO b SELECT j.y.z, arr[1].q, m['k'], t.p FROM a CROSS JOIN UNNEST(arr) AS t (p, q);
CREATE VIEW v AS SELECT id FROM a; INSERT INTO c SELECT * FROM v;
