SET VARIABLE top = (SELECT max(a) FROM t);
INSERT INTO d (b) SELECT getvariable('top');
INSERT INTO e SELECT * FROM query('SELECT a FROM u');
INSERT INTO f SELECT a FROM query_table('w');
