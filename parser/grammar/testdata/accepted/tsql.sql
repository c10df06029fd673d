SET QUOTED_IDENTIFIER ON
GO
CREATE OR ALTER PROCEDURE [dbo].[usp_Load] (@From datetime2(7) = NULL, @To AS DATE, @Ids dbo.IdList READONLY, @Out INT = 0 OUTPUT)
WITH EXECUTE AS OWNER, RECOMPILE
AS
BEGIN
    SET NOCOUNT, XACT_ABORT ON;
    DECLARE @Rows INT = 0, @Msg NVARCHAR(MAX), @Sql AS NVARCHAR(4000) = N'select ' + @Msg
    DECLARE @T TABLE (Id INT NOT NULL PRIMARY KEY CLUSTERED, Val DECIMAL(18, 2) DEFAULT (0), INDEX ix NONCLUSTERED (Val))
    IF OBJECT_ID('tempdb..#Stage') IS NOT NULL DROP TABLE #Stage
    IF @From IS NULL
    BEGIN
        SELECT @From = MAX(LoadDate), @Rows += 1 FROM etl.Watermark WITH (NOLOCK) WHERE TableName = 'Orders'
        SET @From = ISNULL(@From, '19000101')
    END
    ELSE IF @From > GETDATE()
        RETURN -1
    ELSE
    BEGIN
        PRINT 'x' + CAST(@Rows AS VARCHAR(10));
    END

    SELECT o.OrderId, o.CustomerId, Total = SUM(l.Qty * l.Price), 'lit' AS [Src], o.[Order Date]
    INTO #Stage
    FROM dbo.Orders AS o (NOLOCK)
        INNER JOIN dbo.OrderLines l WITH (NOLOCK, INDEX(IX_1)) ON l.OrderId = o.OrderId
        LEFT OUTER MERGE JOIN Sales.Customers c ON c.Id = o.CustomerId
        CROSS APPLY (SELECT TOP (1) * FROM dbo.Addr a WHERE a.CustId = c.Id ORDER BY a.Dt DESC) addr
        OUTER APPLY dbo.fn_Split(o.Tags, ',') AS s
        CROSS APPLY o.XmlCol.nodes('/root/item') AS n(x)
    WHERE o.OrderDate >= @From AND (o.Status IN (1, 2) OR o.Status IS NULL) AND CONTAINS(o.Notes, 'x')
    GROUP BY o.OrderId, o.CustomerId, o.[Order Date]
    HAVING SUM(l.Qty) > 0
    ORDER BY 1 OFFSET 0 ROWS FETCH NEXT 10 ROWS ONLY
    OPTION (RECOMPILE, HASH JOIN, MAXDOP 4)

    SET @Rows = @@ROWCOUNT

    MERGE INTO dw.FactOrders WITH (HOLDLOCK) AS tgt
    USING (SELECT OrderId, CustomerId, Total FROM #Stage) AS src (OrderId, CustomerId, Total)
        ON tgt.OrderId = src.OrderId
    WHEN MATCHED AND EXISTS (SELECT tgt.Total EXCEPT SELECT src.Total) THEN
        UPDATE SET Total = src.Total, tgt.Upd = SYSUTCDATETIME()
    WHEN NOT MATCHED BY TARGET THEN
        INSERT (OrderId, CustomerId, Total) VALUES (src.OrderId, src.CustomerId, src.Total)
    WHEN NOT MATCHED BY SOURCE AND tgt.D = 1 THEN DELETE
    OUTPUT $action, inserted.OrderId, deleted.Total INTO audit.Log (Act, Id, Old)
    OPTION (LOOP JOIN);

    UPDATE t SET t.A = s.A, B += 1, @Rows = C = C + 1, X.modify('delete /a') FROM dbo.T t JOIN #Stage s ON s.OrderId = t.Id WHERE t.Z = 1
    UPDATE TOP (10) dbo.T WITH (ROWLOCK) SET A = DEFAULT OUTPUT inserted.* WHERE CURRENT OF cur
    DELETE TOP (100) FROM dbo.T OUTPUT deleted.Id WHERE A < 1
    DELETE t FROM dbo.T AS t INNER JOIN dbo.U u ON u.Id = t.Id
    DELETE dbo.T WHERE X = 1
    INSERT dbo.T DEFAULT VALUES
    INSERT INTO dbo.T (A, B) OUTPUT inserted.Id INTO @T (Id) SELECT A, B FROM #Stage
    INSERT INTO dbo.T (A) EXEC dbo.GetIt @a = 1, @b = @Rows OUTPUT
    INSERT INTO dbo.T EXEC sp_executesql @Sql, N'@p int', @p = 1
    INSERT TOP (5) INTO OPENQUERY(Srv, 'select a from t') SELECT 1
    TRUNCATE TABLE dbo.T WITH (PARTITIONS (1 TO 3))

    DECLARE cur CURSOR LOCAL FAST_FORWARD FOR
        SELECT Id, Name FROM dbo.T ORDER BY Id
    OPEN cur
    FETCH NEXT FROM cur INTO @Rows, @Msg
    WHILE @@FETCH_STATUS = 0
    BEGIN
        EXEC dbo.DoIt @Rows, @Msg
        EXECUTE @Rows = dbo.Other @p1 = 1, @p2 = N'x', @p3 = DEFAULT
        EXEC (N'insert into dbo.X select a from dbo.Y')
        EXEC ('select ' + @Msg) AT LinkedSrv
        EXEC sp_executesql N'update dbo.Q set a = b from dbo.R where c = @p', N'@p int', @p = 1
        IF @Rows % 2 = 0 CONTINUE
        IF @Rows > 10 BREAK ELSE PRINT 'y'
        FETCH NEXT FROM cur INTO @Rows, @Msg
    END
    CLOSE cur
    DEALLOCATE cur

    BEGIN TRY
        BEGIN TRANSACTION T1
        ;WITH q AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY A ORDER BY B DESC) rn FROM dbo.T), r (x) AS (SELECT 1)
        DELETE FROM q WHERE rn > 1
        WITH z AS (SELECT 1 AS a) SELECT a FROM z
        COMMIT TRANSACTION T1
    END TRY
    BEGIN CATCH
        IF XACT_STATE() <> 0 ROLLBACK TRAN
        DECLARE @Err NVARCHAR(4000) = ERROR_MESSAGE()
        RAISERROR (@Err, 16, 1) WITH NOWAIT
        ;THROW 50000, 'x', 1
    END CATCH
    WAITFOR DELAY '00:00:05'
    GOTO Done
    Done:
    RETURN @Rows
END
GO
----
SELECT TOP 10 PERCENT WITH TIES a, [b c], "d", x.y, N'uni', 0x1F, $1.5, @v, @@SERVERNAME, a + b, a % b, a & b, a | b, a ^ b, ~a, -a, a <> b, a != b, a !< b, a !> b, CASE WHEN a = 1 THEN 2 ELSE 3 END, CAST(a AS DECIMAL(10, 2)), CONVERT(VARCHAR(10), a, 120), TRY_CAST(a AS INT), TRY_CONVERT(INT, a), PARSE('1' AS INT USING 'en-US'), IIF(a > 1, b, c), CHOOSE(1, a, b), COALESCE(a, b), DATEADD(day, 1, d), DATEDIFF(MONTH, a, b), DATEPART(dw, d), DATENAME(weekday, d), STRING_AGG(a, ',') WITHIN GROUP (ORDER BY b), SUM(a) OVER (PARTITION BY b ORDER BY c ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), LAG(a, 1, 0) OVER (ORDER BY b), x.value('(/a/b)[1]', 'int'), t.x.query('.'), JSON_VALUE(j, '$.a'), a COLLATE Latin1_General_CI_AS, d AT TIME ZONE 'UTC', NEXT VALUE FOR dbo.Seq, geography::Point(1, 2, 4326), {fn NOW()}, {d '2024-01-01'}, IDENTITY(INT, 1, 1) AS Id2, LEFT(a, 3), RIGHT(b, 2), FORMAT(d, 'yyyy'), [value], [key], name, type, date, time FROM db..t FOR XML PATH('r'), ROOT('x'), TYPE
----
SELECT * FROM t FOR SYSTEM_TIME AS OF '2024-01-01' a JOIN u FOR SYSTEM_TIME BETWEEN @a AND @b AS b ON a.i = b.i, v FOR SYSTEM_TIME ALL, OPENJSON(@j) WITH (Id INT '$.id', Nested NVARCHAR(MAX) '$.n' AS JSON) o, OPENROWSET(BULK 'https://x/y.parquet', FORMAT = 'PARQUET') AS r, OPENROWSET(BULK 'x.csv', FORMAT = 'CSV', PARSER_VERSION = '2.0') WITH (a INT 1, b VARCHAR(10) 2) AS q, (VALUES (1, 'a'), (2, 'b')) AS val (x, y), STRING_SPLIT('a,b', ',') ss, sys.dm_exec_query_stats CROSS APPLY sys.dm_exec_sql_text(sql_handle), CHANGETABLE(CHANGES dbo.T, 0) ct, FREETEXTTABLE(t, *, 'x') ft, @tv tv, #tmp tmp, ##g g, srv.db.sch.tab l WHERE EXISTS (SELECT * FROM u) FOR JSON AUTO, INCLUDE_NULL_VALUES
----
SELECT * FROM (SELECT a, b, c FROM t) s PIVOT (SUM(c) FOR b IN ([x], [y z])) AS p UNPIVOT (v FOR k IN ([x], [y z])) u
----
SELECT a FROM t GROUP BY GROUPING SETS ((a), ()), ROLLUP (b), CUBE (c) UNION ALL SELECT b FROM u EXCEPT SELECT c FROM v INTERSECT SELECT d FROM w ORDER BY a
----
CREATE TABLE dbo.T (Id INT IDENTITY(1,1) NOT NULL CONSTRAINT PK_T PRIMARY KEY CLUSTERED (Id ASC) WITH (FILLFACTOR = 80) ON [PRIMARY], A NVARCHAR(50) COLLATE Latin1_General_CI_AS NULL DEFAULT (N'x'), B AS (A + 'y') PERSISTED, C ROWVERSION, D DATETIME2 GENERATED ALWAYS AS ROW START HIDDEN, E DATETIME2 GENERATED ALWAYS AS ROW END, PERIOD FOR SYSTEM_TIME (D, E), F XML(CONTENT dbo.S), G UNIQUEIDENTIFIER ROWGUIDCOL, FOREIGN KEY (A) REFERENCES dbo.U (A) ON DELETE CASCADE, INDEX IX (A) INCLUDE (B), CHECK (A > 1)) ON [PRIMARY] TEXTIMAGE_ON [PRIMARY] WITH (SYSTEM_VERSIONING = ON (HISTORY_TABLE = dbo.TH), DATA_COMPRESSION = PAGE)
INSERT INTO dbo.T SELECT 1
ALTER TABLE dbo.T ADD X INT NULL, Y AS (X + 1), CONSTRAINT DF DEFAULT 0 FOR X
ALTER TABLE dbo.T DROP COLUMN X, Y
ALTER TABLE dbo.T ALTER COLUMN A VARCHAR(10) NOT NULL
ALTER TABLE dbo.T WITH CHECK ADD CONSTRAINT FK FOREIGN KEY (A) REFERENCES dbo.U (A)
ALTER TABLE dbo.T SWITCH PARTITION 3 TO dbo.TH PARTITION 3
ALTER INDEX ALL ON dbo.T REBUILD WITH (ONLINE = ON)
EXEC sp_rename 'dbo.T', 'T2'
EXEC sys.sp_addextendedproperty @name = N'x', @value = N'y'
DROP TABLE IF EXISTS dbo.A, #b
DROP PROCEDURE dbo.P
CREATE UNIQUE INDEX IX ON dbo.T (A DESC) WHERE B > 1 WITH (ONLINE = ON)
CREATE SCHEMA s AUTHORIZATION dbo
CREATE TYPE dbo.IdList AS TABLE (Id INT)
CREATE SEQUENCE dbo.S AS BIGINT START WITH 1
CREATE SYNONYM dbo.Syn FOR srv.db.dbo.T
CREATE STATISTICS st ON dbo.T (A)
GRANT EXECUTE ON dbo.P TO x
DENY SELECT ON dbo.T TO y
USE master
DBCC CHECKDB
KILL 55
BACKUP DATABASE d TO DISK = 'x'
BULK INSERT dbo.T FROM 'x.csv' WITH (FORMAT = 'CSV')
----
CREATE FUNCTION dbo.f (@a INT) RETURNS INT WITH SCHEMABINDING AS BEGIN DECLARE @r INT; SELECT @r = SUM(x) FROM dbo.T WHERE y = @a; RETURN ISNULL(@r, 0) END
GO
CREATE FUNCTION dbo.g (@a INT) RETURNS TABLE AS RETURN (SELECT a, b FROM dbo.T WHERE c = @a)
GO
CREATE FUNCTION dbo.h () RETURNS @t TABLE (a INT, b INT) AS BEGIN INSERT INTO @t SELECT a, b FROM dbo.T; RETURN END
GO
CREATE VIEW dbo.v WITH SCHEMABINDING, VIEW_METADATA AS WITH q AS (SELECT a FROM dbo.T) SELECT a, COUNT_BIG(*) AS n FROM q GROUP BY a WITH CHECK OPTION
GO
ALTER VIEW dbo.v2 AS SELECT 1 AS a
GO
CREATE TRIGGER dbo.tr ON dbo.T INSTEAD OF INSERT, UPDATE NOT FOR REPLICATION AS IF UPDATE(a) BEGIN UPDATE t SET t.a = i.a FROM dbo.T t JOIN inserted i ON i.id = t.id END
GO
CREATE TRIGGER ddl ON DATABASE FOR CREATE_TABLE AS PRINT 'x'
GO
CREATE PROC p2 @a INT, @b VARCHAR(10) = 'x' AS SELECT * FROM t WHERE a = @a
GO
exec p2 1, 'y'; exec p2 @a = 1
GO 5
sp_help 'dbo.T'
GO
CREATE EXTERNAL TABLE ext.t (a INT) WITH (LOCATION = '/x', DATA_SOURCE = ds, FILE_FORMAT = ff)
GO
CREATE TABLE dw.t WITH (DISTRIBUTION = HASH(a), CLUSTERED COLUMNSTORE INDEX) AS SELECT a, b FROM stg.t OPTION (LABEL = 'x')
GO
CREATE EXTERNAL TABLE ext.e WITH (LOCATION = '/y', DATA_SOURCE = d, FILE_FORMAT = f) AS SELECT a FROM dbo.t
GO
COPY INTO dbo.t (a, b) FROM 'https://x/y/*.csv' WITH (FILE_TYPE = 'CSV', CREDENTIAL = (IDENTITY = 'x'))
GO
RENAME OBJECT dbo.a TO b
GO
----
DECLARE @x INT
SELECT @x = a FROM t
IF @x = 1 SELECT 1 ELSE SELECT 2
IF EXISTS (SELECT 1 FROM t) INSERT INTO u SELECT a FROM t ELSE IF @x > 2 UPDATE u SET a = 1 ELSE DELETE FROM u
WHILE (SELECT COUNT(*) FROM t) > 0 DELETE TOP (1) FROM t
BEGIN TRAN
SAVE TRANSACTION sp1
COMMIT
SELECT a AS 'alias str', b 'other', c AS [br] FROM t AS x, u y
SELECT t.* FROM t INNER JOIN (u INNER JOIN v ON u.a = v.a) ON t.a = u.a
DECLARE @c CURSOR SET @c = CURSOR FOR SELECT a FROM t OPEN @c
SET @x += 1
SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED
SET IDENTITY_INSERT dbo.T ON
SET DATEFORMAT ymd
SELECT a INTO #x FROM t WHERE b = 'it''s' -- c'
SELECT 1 x /* a /* nested */ b */
----
select a from openxml(@h, '/r', 1) with shape; select r.a from openrowset(bulk 'f', formatfile = 'x', order (a asc) unique) as r; select k.[KEY] from containstable(dbo.t, c, 'x', language N'English', 5) k
