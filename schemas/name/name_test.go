package name_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tributary-data/tributary/schemas/name"
)

func TestNamespaceCanonicalForms(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"mysql://Shop-DB", "mysql://shop-db:3306"},
		{"mysql://shop-db:3306/", "mysql://shop-db:3306"},
		{"mysql://root:secret@shop-db:3307", "mysql://shop-db:3307"},
		{"postgresql://pg:5432", "postgres://pg:5432"},
		{"POSTGRES://pg", "postgres://pg:5432"},
		{"jdbc:postgresql://pg/shop", "postgres://pg:5432/shop"},
		{"clickhouse://ch", "clickhouse://ch:8123"},
		{"clickhouse://ch:9000", "clickhouse://ch:8123"},
		{"clickhouse://ch:9001", "clickhouse://ch:9001"},
		{"trino://t", "trino://t:443"},
		{"hive://meta", "hive://meta:9083"},
		{"kafka://a,B:9093", "kafka://a:9092,b:9093"},
		{"mysql://[::1]:3306", "mysql://[::1]:3306"},
		{"mysql://[::1]", "mysql://[::1]:3306"},
		{"s3a://Bucket", "s3://bucket"},
		{"s3://bucket", "s3://bucket"},
		{"abfss://c@svc.dfs.core.windows.net", "abfss://c@svc.dfs.core.windows.net"},
		{"snowflake://org-account", "snowflake://org-account"},
		{"bigquery", "bigquery"},
		{"file", "file"},
		{"arn:aws:glue:us-east-1:123", "arn:aws:glue:us-east-1:123"},
		{"shop_mysql", "shop_mysql"},
	} {
		require.Equal(t, c.want, name.Namespace(c.in), c.in)
		require.Equal(t, c.want, name.Namespace(c.want), "a second time: %s", c.in)
	}
}

func TestWithoutUser(t *testing.T) {
	for in, want := range map[string]string{
		"mysql://root:p@ss@DB:3306/x@y": "mysql://DB:3306/x@y",
		"mysql://DB":                    "mysql://DB",
		"abfss://c@svc/x":               "abfss://c@svc/x",
		"shop_mysql":                    "shop_mysql",
		"file://":                       "file://",
	} {
		require.Equal(t, want, name.WithoutUser(in))
	}
}

func TestNewKeyFoldsAsThePlatformDoes(t *testing.T) {
	require.Equal(t, "dataset|hive://m:9083|dwd.orders", name.NewKey("dataset", "hive://m", "DWD.Orders").String())
	require.Equal(t, "dataset|mysql://h:3306|Shop.Orders", name.NewKey("", "mysql://h", "Shop.Orders").String())
	require.Equal(t, "dataset|kafka://h:9092|Orders.V1", name.NewKey("dataset", "kafka://h", "Orders.V1").String())
	require.Equal(t, "task|default|Etl", name.NewKey("task", "", "Etl").String())
}

func TestDisplayAndBack(t *testing.T) {
	for _, c := range []struct{ namespace, source, nodeName, want string }{
		{"mysql://h:3306", "shop", "db.t", "shop.db.t"},
		{"mysql://h:3306", "shop.eu", `db."a.b"`, `"shop.eu".db."a.b"`},
		{"kafka://h:9092", "events", "orders.v1", `events."orders.v1"`},
		{"s3://bucket", "lake", `raw/a"b.parquet`, `lake."raw/a""b.parquet"`},
	} {
		k := name.NewKey(name.FamilyDataset, c.namespace, c.nodeName)
		require.Equal(t, c.want, k.Display(c.source))
		parts, err := name.SplitPath(c.want)
		require.NoError(t, err)
		require.Equal(t, c.source, parts[0])
		require.Equal(t, k, name.DatasetFromPath(c.namespace, parts[1:]))
	}
}

func TestSplitPathErrors(t *testing.T) {
	for _, s := range []string{"", ".", "a.", ".a", "a..b", `"a`, `"a"b`, `a."b`, `"a".`} {
		_, err := name.SplitPath(s)
		require.ErrorIs(t, err, name.ErrPath, "%q", s)
	}
}

func TestParseKeyErrors(t *testing.T) {
	for _, s := range []string{"", "dataset", "dataset|x", "dataset|x|", "table|x|y", "|a|b"} {
		_, err := name.ParseKey(s)
		require.ErrorIs(t, err, name.ErrKey, "%q", s)
	}
}

func TestCaseRules(t *testing.T) {
	require.Equal(t, "SRC", name.PlatformFor("snowflake").Table("Src", false))
	require.Equal(t, "Src", name.PlatformFor("snowflake").Table("Src", true))
	require.Equal(t, "src", name.PlatformFor("postgres").Column("Src", false))
	require.Equal(t, "Src", name.PlatformFor("postgres").Column("Src", true))
	require.Equal(t, "Src", name.PlatformFor("mysql").Table("Src", false))
	require.Equal(t, "src", name.PlatformFor("hive").Table("Src", true))
	for _, d := range []string{"mysql", "bigquery", "tsql", "doris", "starrocks", "duckdb", "spark", "databricks", "hive", "impala", "trino"} {
		require.Equal(t, "id", name.PlatformFor(d).SameColumn("Id"), d)
	}
	require.Equal(t, "Id", name.PlatformFor("clickhouse").SameColumn("Id"))
	require.Equal(t, "Shop", name.PlatformFor("mysql").SameTable("Shop"))
	require.Equal(t, "Unknown", name.PlatformFor("nosuch").Table("Unknown", false))
}

func anyText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.StringMatching(`[a-zA-Z0-9_."|% /:-]{1,12}`), rapid.StringN(1, 8, -1))
}

func TestPathRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.OneOf(anyText(), rapid.Just("")), 1, 5).Draw(t, "parts")
		got, err := name.SplitPath(name.JoinPath(parts...))
		require.NoError(t, err)
		require.Equal(t, parts, got)
	})
}

func TestKeyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := name.Key{
			Family:    rapid.SampledFrom(name.Families()).Draw(t, "family"),
			Namespace: anyText().Draw(t, "namespace"),
			Name:      anyText().Draw(t, "name"),
		}
		got, err := name.ParseKey(k.String())
		require.NoError(t, err)
		require.Equal(t, k, got)

		column := rapid.OneOf(anyText(), rapid.Just("")).Draw(t, "column")
		node, c, err := name.SplitColumnKey(k.Column(column))
		require.NoError(t, err)
		require.Equal(t, k.String(), node)
		require.Equal(t, column, c)

		ns, id, err := name.SplitTaskKey(name.TaskKey(k.Namespace, k.Name))
		require.NoError(t, err)
		require.Equal(t, k.Namespace, ns)
		require.Equal(t, k.Name, id)
	})
}

func TestNamespaceIsIdempotent(t *testing.T) {
	schemes := []string{"mysql", "postgresql", "clickhouse", "kafka", "s3a", "hive", "abfss", "unknown", "jdbc:mysql"}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(schemes).Draw(t, "scheme") + "://" + rapid.OneOf(anyText(), rapid.StringMatching(`[a-z@:0-9,.\[\]]{0,14}`)).Draw(t, "rest")
		once := name.Namespace(s)
		require.Equal(t, once, name.Namespace(once), s)
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`a."b.c"`, "dataset|mysql://h:3306|db.t.c", `dataset|s3://b|x"y.z."q""."`, ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if parts, err := name.SplitPath(s); err == nil {
			again, err := name.SplitPath(name.JoinPath(parts...))
			require.NoError(t, err)
			require.Equal(t, parts, again)
		}
		if k, err := name.ParseKey(s); err == nil {
			again, err := name.ParseKey(k.String())
			require.NoError(t, err)
			require.Equal(t, k, again)
		}
		if node, column, err := name.SplitColumnKey(s); err == nil {
			require.True(t, strings.HasPrefix(s, node))
			n2, c2, err := name.SplitColumnKey(name.ColumnKey(node, column))
			require.NoError(t, err)
			require.Equal(t, node, n2)
			require.Equal(t, column, c2)
		}
	})
}
