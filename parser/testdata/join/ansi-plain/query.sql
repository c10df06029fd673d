INSERT INTO s2.d (a) SELECT d.a FROM d JOIN s2.d AS d2 ON d2.k = d.k
