package store

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// WithColumns returns a context with which an insert into those columns of a
// table does not ask the store for their types first: they are asked for once.
// A table that is changed needs ForgetColumns, which Migrate does.
func (s *Store) WithColumns(ctx context.Context, table string, columns []string) (context.Context, error) {
	types, err := s.columnTypes(ctx, table)
	if err != nil {
		return nil, err
	}
	known := make([]clickhouse.ColumnNameAndType, len(columns))
	for i, name := range columns {
		kind, ok := types[name]
		if !ok {
			return nil, fmt.Errorf("the table %s has no column %s", table, name)
		}
		known[i] = clickhouse.ColumnNameAndType{Name: name, Type: kind}
	}
	return clickhouse.Context(ctx, clickhouse.WithColumnNamesAndTypes(known)), nil
}

// ForgetColumns has the columns of all tables asked for anew.
func (s *Store) ForgetColumns() {
	s.columnsMu.Lock()
	defer s.columnsMu.Unlock()
	s.columns = nil
}

func (s *Store) columnTypes(ctx context.Context, table string) (map[string]string, error) {
	s.columnsMu.Lock()
	defer s.columnsMu.Unlock()
	if types, ok := s.columns[table]; ok {
		return types, nil
	}
	rows, err := s.read.Query(ctx, "SELECT name, type FROM system.columns WHERE database = {database:String} AND table = {table:String}",
		named("database", Database, "table", table)...)
	if err != nil {
		return nil, fmt.Errorf("asking for the columns of %s: %w", table, err)
	}
	defer rows.Close()
	types := map[string]string{}
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			return nil, fmt.Errorf("asking for the columns of %s: %w", table, err)
		}
		types[name] = kind
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("asking for the columns of %s: %w", table, err)
	}
	if len(types) == 0 {
		return nil, fmt.Errorf("there is no table %s in the store", table)
	}
	if s.columns == nil {
		s.columns = map[string]map[string]string{}
	}
	s.columns[table] = types
	return types, nil
}
