SELECT t.a FROM s.t JOIN s2.t ON s.t.k = s2.t.k
