INSERT INTO d (id, v) SELECT j.id, j.v FROM t, jsonb_to_recordset(t.doc) AS j(id int, v text);
