INSERT INTO dbo.d (a, b) OUTPUT inserted.a, s.k INTO dbo.lg (a, k) SELECT x, y FROM dbo.s s
