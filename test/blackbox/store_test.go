package blackbox_test

import (
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPeopleAskTheStore(t *testing.T) {
	needPython(t)
	p := serve(t, t.TempDir())
	post(t, p.URL, task("load", "INSERT INTO dw.orders (id) SELECT id FROM orders"))
	soon(t, p.Store, "SELECT to_name FROM tributary.lineage_edges", "dw.orders")
	u, err := url.Parse(p.Store)
	require.NoError(t, err)
	require.Contains(t, python(t, "clickhouse_client.py", "", nil, u.Hostname(), u.Port(), storeToken), "done")

	curl := func(sql string, args ...string) string {
		t.Helper()
		out, err := exec.Command("curl", append([]string{"-sS", p.Store + "/", "--data-binary", sql}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	require.Equal(t, "db.orders\tdw.orders\n", curl("SELECT from_name, to_name FROM lineage_edges FORMAT TSV"))
	for _, hostile := range []string{
		"SELECT * FROM file('/etc/passwd', 'LineAsString')", "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
		"SELECT * FROM s3('http://127.0.0.1:1/b/x')", "SELECT * FROM remote('127.0.0.1:1', system.one)", "SELECT * FROM executable('id', 'TSV', 'a String')",
		"SELECT 1 INTO OUTFILE '/tmp/leak'", "DROP TABLE nodes", "DROP DATABASE tributary", "INSERT INTO nodes VALUES (1, 1, '', '', '', '')",
		"SELECT 1; DROP TABLE nodes", "SELECT 1 /* */ ; -- \n DROP TABLE nodes", "CREATE FUNCTION f AS () -> 1", "SYSTEM SHUTDOWN", "BACKUP TABLE nodes TO Disk('d', 'x')",
		"SELECT * FROM lineage_edges SETTINGS readonly = 0", "ATTACH TABLE x FROM '/etc' (a String) ENGINE = File(TSV)", "SELECT getSetting('x') FROM mysql('h:1', 'd', 't', 'u', 'p')",
	} {
		status, body, err := ask(p.Store, "", "", hostile)
		require.NoError(t, err)
		require.GreaterOrEqual(t, status, 400, "%s: %s", hostile, body)
		require.NotEmpty(t, body, hostile)
	}
	status, _, err := ask(p.Store, "tributary", "wrong", "SELECT 1")
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, status)
	status, body, err := call(http.MethodPost, p.Store+"/", "", strings.NewReader("SELECT 1"), "Origin", "https://example.org")
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, status, "%s", body)
	soon(t, p.Store, "SELECT to_name FROM tributary.lineage_edges", "dw.orders")
	require.Zero(t, p.interrupt())
}
