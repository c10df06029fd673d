INSERT INTO d (a, b) SELECT (t.addr).city, t.tags[1] FROM t;
