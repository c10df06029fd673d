INSERT INTO tab1 SELECT tab2.col1, tab3.col2 FROM tab2 JOIN tab3 USING (id) WHERE tab2.col3 > 1
