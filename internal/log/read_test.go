package log

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStalledReadConnectsAnew(t *testing.T) {
	var told bytes.Buffer
	c := newClient(Config{Brokers: []string{"127.0.0.1:1"}, Logger: slog.New(slog.NewTextHandler(&told, nil))})
	r := reader{client: c, topic: "t", next: 5}
	count := func() int { return strings.Count(told.String(), "stalls") }

	for range 2 * stalls {
		r.watch(5, 5) // at the end, with nothing to come
	}
	require.Zero(t, count())
	r.watch(5, 9)
	r.watch(5, 9)
	r.watch(7, 9) // something came
	r.next = 7
	r.watch(7, 9)
	r.watch(7, 9)
	require.Zero(t, count())
	r.watch(7, 9)
	require.Equal(t, 1, count())
}

func TestBackoffIsBounded(t *testing.T) {
	require.Less(t, backoff(0), backoff(1))
	require.Equal(t, backoff(6), backoff(1_000_000))
}
