INSERT INTO tab3 SELECT tab1.id FROM (SELECT id FROM tab1) tab1 JOIN (SELECT id FROM tab2) tab2 ON tab1.id = tab2.id WHERE tab1.id > (SELECT AVG(id) FROM tab4)
