INSERT INTO d (a) SELECT jt.a FROM t, JSON_TABLE(t.js, '$[*]' COLUMNS (a NUMBER PATH '$.a', NESTED PATH '$.b[*]' COLUMNS (c VARCHAR2 PATH '$.c'))) jt;
