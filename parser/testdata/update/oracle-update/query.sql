UPDATE (SELECT t.a, s.b FROM t JOIN s ON s.id = t.id) SET a = b;
