INSERT INTO tab1 SELECT col1 + col2 / (col3 - col4), CAST(col5 AS INT) x FROM tab2 t
