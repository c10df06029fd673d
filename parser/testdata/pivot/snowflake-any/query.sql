CREATE VIEW v AS
SELECT empid, "'2023_Q1'" AS q1
FROM sales PIVOT(SUM(amount) FOR quarter IN (ANY ORDER BY quarter))
ORDER BY empid;
