SELECT TOP 0 * INTO #work FROM dbo.target
INSERT INTO #work SELECT * FROM dbo.source
INSERT INTO dbo.d (x) SELECT id FROM #work
