CREATE TABLE dbo.price (net INT, gross AS net * 2 PERSISTED, kind INT);
INSERT INTO dbo.price SELECT x, y FROM dbo.src;
INSERT INTO dbo.copy SELECT * FROM dbo.price;
