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
func Start(tb testing.TB) *log.Client {
	tb.Helper()
	client, _ := StartWithAddrs(tb)
	return client
}

// StartWithAddrs is Start for tests that run clients of their own too.
func StartWithAddrs(tb testing.TB) (*log.Client, []string) {
	tb.Helper()
	broker, err := log.StartEmbedded(log.EmbeddedConfig{Dir: tb.TempDir()})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, broker.Close()) })
	return Connect(tb, broker.Addrs()), broker.Addrs()
}

// Connect opens another client of a broker, with the topics made sure of.
func Connect(tb testing.TB, addrs []string) *log.Client {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	client, err := log.Open(ctx, log.Config{Brokers: addrs, ClientID: tb.Name()})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, client.Close()) })
	require.NoError(tb, client.EnsureTopics(ctx, log.Topics(log.EmbeddedPartitions)))
	return client
}
