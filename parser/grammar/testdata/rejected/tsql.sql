INSERT INTO A SELECT x FRO dbo.B2 WHRE
GO
INSERT INTO A SELECT x FROM B
-- 1:28 expected the end of the statement, found “dbo”
----
CREATE PROC p AS
BEGIN
  INSERT INTO a (x SELECT 1
  INSERT INTO b (x) SELECT 2
END
-- 3:20 expected ), found “SELECT”
