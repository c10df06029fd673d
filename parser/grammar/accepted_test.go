package grammar

// allDialects are the dialects, in an order that does not change.
var allDialects = []string{
	"ansi", "hive", "spark", "databricks", "flink", "clickhouse", "trino", "postgres", "redshift", "greenplum",
	"snowflake", "bigquery", "tsql", "oracle", "mysql", "tidb", "doris", "starrocks", "impala", "duckdb",
}

// accepted are statements that must be read without an error.
var accepted = []struct{ dialect, sql string }{
	{"", analytic},
}
