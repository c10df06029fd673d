BULK INSERT dbo.raw FROM '/data/day.csv' WITH (FIELDTERMINATOR = ',', FIRSTROW = 2)
INSERT INTO dbo.fact (a) SELECT a FROM dbo.raw
GO
COPY INTO dbo.stage (a 1, b DEFAULT 'x' 3) FROM 'https://acc.blob.core.windows.net/c/day.csv' WITH (FILE_TYPE = 'CSV')
