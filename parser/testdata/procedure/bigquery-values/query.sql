DECLARE x INT64 DEFAULT (SELECT MAX(id) FROM ds.src);
SET x = x + 1;
INSERT INTO ds.d (a) VALUES (x);
FOR r IN (SELECT a, b FROM ds.q) DO INSERT INTO ds.e (p) VALUES (r.a); END FOR;
