INSERT INTO d SELECT tuple(a, b).1 AS x, (c, e).2 AS y, tupleElement(tuple(f AS ff, g), 'ff') AS z, m.1 AS w FROM t
