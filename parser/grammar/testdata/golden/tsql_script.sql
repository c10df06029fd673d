CREATE PROC dbo.P @a INT = 1, @b VARCHAR(10) OUTPUT AS
SET NOCOUNT ON
SELECT TOP (5) x = t.A, [y z] = B, @a = C INTO #t FROM dbo.T t WITH (NOLOCK) CROSS APPLY f(t.A) q PIVOT (SUM(v) FOR k IN ([1], [2])) p
UPDATE t SET A = s.A, B += 1 OUTPUT inserted.A INTO @o (A) FROM #t t JOIN S s ON s.i = t.i
IF @a = 1 DELETE FROM c OUTPUT deleted.* FROM #t c ELSE BEGIN TRY EXEC dbo.Q @x = @a; EXEC (@sql) END TRY BEGIN CATCH THROW END CATCH
EXEC sp_executesql N'INSERT INTO z SELECT 1'
GO
DECLARE @i TABLE (a INT), @c INT = 2
INSERT INTO Stage..T1 (a) EXEC p
