DECLARE @mx INT;
SELECT @mx = MAX(Id) FROM dbo.Src;
INSERT INTO dbo.D (Id) SELECT Id + @mx FROM dbo.S2 WHERE Id > @mx;
