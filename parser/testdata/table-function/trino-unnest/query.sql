INSERT INTO d SELECT x.f1, r[1], row(a, b).field0, CAST(ROW(a, b) AS ROW(p INTEGER, q VARCHAR)).q FROM t CROSS JOIN UNNEST(arr) AS x(f1, f2);
