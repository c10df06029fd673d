package credential_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/schemas/credential"
)

// masked are texts with what they become.
var masked = [][2]string{
	{`CREATE USER u IDENTIFIED BY 'geheim'`, `CREATE USER u IDENTIFIED BY '******'`},
	{`ALTER USER u IDENTIFIED WITH sha256_password BY 'ge''im' REPLACE`, `ALTER USER u IDENTIFIED WITH sha256_password BY '******' REPLACE`},
	{`CREATE USER u IDENTIFIED BY tiger;`, `CREATE USER u IDENTIFIED BY xxxxx;`},
	{`CREATE USER u IDENTIFIED BY VALUES 'abc'`, `CREATE USER u IDENTIFIED BY VALUES '***'`},
	{`CREATE USER u WITH PASSWORD 'abc'`, `CREATE USER u WITH PASSWORD '***'`},
	{`SET PASSWORD FOR u = PASSWORD('abc')`, `SET PASSWORD FOR u = PASSWORD('***')`},
	{`CREATE TABLE t (a INT) WITH ('connector'='jdbc', 'password' = 'ab\'c', 'table-name'='t')`, `CREATE TABLE t (a INT) WITH ('connector'='jdbc', 'password' = '*****', 'table-name'='t')`},
	{`PROPERTIES ("user" = "u", "password" = "abc")`, `PROPERTIES ("user" = "u", "password" = "***")`},
	{`('fs.s3a.secret.key' = 'abc')`, `('fs.s3a.secret.key' = '***')`},
	{`('properties.sasl.jaas.config' = 'x required password="p";')`, `('properties.sasl.jaas.config' = '************************')`},
	{`COPY t FROM 's3://b' CREDENTIALS 'aws_access_key_id=A;aws_secret_access_key=B'`, `COPY t FROM 's3://b' CREDENTIALS '*******************************************'`},
	{`COPY INTO t FROM 's3://b' CREDENTIALS = (AWS_KEY_ID = 'A' AWS_SECRET_KEY = 'BC')`, `COPY INTO t FROM 's3://b' CREDENTIALS = (AWS_KEY_ID = '*' AWS_SECRET_KEY = '**')`},
	{`COPY t FROM 's3://b' ACCESS_KEY_ID 'A' SECRET_ACCESS_KEY 'B' SESSION_TOKEN 'C'`, `COPY t FROM 's3://b' ACCESS_KEY_ID '*' SECRET_ACCESS_KEY '*' SESSION_TOKEN '*'`},
	{`x 'jdbc:mysql://h/d?user=u&password=abc&ssl=1'`, `x 'jdbc:mysql://h/d?user=u&password=***&ssl=1'`},
	{`x 'aws_access_key_id=A;aws_secret_access_key=B'`, `x 'aws_access_key_id=*;aws_secret_access_key=*'`},
	{`SELECT * FROM dblink('host=h user=u password=abc dbname=d', 'q')`, `SELECT * FROM dblink('host=h user=u password=*** dbname=d', 'q')`},
	{`-- mongodb://u:p@ss@h:27017/d`, `-- mongodb://u:****@h:27017/d`},
	{`password => 'a'`, `password => '*'`},
	{`map('password', 'a', 'b', 'c')`, `map('password', '*', 'b', 'c')`},
	{`{"password": "abc", "b": "c"}`, `{"password": "***", "b": "c"}`},
	{`SELECT * FROM mysql('h:3306', 'd', 't', 'u', 'p')`, `SELECT * FROM mysql('h:3306', 'd', 't', 'u', '*')`},
	{`ENGINE = PostgreSQL('h', currentDatabase(), t, 'u', 'p', 's')`, `ENGINE = PostgreSQL('h', currentDatabase(), t, 'u', '*', 's')`},
	{`FROM remote('h', d.t, 'u', 'p')`, `FROM remote('h', d.t, 'u', '*')`},
	{`FROM remoteSecure('h', d, t, 'u', 'p')`, `FROM remoteSecure('h', d, t, 'u', '*')`},
	{`FROM s3('https://b/x', 'AKIAIOSFODNN7EXAMPLE', 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY', 'CSV')`, `FROM s3('https://b/x', 'AKIAIOSFODNN7EXAMPLE', '**************************************', 'CSV')`},
	{"PASSWORD 'a\nb' x", "PASSWORD '*\n*' x"},
	{`PASSWORD 'abc`, `PASSWORD '***`},
}

// kept are texts without a credential.
var kept = []string{
	``, `'`, `password`, `password =`, `://`, `IDENTIFIED`, `IDENTIFIED BY`, `mysql(`, `mysql('a',`,
	`SELECT password, 'abc' FROM users`,
	`SELECT u.password AS "x", 'b' FROM u JOIN v ON u.password = v.token AND u.token = "v"."b"`,
	`SELECT a FROM t WHERE "password" = "u"."password"`,
	`INSERT INTO tokens SELECT 'a' FROM secretary WHERE token_type = 'b'`,
	`SELECT * FROM s3('https://b/x', 'CSV', 'a String, b String')`,
	`SELECT * FROM s3('https://b/x', 'CSVWithNames')`,
	`SELECT 'https://h/x@y', 'mailto:a@b' FROM t`,
	`CREATE TABLE t (password VARCHAR(10) COMMENT 'x')`,
	`SELECT * FROM remote('h', d.t)`,
	`SELECT 'Your password' || 'x'`,
	`PRIMARY KEY (a), KEY 'b'`,
}

func TestMask(t *testing.T) {
	for _, c := range masked {
		require.Equal(t, c[1], credential.Mask(c[0]))
		require.Equal(t, c[1], credential.Mask(c[1]), "masked once, masked for good")
	}
	for _, text := range kept {
		require.Equal(t, text, credential.Mask(text))
	}
}

func TestValue(t *testing.T) {
	require.Equal(t, "***", credential.Value("kafka.sasl.Password", "abc"))
	require.Equal(t, "a 'password' = '*'", credential.Value("sql", "a 'password' = 'b'"))
	require.Equal(t, "abc", credential.Value("passwords_table", "abc"))
}

// FuzzMask sees that positions stay true and that a second look finds nothing.
func FuzzMask(f *testing.F) {
	for _, c := range masked {
		f.Add(c[0])
	}
	for _, text := range kept {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out := credential.Mask(text)
		require.Len(t, out, len(text))
		require.Equal(t, strings.Count(text, "\n"), strings.Count(out, "\n"))
	})
}

// TestHostileTextsTakeLinearTime masks texts that make every name look far
// ahead; a scan that began anew at each would not end in a test's time.
func TestHostileTextsTakeLinearTime(t *testing.T) {
	for _, unit := range []string{"mysql(''", "s3('", `"password"="`, `"password"=""""a`, "password ''", "identified by ", "x://", " a=b password=", "password='\\'"} {
		text := strings.Repeat(unit, (8<<20)/len(unit))
		require.Len(t, credential.Mask(text), len(text))
	}
}

func BenchmarkMask(b *testing.B) {
	sql := strings.Repeat("INSERT INTO dw.orders (order_id, customer_key, amount) SELECT o.id, c.key, sum(o.amount) FROM shop.orders o JOIN shop.customers c ON c.id = o.customer_id WHERE o.state = 'paid' GROUP BY o.id, c.key;\n", 5)
	b.SetBytes(int64(len(sql)))
	for b.Loop() {
		credential.Mask(sql)
	}
}

func TestMaskJSON(t *testing.T) {
	require.JSONEq(t, `{"properties":{"spark.hadoop.fs.s3a.secret.key":"***","n":12345678901234567890,"url":"jdbc:x?password=*"},"tokens":["a"],"token":["*"]}`,
		string(credential.MaskJSON([]byte(`{"properties":{"spark.hadoop.fs.s3a.secret.key":"abc","n":12345678901234567890,"url":"jdbc:x?password=p"},"tokens":["a"],"token":["b"]}`))))
	for _, same := range []string{`{ "a" : "<b>" }`, `{"a":`, ``} {
		require.Equal(t, same, string(credential.MaskJSON([]byte(same))))
	}
}

func TestIsNameWhateverItsCaseAndSeparators(t *testing.T) {
	for _, name := range []string{"password", "passwd", "pwd", "key_id", "passphrase", "shared_access_signature", "jaas_config", "token", "authorization", "credentials", "secret", "access_key", "apikey"} {
		require.True(t, credential.IsName(name), name)
		require.True(t, credential.IsName("x."+strings.ToUpper(name)), name)
		for i := 1; i < len(name); i++ {
			for _, separator := range []string{"_", ".", "-", "_-"} {
				require.True(t, credential.IsName(name[:i]+separator+name[i:]), "%s at %d of %s", separator, i, name)
			}
		}
		for _, other := range []string{"", name[:1], name[1:2], name + "_", name + "2", name[:len(name)-1]} {
			require.False(t, credential.IsName(other), other)
		}
	}
}
