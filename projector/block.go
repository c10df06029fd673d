package projector

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tributary-data/tributary/internal/store"
)

// column is one column of a block, as the client takes it: whole.
type column interface {
	name() string
	values() any
	take(column)
}

// values are the values of a column of one type.
type values[T any] struct {
	of   string
	rows []T
}

func (c *values[T]) name() string { return c.of }
func (c *values[T]) values() any  { return c.rows }
func (c *values[T]) add(v T)      { c.rows = append(c.rows, v) }

// take adds the rows of a column of the same type.
func (c *values[T]) take(o column) {
	if other, ok := o.(*values[T]); ok {
		c.rows = append(c.rows, other.rows...)
	}
}

func in[T any](of string) values[T] { return values[T]{of: of} }

// block is rows of one table, column by column.
type block struct {
	columns []column
	rows    int
}

func (b *block) take(o *block) {
	for i, c := range b.columns {
		c.take(o.columns[i])
	}
	b.rows += o.rows
}

// insert writes the block into a table of the store in one piece.
func (b *block) insert(ctx context.Context, s *store.Store, table string) (err error) {
	if b.rows == 0 {
		return nil
	}
	names := make([]string, len(b.columns))
	for i, c := range b.columns {
		names[i] = c.name()
	}
	// Rows of one identity in a block are left to merges, as those of two blocks are.
	batch, err := s.Write().PrepareBatch(ctx, "INSERT INTO "+store.Database+"."+table+" ("+strings.Join(names, ", ")+") SETTINGS optimize_on_insert = 0")
	if err != nil {
		return fmt.Errorf("inserting into %s: %w", table, err)
	}
	// A batch that is not closed keeps its connection.
	defer func() { err = errors.Join(err, batch.Close()) }()
	for i, c := range b.columns {
		if err := batch.Column(i).Append(c.values()); err != nil {
			return fmt.Errorf("inserting into %s, column %s: %w", table, c.name(), err)
		}
	}
	if err := batch.Send(); err != nil {
		return fmt.Errorf("inserting %d rows into %s: %w", b.rows, table, err)
	}
	return nil
}
