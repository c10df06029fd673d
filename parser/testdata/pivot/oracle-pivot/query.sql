CREATE TABLE r AS SELECT * FROM (SELECT yr, q, amt FROM sales) PIVOT (SUM(amt) AS s FOR q IN (1 AS q1, 2 AS q2));
