CREATE FUNCTION dbo.Recent (@cust INT) RETURNS TABLE AS RETURN (SELECT OrdNo, Total FROM dbo.Ord WHERE CustId = @cust);
GO
CREATE FUNCTION dbo.Lines (@no INT) RETURNS @r TABLE (Sku INT, Qty INT) AS
BEGIN
  INSERT INTO @r (Sku, Qty) SELECT ItemId, Amount FROM dbo.OrdLine WHERE OrdNo = @no;
  RETURN;
END
GO
INSERT INTO dbo.Big (Cust, Total, Sku)
SELECT c.Id, f.Total, l.Sku FROM dbo.Cust c CROSS APPLY dbo.Recent(c.Id) f CROSS APPLY dbo.Lines(f.OrdNo) l;
