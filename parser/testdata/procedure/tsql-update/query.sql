DECLARE @t TABLE (a INT, b INT); INSERT INTO @t SELECT x, y FROM dbo.s; UPDATE @t SET b = b + 1; INSERT INTO dbo.d SELECT a, b FROM @t; UPDATE d SET v = t.b FROM dbo.d2 d JOIN @t t ON t.a = d.a
