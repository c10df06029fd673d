INSERT INTO d (a, b) SELECT k, v FROM t, jsonb_each_text(t.doc) AS e(k, v);
