INSERT INTO d SELECT [x + t.step FOR x, i IN t.items IF i <> t.skipped] AS kept FROM t
