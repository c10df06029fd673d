INSERT INTO d (a, b) SELECT x::int < y, z::numeric(3,1) <> 5 FROM t WHERE x::int < 4 AND y::int > 5
