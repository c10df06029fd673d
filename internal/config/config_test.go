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
	_, err := load(t, "--config", path, "--log-level", "loud", "--listen", "0.0.0.0:7070")
	require.ErrorContains(t, err, `unknown setting "lisen"`)
	require.ErrorContains(t, err, "TRIBUTARY_NO_SUCH")
	require.ErrorContains(t, err, "log.partitions")
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
