INSERT INTO tab1 (col1, col2) VALUES ((SELECT MAX(id) FROM tab2), (SELECT MAX(id) FROM tab3))
