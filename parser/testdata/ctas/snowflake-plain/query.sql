CREATE TABLE d AS SELECT COUNT(*) , SUM(x) AS "Sum x", ANY_VALUE(y), t."q" FROM t; 
