package name

import "strings"

// Fold says what a platform does to the letters of an identifier.
type Fold int

// The ways to fold an identifier.
const (
	// FoldNone keeps it as it is written.
	FoldNone Fold = iota
	// FoldLower stores it in lower case.
	FoldLower
	// FoldUpper stores it in upper case.
	FoldUpper
)

// Apply folds one identifier.
func (f Fold) Apply(s string) string {
	switch f {
	case FoldLower:
		return strings.ToLower(s)
	case FoldUpper:
		return strings.ToUpper(s)
	}
	return s
}

// Platform is one row of the table of naming rules.
type Platform struct {
	// Name is the dialect's or the namespace scheme's name.
	Name string
	// Unquoted and Quoted say how table names are folded in SQL, without and
	// with quotes.
	Unquoted, Quoted Fold
	// UnquotedColumn and QuotedColumn say the same for column names.
	UnquotedColumn, QuotedColumn Fold
	// Stored says how the platform's catalog keeps a table name however it
	// was written; node keys follow it.
	Stored Fold
	// TablesIgnoreCase and ColumnsIgnoreCase say that two names which differ
	// in case alone are the same, and shown as first seen.
	TablesIgnoreCase, ColumnsIgnoreCase bool
	// Opaque says that a name is one thing (topic, path) whose dots mean
	// nothing.
	Opaque bool
	// Parts is the number of parts of a full table name, 0 if not fixed.
	Parts int
	// DefaultPort is filled into a namespace that leaves its port out; empty
	// if the platform's namespaces have none.
	DefaultPort string
	// OtherPorts are further ports of the same server (another protocol of
	// it); a namespace with one of them is the one with DefaultPort.
	OtherPorts []string
}

// PlatformFor gives the rules of a SQL dialect (mysql, hive, …) or of a
// namespace's scheme. What is not in the table keeps names as written.
func PlatformFor(s string) Platform {
	s = strings.ToLower(s)
	switch s {
	case "mysql", "mariadb", "oceanbase":
		return Platform{Name: s, ColumnsIgnoreCase: true, Parts: 2, DefaultPort: port(s)}
	case "tidb":
		return Platform{Name: s, ColumnsIgnoreCase: true, TablesIgnoreCase: true, Parts: 2, DefaultPort: "4000"}
	case "doris", "starrocks", "selectdb":
		return Platform{Name: s, ColumnsIgnoreCase: true, DefaultPort: "9030"}
	case "bigquery":
		return Platform{Name: s, ColumnsIgnoreCase: true, Parts: 3}
	case "tsql", "mssql", "sqlserver", "azuresql", "synapse":
		return Platform{Name: s, ColumnsIgnoreCase: true, TablesIgnoreCase: true, DefaultPort: port(s)}
	case "duckdb":
		return Platform{Name: s, ColumnsIgnoreCase: true, TablesIgnoreCase: true}
	case "hive", "spark", "databricks", "impala", "trino", "presto", "unitycatalog", "athena", "awsathena":
		return lowerCased(s)
	case "postgres", "postgresql", "redshift", "greenplum", "crate", "cockroachdb":
		return Platform{
			Name: s, Unquoted: FoldLower, UnquotedColumn: FoldLower,
			Parts: 3, DefaultPort: port(s),
		}
	case "snowflake":
		return Platform{Name: s, Unquoted: FoldUpper, UnquotedColumn: FoldUpper, Parts: 3}
	case "oracle", "db2":
		return Platform{Name: s, Unquoted: FoldUpper, UnquotedColumn: FoldUpper, DefaultPort: port(s)}
	case "clickhouse":
		return Platform{Name: s, Parts: 2, DefaultPort: "8123", OtherPorts: []string{"9000", "8443", "9440"}}
	case "teradata":
		return Platform{Name: s, ColumnsIgnoreCase: true, TablesIgnoreCase: true, Parts: 2, DefaultPort: "1025"}
	case "cassandra":
		return Platform{Name: s, Unquoted: FoldLower, UnquotedColumn: FoldLower, Parts: 2, DefaultPort: "9042"}
	case "ansi":
		// The standard folds what is not quoted; engines differ in the direction.
		return Platform{Name: s, TablesIgnoreCase: true, ColumnsIgnoreCase: true}
	case "flink", "mongodb", "elasticsearch", "pulsar", "redis", "hbase":
		return Platform{Name: s, DefaultPort: port(s), Opaque: s == "pulsar" || s == "elasticsearch" || s == "redis"}
	case "kafka", "s3", "gs", "hdfs", "file", "abfss", "abfs", "wasbs", "wasb", "dbfs", "oss", "cos", "obs",
		"pubsub", "kinesis", "inmemory", "http", "https", "arn":
		return Platform{Name: s, Opaque: true, DefaultPort: port(s)}
	}
	return Platform{Name: s}
}

// lowerCased are the engines over a metastore that keeps every name in lower
// case, quoted or not. Their columns are compared without case and shown as
// first seen.
func lowerCased(s string) Platform {
	p := Platform{
		Name: s, Unquoted: FoldLower, Quoted: FoldLower, Stored: FoldLower,
		TablesIgnoreCase: true, ColumnsIgnoreCase: true, DefaultPort: port(s),
	}
	switch s {
	case "hive", "spark", "impala":
		p.Parts = 2
	default:
		p.Parts = 3
	}
	return p
}

// port gives the default port of a scheme. The figures are those that the
// OpenLineage clients fill in, where they fill one in, else the server's own.
func port(scheme string) string {
	switch scheme {
	case "mysql", "mariadb":
		return "3306"
	case "oceanbase":
		return "2881"
	case "postgres", "postgresql", "crate", "greenplum":
		return "5432"
	case "cockroachdb":
		return "26257"
	case "redshift":
		return "5439"
	case "mssql", "sqlserver":
		return "1433"
	case "oracle":
		return "1521"
	case "db2":
		return "6789"
	case "trino":
		return "443"
	case "presto":
		return "8080"
	case "hive":
		return "9083"
	case "impala":
		return "21050"
	case "kafka":
		return "9092"
	case "hdfs":
		return "8020"
	case "mongodb":
		return "27017"
	case "elasticsearch":
		return "9200"
	case "pulsar":
		return "6650"
	case "redis":
		return "6379"
	}
	return ""
}

// PlatformOf gives the rules of the platform that a namespace names by its
// scheme (mysql://…) or by itself (bigquery, file).
func PlatformOf(namespace string) Platform {
	scheme, _, ok := strings.Cut(namespace, "://")
	if !ok {
		scheme, _, _ = strings.Cut(namespace, ":")
	}
	return PlatformFor(aliasOf(strings.ToLower(scheme)))
}

// Table folds one part of a table's name as written in SQL.
func (p Platform) Table(part string, quoted bool) string {
	if quoted {
		return p.Quoted.Apply(part)
	}
	return p.Unquoted.Apply(part)
}

// Column folds a column's name as written in SQL.
func (p Platform) Column(column string, quoted bool) string {
	if quoted {
		return p.QuotedColumn.Apply(column)
	}
	return p.UnquotedColumn.Apply(column)
}

// SameColumn gives the form under which two names of columns are compared.
func (p Platform) SameColumn(column string) string {
	if p.ColumnsIgnoreCase {
		return strings.ToLower(column)
	}
	return column
}

// SameTable gives the form under which two names of tables are compared.
func (p Platform) SameTable(table string) string {
	if p.TablesIgnoreCase {
		return strings.ToLower(table)
	}
	return table
}

// FoldName gives a table's full name as the platform's catalog keeps it.
func (p Platform) FoldName(s string) string {
	if p.Opaque {
		return s
	}
	return p.Stored.Apply(s)
}
