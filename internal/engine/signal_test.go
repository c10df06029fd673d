package engine_test

import (
	"bytes"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/engine"
	"github.com/tributary-data/tributary/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// nilTarget is what a nil pointer would point to.
type nilTarget struct{ value int }

// TestSignalsStayGos makes sure of what the engine breaks when its own signal
// handlers are on.
func TestSignalsStayGos(t *testing.T) {
	e := storetest.Engine(t)
	query := func() {
		conn, err := e.Connect(nil)
		require.NoError(t, err)
		defer conn.Close()
		var out bytes.Buffer
		_, err = conn.Query(engine.Statement{SQL: "SELECT 1", Format: "TSV"}, &out)
		require.NoError(t, err)
		require.Equal(t, "1\n", out.String())
	}
	query()
	var fault error
	func() {
		defer func() { fault, _ = recover().(error) }()
		var missing *nilTarget
		_ = missing.value
	}()
	var problem runtime.Error
	require.ErrorAs(t, fault, &problem, "a nil dereference is recovered from")

	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	defer signal.Stop(term)
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	select {
	case <-term:
	case <-time.After(10 * time.Second):
		t.Fatal("SIGTERM did not arrive")
	}
	query()
}

func TestStreamStopsWithItsReader(t *testing.T) {
	conn, err := storetest.Engine(t).Connect(nil)
	require.NoError(t, err)
	defer conn.Close()
	full := errors.New("full")
	_, err = conn.Stream(t.Context(), engine.Statement{SQL: "SELECT number FROM numbers(100000000)", Format: "TSV"}, writer(func([]byte) (int, error) { return 0, full }))
	require.ErrorIs(t, err, full)

	var out bytes.Buffer
	_, err = conn.Query(engine.Statement{SQL: "SELECT 2", Format: "TSV"}, &out)
	require.NoError(t, err)
	require.Equal(t, "2\n", out.String(), "the connection serves the next statement")
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
