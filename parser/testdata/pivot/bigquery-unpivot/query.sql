SELECT * FROM ds.t UNPIVOT ((a, b) FOR q IN ((a1, b1) AS 'x', (a2, b2) AS 'y'));
