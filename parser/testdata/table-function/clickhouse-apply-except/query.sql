INSERT INTO d SELECT id, COLUMNS('^a'), COLUMNS(id, b) APPLY toString, t.* EXCEPT (a1) FROM t;
