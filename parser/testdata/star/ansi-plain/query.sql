SELECT a.*, b.* FROM (SELECT x, y FROM t) a CROSS JOIN (SELECT y, z FROM u) b
