INSERT INTO d (a, b) VALUES (1, 2), (3, (SELECT MAX(x) FROM t)) AS new ON DUPLICATE KEY UPDATE b = new.b + d.b;
