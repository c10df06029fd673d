CREATE TABLE #a (id int, v int); INSERT #a EXEC('SELECT id, v FROM src'); INSERT INTO t (x, y) SELECT id, v FROM #a;
