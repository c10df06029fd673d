CREATE PROCEDURE dbo.Totals AS SELECT Cust, Total FROM dbo.Ord;
GO
INSERT INTO dbo.D (C, T) EXEC dbo.Totals;
