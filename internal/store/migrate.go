package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/pressly/goose/v3"
)

// migrationsTable is where goose notes what it has applied.
const migrationsTable = Database + ".schema_versions"

// Migrate brings the tables to the state that the migrations describe, files
// such as 00101_create_nodes.sql. Each is one statement that may be repeated,
// since ClickHouse has no transactions around DDL, and so a file is handed over
// as it stands: with or without a semicolon at its end, and with any inside.
func (s *Store) Migrate(ctx context.Context, migrations fs.FS) (err error) {
	steps, err := readMigrations(migrations)
	if err != nil {
		return fmt.Errorf("reading the migrations: %w", err)
	}
	// Goose keeps a connection to itself while a step runs on another.
	options, sessions, err := s.options(2, Database)
	if err != nil {
		return err
	}
	db := clickhouse.OpenDB(options)
	defer func() { err = errors.Join(err, db.Close(), sessions.close()) }()
	provider, err := goose.NewProvider(goose.DialectClickHouse, db, nil, goose.WithTableName(migrationsTable),
		goose.WithGoMigrations(steps...), goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()), goose.WithIsolateDDL(true))
	if err != nil {
		return fmt.Errorf("reading the migrations: %w", err)
	}
	results, err := provider.Up(ctx)
	s.ForgetColumns()
	if n := len(results); n > 0 && err == nil {
		s.cfg.Logger.Info("migrated the store", "steps", n, "version", results[n-1].Source.Version)
	}
	if err != nil {
		return fmt.Errorf("migrating the store: %w", err)
	}
	return nil
}

// readMigrations makes a step of each file, numbered by the file's name.
func readMigrations(migrations fs.FS) ([]*goose.Migration, error) {
	files, err := fs.Glob(migrations, "*.sql")
	if err != nil {
		return nil, err
	}
	steps := make([]*goose.Migration, 0, len(files))
	for _, file := range files {
		number, _, _ := strings.Cut(path.Base(file), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s does not begin with a number", file)
		}
		text, err := fs.ReadFile(migrations, file)
		if err != nil {
			return nil, err
		}
		statement := strings.TrimRight(string(text), "; \t\r\n")
		steps = append(steps, goose.NewGoMigration(version, &goose.GoFunc{
			RunDB: func(ctx context.Context, db *sql.DB) error {
				if _, err := db.ExecContext(ctx, statement); err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
				return nil
			},
		}, nil))
	}
	return steps, nil
}
