INSERT INTO d SELECT t1.*, x.e FROM t t1 LATERAL VIEW explode(split(b, ',')) x AS e
