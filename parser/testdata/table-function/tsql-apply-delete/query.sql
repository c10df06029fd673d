SELECT * FROM dbo.t FOR SYSTEM_TIME AS OF '2020-01-01' AS h; SELECT x.v.value('(a)[1]', 'int') AS q FROM dbo.t CROSS APPLY doc.nodes('/r') AS x(v); DELETE TOP (10) FROM dbo.t; TRUNCATE TABLE dbo.z
