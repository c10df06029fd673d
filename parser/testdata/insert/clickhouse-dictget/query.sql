INSERT INTO d SELECT dictGet('db1.dict', 'name', toUInt64(k)) AS nm, dictGetOrDefault('db1.dict', 'x', k, dv) AS y FROM t;
