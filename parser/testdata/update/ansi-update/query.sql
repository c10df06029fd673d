UPDATE t AS x SET (a, b) = (y.p, y.q) FROM u AS y WHERE x.id = y.id
