DECLARE @s NVARCHAR(100) = N'INSERT INTO dbo.D (a) SELECT a FROM dbo.S';
EXEC sp_executesql @s;
