// Package logtest gives tests a log of their own: the embedded broker in a
// temporary folder, with the product's topics.
package logtest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/log"
)

// Start runs a broker for the test, creates the topics and returns a client.
// Both are closed when the test ends.
func Start(t testing.TB) *log.Client {
	t.Helper()
	client, _ := StartWithAddrs(t)
	return client
}

// StartWithAddrs is Start for tests that run clients of their own too.
func StartWithAddrs(t testing.TB) (*log.Client, []string) {
	t.Helper()
	broker, err := log.StartEmbedded(log.EmbeddedConfig{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, broker.Close()) })
	return Connect(t, broker.Addrs()), broker.Addrs()
}

// Connect opens another client of a broker, with the topics made sure of.
func Connect(t testing.TB, addrs []string) *log.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	client, err := log.Open(ctx, log.Config{Brokers: addrs, ClientID: t.Name()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	require.NoError(t, client.EnsureTopics(ctx, log.Topics(log.EmbeddedPartitions)))
	return client
}
