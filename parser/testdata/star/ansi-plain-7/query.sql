INSERT INTO tab1 SELECT * FROM tab2 a JOIN tab3 b ON a.id = b.id
