UPDATE t SET t.a = s.b OUTPUT inserted.a, deleted.a INTO dbo.Audit (newA, oldA) FROM dbo.T t JOIN dbo.S s ON s.id = t.id;
