package parser_test

import (
	"context"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/tributary-data/tributary/parser"
)

// A target for each dialect, so that each has its time.
func FuzzGuessed(f *testing.F)    { fuzz(f, "") }
func FuzzANSI(f *testing.F)       { fuzz(f, "ansi") }
func FuzzBigQuery(f *testing.F)   { fuzz(f, "bigquery") }
func FuzzClickHouse(f *testing.F) { fuzz(f, "clickhouse") }
func FuzzDatabricks(f *testing.F) { fuzz(f, "databricks") }
func FuzzDoris(f *testing.F)      { fuzz(f, "doris") }
func FuzzDuckDB(f *testing.F)     { fuzz(f, "duckdb") }
func FuzzFlink(f *testing.F)      { fuzz(f, "flink") }
func FuzzGreenplum(f *testing.F)  { fuzz(f, "greenplum") }
func FuzzHive(f *testing.F)       { fuzz(f, "hive") }
func FuzzImpala(f *testing.F)     { fuzz(f, "impala") }
func FuzzMySQL(f *testing.F)      { fuzz(f, "mysql") }
func FuzzOracle(f *testing.F)     { fuzz(f, "oracle") }
func FuzzPostgres(f *testing.F)   { fuzz(f, "postgres") }
func FuzzPresto(f *testing.F)     { fuzz(f, "presto") }
func FuzzRedshift(f *testing.F)   { fuzz(f, "redshift") }
func FuzzSnowflake(f *testing.F)  { fuzz(f, "snowflake") }
func FuzzSpark(f *testing.F)      { fuzz(f, "spark") }
func FuzzStarRocks(f *testing.F)  { fuzz(f, "starrocks") }
func FuzzTiDB(f *testing.F)       { fuzz(f, "tidb") }
func FuzzTrino(f *testing.F)      { fuzz(f, "trino") }
func FuzzTSQL(f *testing.F)       { fuzz(f, "tsql") }

// fuzz feeds a dialect's golden scripts and what the fuzzer makes of them; those
// of no named dialect seed the guess. No panic, no hang, no more memory
// than 64 times the script and 16 MiB, no error without words.
func fuzz(f *testing.F, dialect string) {
	f.Helper()
	for _, seed := range []string{"", "\xef\xbb\xbfSELECT 1", "a\x00b", "SELECT 'x", "{% if %}", "\xff\xfe"} {
		f.Add([]byte(seed))
	}
	for _, dir := range goldenCases(f) {
		if sql, s := readGolden(f, dir); s.Dialect == dialect || dialect == "" {
			f.Add([]byte(sql))
		}
	}
	f.Fuzz(func(t *testing.T, sql []byte) {
		if len(sql) > 1<<20 {
			t.Skip("longer than fuzzing can judge")
		}
		o := parser.Options{Dialect: dialect, DefaultSchema: "s", Explain: true, Limits: parser.Limits{Time: 5 * time.Second}}
		start, before := time.Now(), allocated()
		res := parser.Extract(context.Background(), sql, o)
		took := time.Since(start)
		if allocated()-before > bound(len(sql)) { // then only is it worth watching
			if _, peak := measured(sql, o, bound(len(sql))); peak > bound(len(sql)) {
				t.Fatalf("it took %d bytes of memory", peak)
			}
		}
		if took > 10*time.Second {
			t.Fatalf("it took %v", took)
		}
		for _, e := range res.Errors {
			if e.Kind == "unsupported" && e.Statement == 0 && len(e.Message) > 0 && e.Line == 1 && e.Column == 1 {
				t.Fatalf("the parser failed: %s", e.Message)
			}
		}
		res.Steps()
	})
}

// allocated is all memory that was ever allocated, in bytes.
func allocated() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
