SELECT s2.t.a, s.t.a AS b FROM s.t JOIN s2.t ON s.t.k = s2.t.k
