// Package storetest gives tests a store: the engine in the process, with the
// product's tables. The engine takes one data folder in a process, so a test
// binary has one store, and every test that asks for it finds its tables
// empty. Tests that use it cannot run in parallel within one package.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tributary-data/tributary/internal/engine"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/schemas/clickhouse"
)

// shared is the binary's one engine; a second could not be started in it.
var shared struct {
	sync.Once
	dir    string
	engine *engine.Engine
	store  *store.Store
	err    error
}

// LibraryEnv names the environment variable with which a test run uses a
// library of its own instead of fetching one.
const LibraryEnv = "TRIBUTARY_ENGINE_LIB"

// Open returns the store with all its tables there and empty.
func Open(tb testing.TB) *store.Store {
	tb.Helper()
	shared.Do(func() { shared.err = start() })
	require.NoError(tb, shared.err)
	Truncate(tb, shared.store)
	return shared.store
}

// Engine returns the binary's engine, for tests below the store.
func Engine(tb testing.TB) *engine.Engine {
	tb.Helper()
	Open(tb)
	return shared.engine
}

// Library returns the path of the engine's library, fetching it if need be.
func Library(ctx context.Context) (string, error) {
	if path := os.Getenv(LibraryEnv); path != "" {
		return path, nil
	}
	return engine.Fetch(ctx, engine.FetchConfig{Progress: os.Stderr})
}

// Main runs a package's tests, closes the store, removes its data and fails
// when a goroutine is left over. Call it from TestMain.
func Main(m *testing.M) {
	code := m.Run()
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, "closing the tests' store:", err)
		code = max(code, 1)
	}
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	engine.Exit(code)
}

func start() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	library, err := Library(ctx)
	if err != nil {
		return err
	}
	if shared.dir, err = os.MkdirTemp("", "tributary-storetest-*"); err != nil {
		return err
	}
	if shared.engine, err = engine.Open(engine.Config{Library: library, Dir: shared.dir}); err != nil {
		return err
	}
	if shared.store, err = store.Open(ctx, store.Config{Engine: shared.engine}); err != nil {
		return err
	}
	return shared.store.Migrate(ctx, clickhouse.Migrations)
}

func stop() error {
	var faults []error
	if shared.store != nil {
		faults = append(faults, shared.store.Close())
	}
	if shared.engine != nil {
		faults = append(faults, shared.engine.Close())
	}
	if shared.dir != "" {
		faults = append(faults, os.RemoveAll(shared.dir))
	}
	return errors.Join(faults...)
}

// Truncate empties every table of the store, its migrations' own apart.
func Truncate(tb testing.TB, s *store.Store) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var tables []string
	rows, err := s.Read().Query(ctx, `SELECT name FROM system.tables
		WHERE database = 'tributary' AND engine LIKE '%MergeTree' AND name != 'schema_versions' AND total_rows > 0`)
	require.NoError(tb, err)
	for rows.Next() {
		var name string
		require.NoError(tb, rows.Scan(&name))
		tables = append(tables, name)
	}
	require.NoError(tb, rows.Err())
	require.NoError(tb, rows.Close())
	for _, name := range tables {
		require.NoError(tb, s.Write().Exec(ctx, "TRUNCATE TABLE tributary.`"+name+"`"))
	}
}
