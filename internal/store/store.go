// Package store is the adapter to ClickHouse: a server, or the engine in the
// process. Both are reached through clickhouse-go, by the same code. Rows here
// are output of the log's folds and can be made again.
package store

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tributary-data/tributary/internal/engine"
)

// Database holds the product's tables. Statements name it: the engine's
// default database is laid over the working directory, where a file could
// stand in for a table.
const Database = "tributary"

// Config says where the store is: Engine for the one in the process, DSN for
// a server, and exactly one of the two.
type Config struct {
	// DSN is a server's address as clickhouse-go reads it, such as
	// clickhouse://user:password@host:9000/tributary or http://host:8123.
	DSN string
	// TLS is used with a DSN; nil for what the DSN says.
	TLS *tls.Config
	// Engine is the engine in the process. It is the caller's to close, after
	// the store.
	Engine *engine.Engine
	// Readers and Writers bound the connections of the two pools; 4 and 4
	// unless set.
	Readers, Writers int
	// QueryMemory bounds what one statement may use, in bytes: unless set half
	// of what the engine in the process has, or 1 GiB on a server.
	QueryMemory int64
	// Logger is nil for none.
	Logger *slog.Logger
}

// Store has a pool of connections for writing and one for reading, so that
// neither waits for the other.
type Store struct {
	cfg   Config
	write *pool
	read  *pool

	columnsMu sync.Mutex
	columns   map[string]map[string]string // types by table and column
}

// pool is some connections, and what they run on in the process.
type pool struct {
	driver.Conn
	sessions *sessions // nil for a server
	once     sync.Once
}

// Close closes the connections when the statements under way have ended. It
// may be called twice.
func (p *pool) Close() error {
	if p == nil {
		return nil
	}
	var err error
	p.once.Do(func() {
		err = errors.Join(p.Conn.Close(), p.sessions.close())
	})
	return err
}

const (
	defaultPool        = 4
	defaultQueryMemory = 1 << 30
	dialTimeout        = 10 * time.Second
	// statementTime bounds a statement on the server's side, in seconds; a
	// context's deadline bounds it further.
	statementTime = 300
)

// Open connects to the store and makes sure of the database. Migrate makes
// the tables.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if (cfg.DSN == "") == (cfg.Engine == nil) {
		return nil, errors.New("the store needs either a server's address or the embedded engine")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.Readers, cfg.Writers = orDefault(cfg.Readers, defaultPool), orDefault(cfg.Writers, defaultPool)
	if cfg.QueryMemory <= 0 && cfg.Engine != nil {
		cfg.QueryMemory = cfg.Engine.Memory() / 2
	}
	cfg.QueryMemory = orDefault(cfg.QueryMemory, defaultQueryMemory)
	s := &Store{cfg: cfg}
	if err := s.makeDatabase(ctx); err != nil {
		s.Close()
		return nil, err
	}
	var err error
	if s.write, err = s.pool(ctx, cfg.Writers, Database); err == nil {
		s.read, err = s.pool(ctx, cfg.Readers, Database)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Write returns the connections for inserts and DDL.
func (s *Store) Write() driver.Conn { return s.write }

// Read returns the connections for queries.
func (s *Store) Read() driver.Conn { return s.read }

// Close closes the connections when statements under way have ended, which are
// waited for a few seconds. It may be called twice.
func (s *Store) Close() error {
	return errors.Join(s.write.Close(), s.read.Close())
}

// makeDatabase creates the database over a connection that is in none.
func (s *Store) makeDatabase(ctx context.Context) (err error) {
	conn, err := s.pool(ctx, 1, "system")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	engine := ""
	if s.cfg.Engine != nil {
		engine = " ENGINE = Atomic"
	}
	err = conn.Exec(ctx, "CREATE DATABASE IF NOT EXISTS "+Database+engine+
		" COMMENT 'Tributary: lineage, branches and builds, folded from the event log'")
	if err != nil {
		return fmt.Errorf("creating the database %s: %w", Database, err)
	}
	return nil
}

// pool opens connections and checks one.
func (s *Store) pool(ctx context.Context, limit int, database string) (*pool, error) {
	options, sessions, err := s.options(limit, database)
	if err != nil {
		return nil, err
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	p := &pool{Conn: conn, sessions: sessions}
	if err := conn.Ping(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("reaching the store: %w", err), p.Close())
	}
	return p, nil
}

// options says how to connect. With the engine in the process it also makes
// the sessions to run on, which are the caller's to close.
func (s *Store) options(limit int, database string) (*clickhouse.Options, *sessions, error) {
	options := &clickhouse.Options{Protocol: clickhouse.HTTP, Addr: []string{"embedded:0"}}
	var own *sessions
	if s.cfg.DSN != "" {
		var err error
		if options, err = s.serverOptions(); err != nil {
			return nil, nil, err
		}
	} else {
		own = newSessions(s.cfg.Engine, limit, s.settings())
		options.TransportFunc = func(*http.Transport) (http.RoundTripper, error) {
			return &transport{sessions: own}, nil
		}
	}
	options.Auth.Database = database
	options.DialTimeout = dialTimeout
	options.MaxOpenConns, options.MaxIdleConns = limit, limit
	options.ConnMaxLifetime = time.Hour
	options.ClientInfo.Products = append(options.ClientInfo.Products, struct{ Name, Version string }{"tributary", "1"})
	return options, own, nil
}

func (s *Store) serverOptions() (*clickhouse.Options, error) {
	options, err := clickhouse.ParseDSN(s.cfg.DSN)
	if err != nil {
		return nil, fmt.Errorf("reading the store's address: %w", err)
	}
	if s.cfg.TLS != nil {
		options.TLS = s.cfg.TLS
	}
	if options.Settings == nil {
		options.Settings = clickhouse.Settings{}
	}
	for name, value := range s.settings() {
		if _, set := options.Settings[name]; !set {
			options.Settings[name] = value
		}
	}
	return options, nil
}

// settings are those of every connection.
func (s *Store) settings() map[string]string {
	base := map[string]string{
		"max_memory_usage":                   strconv.FormatInt(s.cfg.QueryMemory, 10),
		"max_bytes_before_external_group_by": strconv.FormatInt(s.cfg.QueryMemory/2, 10),
		"max_bytes_before_external_sort":     strconv.FormatInt(s.cfg.QueryMemory/2, 10),
		"max_execution_time":                 strconv.Itoa(statementTime),
		// One insert makes one part: only that is all or nothing.
		"max_insert_block_size":           "1048576",
		"min_insert_block_size_rows":      "1048576",
		"min_insert_block_size_bytes":     "268435456",
		"max_partitions_per_insert_block": "1",
		"async_insert":                    "0",
	}
	if s.cfg.Engine != nil {
		maps.Copy(base, map[string]string{"max_threads": "2", "max_insert_threads": "1"})
	}
	return base
}

func orDefault[T int | int64](value, fallback T) T {
	if value > 0 {
		return value
	}
	return fallback
}
