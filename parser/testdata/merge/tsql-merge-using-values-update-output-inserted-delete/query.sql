MERGE dbo.T AS t USING (VALUES (1, 2)) AS s (Id, V) ON s.Id = t.Id
WHEN MATCHED THEN UPDATE SET V = s.V
WHEN NOT MATCHED BY TARGET THEN INSERT (Id, V) VALUES (s.Id, s.V)
OUTPUT $action, inserted.Id, deleted.V INTO dbo.Log (Act, Id, OldV);
