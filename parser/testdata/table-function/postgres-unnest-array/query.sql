INSERT INTO d (a) SELECT r.a FROM ROWS FROM (unnest(ARRAY[1,2]), generate_series(1, 3)) AS r(a, b), t;
