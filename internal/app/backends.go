package app

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/segmentio/kafka-go/sasl/scram"

	"github.com/tributary-data/tributary/internal/engine"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/schemas/clickhouse"
)

// Progress is told of long work at the start, such as fetching the engine.
type Progress = io.Writer

// engineMemory bounds the embedded engine, so that the process as a whole
// stays below 1.5 GB.
const engineMemory = 768 << 20

// openLog connects to the brokers, or starts the embedded one, and makes the
// topics.
func (a *App) openLog(ctx context.Context) error {
	a.brokers = a.cfg.Log.Brokers
	partitions := a.cfg.Log.Partitions
	if len(a.brokers) == 0 {
		_, port, err := net.SplitHostPort(a.cfg.Log.Listen)
		if err != nil {
			return fmt.Errorf("reading log.listen: %w", err)
		}
		number, err := strconv.Atoi(port)
		if err != nil {
			return fmt.Errorf("reading the port of log.listen: %w", err)
		}
		broker, err := log.StartEmbedded(log.EmbeddedConfig{ //nolint:contextcheck // the broker runs until it is closed
			Dir: filepath.Join(a.cfg.Data, "log"), Port: number, Logger: a.logger,
		})
		if err != nil {
			return err
		}
		a.onStop(func(context.Context) error { return broker.Close() })
		a.brokers = broker.Addrs()
		if partitions == 0 {
			partitions = log.EmbeddedPartitions
		}
	}
	if partitions == 0 {
		partitions = log.ClusterPartitions
	}
	cfg, err := a.logConfig()
	if err != nil {
		return err
	}
	client, err := log.Open(ctx, cfg)
	if err != nil {
		return err
	}
	a.log = client
	a.onStop(func(context.Context) error { return client.Close() })
	return client.EnsureTopics(ctx, log.Topics(partitions))
}

// logConfig says how the brokers are reached.
func (a *App) logConfig() (log.Config, error) {
	set := a.cfg.Log
	cfg := log.Config{Brokers: a.brokers, ClientID: "tributary", Replication: set.Replication, Logger: a.logger}
	if set.TLS {
		cfg.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if set.User != "" {
		mechanism, err := scram.Mechanism(scram.SHA512, set.User, set.Password)
		if err != nil {
			return cfg, fmt.Errorf("preparing to sign in to the brokers: %w", err)
		}
		cfg.SASL = mechanism
	}
	return cfg, nil
}

// needsStore says whether any role of the process uses the store.
func (a *App) needsStore() bool {
	return a.has(RoleParse) || a.has(RoleProject) || a.has(RoleBuild) || a.has(RoleQuery)
}

// openStore connects to the server, or starts the embedded engine, and makes
// the tables.
func (a *App) openStore(ctx context.Context, progress Progress) error {
	if !a.needsStore() {
		return nil
	}
	cfg := store.Config{DSN: a.cfg.Store.DSN, Logger: a.logger}
	if cfg.DSN == "" {
		// A store that no one else reaches makes no sense beside other
		// processes of the same log; one that listens is meant to be shared.
		if len(a.cfg.Log.Brokers) > 0 && len(a.roles) == 1 && a.cfg.Store.Listen == "" {
			return fmt.Errorf("the role %[1]s shares its store with other processes: name it with --store-dsn, such as http://tributary:TOKEN@127.0.0.1:8123/tributary; or have this process keep the embedded store for them, with 'tributary %[1]s --store-listen 127.0.0.1:8123'", a.roles[0])
		}
		library := a.cfg.Store.EngineLib
		if library == "" {
			var err error
			if library, err = engine.Fetch(ctx, engine.FetchConfig{Progress: progress}); err != nil {
				return err
			}
		}
		eng, err := engine.Open(engine.Config{Library: library, Dir: filepath.Join(a.cfg.Data, "store"), Memory: engineMemory})
		if err != nil {
			return err
		}
		a.onStop(func(context.Context) error { return eng.Close() })
		cfg.Engine = eng
	}
	s, err := store.Open(ctx, cfg)
	if err != nil {
		return err
	}
	a.store = s
	a.onStop(func(context.Context) error { return s.Close() })
	if err := s.Migrate(ctx, clickhouse.Migrations); err != nil {
		return err
	}
	if err := a.checkAhead(ctx); err != nil {
		return err
	}
	return a.listenStore() //nolint:contextcheck // it listens until the app stops
}

// listenStore lets other processes use the embedded engine, if the settings
// say so.
func (a *App) listenStore() error {
	cfg := a.cfg.Store
	if cfg.Listen == "" {
		return nil
	}
	token := cfg.Token
	if token == "" {
		var err error
		if token, err = keptToken(filepath.Join(a.cfg.Data, StoreTokenFile)); err != nil {
			return err
		}
	}
	listener, err := a.store.Listen(store.ListenConfig{
		Addr: cfg.Listen, Token: token, ReaderToken: cfg.ReaderToken, Logger: a.logger,
	})
	if err != nil {
		return fmt.Errorf("listening for the store on %s: %w", cfg.Listen, err)
	}
	a.storeAddr = listener.Addr()
	a.onStop(func(context.Context) error { return listener.Close() }) //nolint:contextcheck // closing takes no time
	return nil
}

// StoreTokenFile is the file in the data folder that keeps the password of the
// store's full user.
const StoreTokenFile = "store-token"

// keptToken reads the token in the file, or makes one and keeps it there.
func keptToken(path string) (string, error) {
	raw, err := os.ReadFile(path)
	if err == nil {
		return strings.TrimSpace(string(raw)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("reading the store's token: %w", err)
	}
	token := rand.Text()
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("keeping the store's token: %w", err)
	}
	return token, nil
}
