CREATE TEMP TABLE work (id int, v int, kind text);
INSERT INTO work SELECT * FROM raw.a;
INSERT INTO work SELECT x, y, z FROM raw.b;
INSERT INTO d (p, q) SELECT v, kind FROM work;
CREATE TEMP TABLE one (n int, v int);
INSERT INTO one SELECT 1, s.* FROM raw.c s;
INSERT INTO e (n, v) SELECT n, v FROM one;
