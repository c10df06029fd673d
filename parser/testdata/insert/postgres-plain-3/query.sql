INSERT INTO d (j) SELECT row_to_json(t) FROM t;
