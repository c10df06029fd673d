INSERT INTO d (a, b) SELECT x.dummy, s.b FROM dual x, s;
