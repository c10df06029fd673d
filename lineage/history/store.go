package history

import (
	"context"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/schemas/name"
)

// Store reads lineage from the store. It is safe for concurrent use.
type Store struct {
	store       *store.Store
	log         Log
	generations map[string]int
}

// Log tells which offsets there were at a time.
type Log interface {
	OffsetsAt(ctx context.Context, topic string, at time.Time) ([]int64, error)
}

// New makes a reader of a store. The log may be nil if nobody asks for a time.
// Generations counts, by topic, how often it was repartitioned.
func New(s *store.Store, l Log, generations map[string]int) *Store {
	return &Store{store: s, log: l, generations: generations}
}

// args makes the parameters of a statement from names and values.
func args(pairs ...any) []any {
	out := make([]any, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		out = append(out, clickhouse.Named(pairs[i].(string), pairs[i+1])) //nolint:forcetypeassert // each name is written beside its value
	}
	return out
}

// each runs a statement and calls scan for each of its rows. Errors say what
// was being done.
func (s *Store) each(ctx context.Context, doing, query string, args []any, scan func(rows driver.Rows) error) error {
	rows, err := s.store.Read().Query(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// taskID gives the id that rows carry for a task, or for the node that people
// drew edges into.
func taskID(task string) uint64 { return name.ID(task) }

// sourceOf gives the source of an owner's edges from their origin.
func sourceOf(o lineage.Origin) lineage.Source {
	switch o {
	case lineage.OriginObserved:
		return lineage.SourceRuns
	case lineage.OriginManual:
		return lineage.SourcePeople
	}
	return lineage.SourceDefinition
}

// isSpec reports whether an owner is what a job spec says.
func isSpec(k lineage.OwnerKey) bool {
	return k.Source == lineage.SourceDefinition && name.IsJobSpec(k.Task)
}

// reader is the one whose saved positions say how far the rows come.
const reader = progress.ReaderLineage
