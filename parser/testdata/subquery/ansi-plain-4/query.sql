SELECT a.id, (SELECT b.name FROM tab2 b WHERE b.id = a.id LIMIT 1) AS nm, EXTRACT(DAY FROM a.dt) FROM tab1 a ORDER BY nm
