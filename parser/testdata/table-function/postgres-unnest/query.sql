INSERT INTO d (a) SELECT x FROM t, unnest(t.xs) x; INSERT INTO d (a) SELECT value FROM t, jsonb_array_elements(t.doc);
