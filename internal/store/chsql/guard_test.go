package chsql_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/engine"
	"github.com/tributary-data/tributary/internal/store/chsql"
	"github.com/tributary-data/tributary/internal/store/storetest"
)

// allowed are statements as people and their tools write them.
var allowed = []string{
	"SELECT 1",
	"select count() from tributary.positions",
	"SELECT * FROM tributary.positions WHERE topic = 'tributary.tasks' ORDER BY 1 LIMIT 5 FORMAT JSONEachRow",
	"WITH t AS (SELECT number AS n FROM numbers(10)) SELECT sum(n), quantile(0.5)(n) FROM t;",
	"(SELECT 1) UNION ALL (SELECT 2)",
	"SELECT arrayMap(x -> x + 1, [1, 2]), map('a', 1)",
	"SELECT CAST(1 AS Decimal(10, 2)), toDateTime64('2024-01-01 00:00:00', 3), 1e-3, 0x1F, 1_000",
	"SELECT count(*) OVER (PARTITION BY topic ORDER BY next_offset ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM tributary.positions",
	"SELECT `into`, \"settings\" FROM (SELECT 1 AS `into`, 2 AS \"settings\")",
	"SELECT 'INSERT INTO OUTFILE; DROP TABLE x' -- a comment; with a semicolon",
	"SELECT 1 AS file, t.`file` FROM (SELECT 2 AS file) AS t",
	"SHOW TABLES FROM tributary",
	"DESCRIBE TABLE tributary.positions",
	"EXPLAIN PLAN SELECT 1",
	"SELECT * EXCEPT (saved_at) FROM tributary.positions",
	"SELECT name, value, readonly FROM system.settings LIMIT 10",
	"SELECT version(), timezone(), format('{}-{}', 'a', 'b')",
	"SELECT name FROM system.columns WHERE database = {db:String}",
	"SELECT tuple(1, 'a').1, argMaxIf(topic, next_offset, partition > 0) FROM tributary.positions GROUP BY reader",
}

// hostile are statements that a person must not get through. Where they are in
// it, %FILE% is a file that exists and %DIR% a folder that can be written to.
var hostile = []string{
	"",
	";",
	"   -- nothing",
	"SELECT 1; SELECT 2",
	"SELECT 1; DROP TABLE tributary.positions",
	"DROP TABLE tributary.positions",
	"INSERT INTO tributary.positions (reader) VALUES ('x')",
	"WITH 1 AS x INSERT INTO tributary.positions SELECT 'x'",
	"SELECT 1 INTO OUTFILE '%DIR%/out.txt'",
	"SELECT 1. INTO OUTFILE '%DIR%/out.txt'",
	"SELECT .1 INTO OUTFILE '%DIR%/out.txt'",
	"SELECT tuple(1).1 INTO OUTFILE '%DIR%/out.txt'",
	"SELECT 1 InTo /* x */ OutFile '%DIR%/out.txt'",
	"SELECT 1 INTO\nOUTFILE '%DIR%/out.txt' TRUNCATE FORMAT TSV",
	"EXPLAIN SELECT 1 INTO OUTFILE '%DIR%/out.txt'",
	"SELECT file('%FILE%')",
	"SELECT FILE('%FILE%')",
	"SELECT `file`('%FILE%')",
	"SELECT \"fi\\x6ce\"('%FILE%')",
	"SELECT \"file\" /* */ ('%FILE%')",
	"SELECT file--\n('%FILE%')",
	"SELECT 1file('%FILE%')",
	"SELECT * APPLY file FROM (SELECT '%FILE%' AS x)",
	"SELECT * APPLY(`file`) FROM (SELECT '%FILE%' AS x)",
	"SELECT COLUMNS('x') APPLY FILE FROM (SELECT '%FILE%' AS x)",
	"SELECT arrayMap(file, ['%FILE%'])",
	"WITH \"file\" AS f SELECT arrayMap(f, ['%FILE%'])",
	"SELECT * APPLY sleep FROM (SELECT 2 AS x)",
	"SELECT 1.file('%FILE%')",
	"SELECT * FROM file('%FILE%', 'LineAsString')",
	"SELECT * FROM system.one, file('%FILE%', LineAsString)",
	"SELECT * FROM (SELECT * FROM file('%FILE%', LineAsString))",
	"SELECT (SELECT line FROM file('%FILE%', LineAsString))",
	"SELECT * FROM view(SELECT * FROM file('%FILE%'))",
	"DESCRIBE TABLE file('%FILE%')",
	"DESCRIBE (SELECT * FROM file('%FILE%'))",
	"EXISTS (SELECT * FROM file('%FILE%'))",
	"SELECT 1 IN file('%FILE%', LineAsString)",
	"SELECT * FROM default.`%FILE%`",
	"SELECT * FROM `default`.`%FILE%`",
	"SELECT * FROM DEFAULT . `%FILE%`",
	"SELECT * FROM {t:Identifier}",
	"SELECT * FROM { t : /* */ `Identifier` }",
	"SELECT * FROM system.stack_trace",
	"SELECT * FROM system.`Stack_Trace`",
	"SELECT * FROM stack_trace",
	"SELECT query FROM system.processes",
	"SHOW PROCESSLIST",
	"SELECT * FROM url('http://127.0.0.1:1/', LineAsString)",
	"SELECT * FROM s3('http://127.0.0.1:1/b/k')",
	"SELECT * FROM remote('127.0.0.1', system.one)",
	"SELECT * FROM remoteSecure('127.0.0.1', system.one)",
	"SELECT * FROM cluster('x', system.one)",
	"SELECT * FROM executable('x.sh', TSV, 'a String')",
	"SELECT * FROM mysql('127.0.0.1:1', 'd', 't', 'u', 'p')",
	"SELECT * FROM postgresql('127.0.0.1:1', 'd', 't', 'u', 'p')",
	"SELECT * FROM sqlite('%FILE%', 't')",
	"SELECT * FROM jdbc('x', 'y', 'z')",
	"SELECT * FROM input('a String')",
	"SELECT * FROM merge('tributary', '.*')",
	"SELECT * FROM eval('SELECT 1')",
	"SELECT * FROM python('x')",
	"SELECT * FROM Python(x)",
	"SELECT * FROM dictionary('x')",
	"SELECT * FROM generateRandom('a String')",
	"SELECT * FROM loop(system.one)",
	"SELECT * FROM fuzzQuery('SELECT 1')",
	"SELECT hasColumnInTable('127.0.0.1', 'u', 'p', 'd', 't', 'c')",
	"SELECT catboostEvaluate('%FILE%', 1)",
	"SELECT dictGet('d', 'a', 1)",
	"SELECT sleep(3)",
	"SELECT aiGenerate('x', 'y')",
	"SELECT nosuchfunction(1)",
	"SELECT 1 SETTINGS readonly = 0",
	"SELECT 1 settings max_memory_usage = 0",
	"SET readonly = 0",
	"USE default",
	"SYSTEM SHUTDOWN",
	"SELECT 1 FORMAT PostgreSQLWire",
	"SELECT 1 FORMAT JSON SETTINGS readonly = 0",
	"SELECT 1 FORMAT JSON; SELECT 2",
	"SELECT 1 PARALLEL WITH SELECT 2",
	"KILL QUERY WHERE 1",
	"CREATE TEMPORARY TABLE t (a UInt8)",
	"SELECT $$file$$",
	"SELECT 1 # comment\n INTO OUTFILE 'x'",
	"SELECT 1 -- \r INTO OUTFILE '%DIR%/x'\n; SELECT 2",
	"SELECT ‘file’",
	"SELECT 'unterminated",
	"SELECT /* unterminated",
	"SELECT 1\x00; DROP TABLE tributary.positions",
	"SELECT @@version",
	"EXPLAIN AST DROP TABLE tributary.positions",
	"EXECUTE AS admin SELECT 1",
	"BACKUP TABLE tributary.positions TO File('x')",
	"ATTACH TABLE x FROM '%DIR%' (a UInt8)",
	"CHECK TABLE tributary.positions",
	"DESCRIBE url('http://127.0.0.1:1/')",
	strings.Repeat("SELECT ", 100_001),
}

func TestGuardLetsPeopleWork(t *testing.T) {
	guard, run := chsql.NewGuard(), reader(t)
	for _, sql := range allowed {
		require.NoError(t, guard.Check(sql), sql)
		_, err := run(sql, map[string]string{"db": "tributary"})
		require.NoError(t, err, sql)
	}
}

func TestGuardRefusesWhatReachesOut(t *testing.T) {
	guard := chsql.NewGuard()
	for _, sql := range hostile {
		var refused *chsql.Error
		require.ErrorAs(t, guard.Check(sql), &refused, sql)
		require.NotEmpty(t, refused.Reason)
	}
}

// FuzzGuard runs what the guard lets through, as a person's connection would,
// and looks for the contents of a file and for new files.
func FuzzGuard(f *testing.F) {
	dir := f.TempDir()
	secret := filepath.Join(dir, "secret.txt")
	const canary = "canary-8d1f0c"
	require.NoError(f, os.WriteFile(secret, []byte(canary+"\n"), 0o644))
	replace := strings.NewReplacer("%FILE%", secret, "%DIR%", dir)
	for _, sql := range append(allowed, hostile[:len(hostile)-1]...) {
		f.Add(replace.Replace(sql))
	}
	guard, run := chsql.NewGuard(), reader(f)
	f.Fuzz(func(t *testing.T, sql string) {
		if guard.Check(sql) != nil {
			return
		}
		out, _ := run(sql, map[string]string{"db": "tributary", "t": secret})
		require.NotContains(t, out, canary, sql)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, 1, sql)
	})
}

// reader runs statements as the connections for people do.
func reader(tb testing.TB) func(sql string, params map[string]string) (string, error) {
	tb.Helper()
	conn, err := storetest.Engine(tb).Connect(map[string]string{
		"readonly": "1", "max_execution_time": "2", "max_memory_usage": "100000000", "max_result_rows": "1000", "result_overflow_mode": "break",
	})
	require.NoError(tb, err)
	tb.Cleanup(conn.Close)
	return func(sql string, params map[string]string) (string, error) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		var out bytes.Buffer
		statement := engine.Statement{SQL: sql, Format: "TSV", Params: params}
		if chsql.Split(sql).Rows {
			_, err := conn.Stream(ctx, statement, &out)
			return out.String(), err
		}
		_, err := conn.Query(statement, &out)
		return out.String(), err
	}
}
