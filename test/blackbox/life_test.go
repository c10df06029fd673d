package blackbox_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestASecondProcessOnTheDataIsToldSo(t *testing.T) {
	dir := t.TempDir()
	p := serve(t, dir)
	second, _ := launch(t, "serve", "--data", dir)
	require.Equal(t, 1, second.wait(startTime))
	said := second.out.String()
	require.Equal(t, 1, strings.Count(strings.TrimSpace(said), "\n")+1, "one sentence: %s", said)
	require.Contains(t, said, dir)
	require.Contains(t, said, "in use")
	post(t, p.URL, task("still", "INSERT INTO dw.a (x) SELECT x FROM a"))
	require.Zero(t, p.interrupt())

	// What was acknowledged just before it stopped is there.
	p = serve(t, dir)
	soon(t, p.Store, "SELECT to_name FROM tributary.lineage_edges", "dw.a")
	require.Zero(t, p.interrupt())
}

func TestAPortThatIsTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	p, _ := launch(t, "ingest", "--data", t.TempDir(), "--listen", taken.Addr().String())
	require.Equal(t, 1, p.wait(startTime))
	require.Contains(t, p.out.String(), taken.Addr().String())
	require.Contains(t, p.out.String(), "address already in use")
}

func TestSettingsAreCheckedTogether(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "settings.yaml")
	require.NoError(t, os.WriteFile(file, []byte("listen: 0.0.0.0:7070\nlisten_to: x\nlog:\n  partitions: -1\n"), 0o600))
	a := command(t, "", "", "serve", "--config", file, "--log-level", "loud", "--data", dir)
	require.Equal(t, 1, a.code)
	for _, said := range []string{`unknown setting "listen_to"`, "0.0.0.0:7070 is reachable from other machines", "log.partitions: -1", `"loud"`} {
		require.Contains(t, a.errors, said)
	}
	require.NoDirExists(t, filepath.Join(dir, "log"))

	a = command(t, "", "", "serve", "--data", dir, "--check-config", "--store-dsn", "http://tributary:secret@127.0.0.1:8123/tributary")
	require.Zero(t, a.code, a.errors)
	require.Contains(t, a.out, dir)
	require.NotContains(t, a.out+a.errors, "secret")
	require.NoDirExists(t, filepath.Join(dir, "log"))

	for _, flag := range []string{"--listen", "--store-listen", "--log-listen"} {
		a = command(t, "", "", "serve", "--data", dir, flag, "0.0.0.0:0")
		require.Equal(t, 1, a.code, flag)
		require.Contains(t, a.errors, "0.0.0.0:0", flag)
	}

	a = command(t, "", "", "parse", "--data", dir, "--log-brokers", "127.0.0.1:1")
	require.Equal(t, 1, a.code)
	require.Contains(t, a.errors, "127.0.0.1:1")
}

func TestCommandsSayWhatToDoWithoutAServer(t *testing.T) {
	for _, args := range [][]string{{"lineage", "down", "x"}, {"deadletter", "list"}, {"emit", "-"}} {
		a := command(t, "http://127.0.0.1:1", `{"type":"task.defined","data":{"id":"a","sql":"SELECT 1"}}`, args...)
		require.Equal(t, 1, a.code, args)
		require.Contains(t, a.errors, "tributary serve", args)
	}
}
