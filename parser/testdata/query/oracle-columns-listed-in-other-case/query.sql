INSERT INTO d (a, b) SELECT t.full_name, "mixedcase" FROM t
