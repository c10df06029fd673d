package config_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/config"
)

func load(t *testing.T, args ...string) (config.Config, error) {
	t.Helper()
	f := pflag.NewFlagSet("t", pflag.ContinueOnError)
	config.AddFlags(f)
	require.NoError(t, f.Parse(args))
	return config.Load(f)
}

func TestDefaultsAreValid(t *testing.T) {
	c, err := load(t)
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:7070", c.Listen)
	require.Equal(t, 30*time.Second, c.Builder.Lease)
}

func TestFlagBeatsEnvironmentBeatsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	require.NoError(t, os.WriteFile(path, []byte("data: /file\nlog: {brokers: [a:1, b:2]}\nstore: {engine_lib: /file.so}\n"), 0o600))
	t.Setenv("TRIBUTARY_DATA", "/env")
	t.Setenv("TRIBUTARY_STORE_ENGINE_LIB", "/env.so")
	c, err := load(t, "--config", path, "--data", "/flag")
	require.NoError(t, err)
	require.Equal(t, "/flag", c.Data)
	require.Equal(t, "/env.so", c.Store.EngineLib)
	require.Equal(t, []string{"a:1", "b:2"}, c.Log.Brokers)
}

func TestBrokersFromEnvironment(t *testing.T) {
	t.Setenv("TRIBUTARY_LOG_BROKERS", "a:1,b:2")
	c, err := load(t)
	require.NoError(t, err)
	require.Equal(t, []string{"a:1", "b:2"}, c.Log.Brokers)
}

func TestAllFaultsAreReportedTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	require.NoError(t, os.WriteFile(path, []byte("lisen: x\nlog: {partitions: -1}\n"), 0o600))
	t.Setenv("TRIBUTARY_NO_SUCH", "1")
	t.Setenv("TRIBUTARY_LOG_REPLICATION", "two")
	t.Setenv("TRIBUTARY_BUILDER_LEASE", "30")
	_, err := load(t, "--config", path, "--log-level", "loud", "--listen", "0.0.0.0:7070")
	require.ErrorContains(t, err, `unknown setting "lisen"`)
	require.ErrorContains(t, err, "TRIBUTARY_NO_SUCH")
	require.ErrorContains(t, err, "log.partitions")
	require.ErrorContains(t, err, `log.replication: "two" is not a whole number`)
	require.ErrorContains(t, err, `builder.lease: "30" is not a time such as 30s`)
	require.ErrorContains(t, err, "telemetry.level")
	require.ErrorContains(t, err, "reachable from other machines")
}

func TestListeningBeyondLoopbackNeedsTokens(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:1", ":1", "[::]:1", "192.0.2.1:1", "example.com:1"} {
		_, err := load(t, "--listen", addr)
		require.Error(t, err, addr)
	}
	for _, addr := range []string{"127.0.0.1:1", "[::1]:1", "localhost:1", "127.8.8.8:1"} {
		_, err := load(t, "--listen", addr)
		require.NoError(t, err, addr)
	}
	_, err := load(t, "--listen", "0.0.0.0:1", "--auth-tokens", "tokens.yaml")
	require.NoError(t, err)
}

func TestAFileThatIsNoneIsOneFaultOfMany(t *testing.T) {
	_, err := load(t, "--config", filepath.Join(t.TempDir(), "none.yaml"), "--log-level", "loud")
	require.ErrorContains(t, err, "none.yaml")
	require.ErrorContains(t, err, "telemetry.level")
}

func TestWhatIsPrintedIsAFileOfSettingsWithoutSecrets(t *testing.T) {
	t.Setenv("TRIBUTARY_LOG_PASSWORD", "secret")
	t.Setenv("TRIBUTARY_STORE_TOKEN", "secret")
	c, err := load(t, "--log-user", "me", "--log-brokers", "a:1,b:2", "--builder-lease", "90s", "--store-dsn", "clickhouse://u:secret@h:9000/d")
	require.NoError(t, err)
	text, err := c.YAML()
	require.NoError(t, err)
	require.NotContains(t, string(text), "secret")

	path := filepath.Join(t.TempDir(), "c.yaml")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	again, err := load(t, "--config", path)
	require.NoError(t, err)
	again.Log.Password, again.Store.Token, again.Store.DSN = c.Log.Password, c.Store.Token, c.Store.DSN
	require.Equal(t, c, again)
}
