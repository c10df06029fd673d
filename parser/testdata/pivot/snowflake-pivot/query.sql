SELECT * FROM t PIVOT (MAX(v) FOR k IN ('a', 'b')) AS p;
