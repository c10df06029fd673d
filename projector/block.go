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
	all() any
	// blank says that all rows have what the table puts in for a column that
	// is not given.
	blank() bool
	reset()
}

// values are the values of a column of one type.
type values[T any] struct {
	of   string
	rows []T
}

func (c *values[T]) name() string { return c.of }
func (c *values[T]) all() any     { return c.rows }
func (c *values[T]) add(v T)      { c.rows = append(c.rows, v) }
func (*values[T]) blank() bool    { return false }

// reset empties the column and keeps its memory for other rows.
func (c *values[T]) reset() {
	clear(c.rows)
	c.rows = c.rows[:0]
}

func in[T any](of string) values[T] { return values[T]{of: of} }

// seldom are the values of a column that has its table's default in most rows.
// A block without any other is inserted without the column, which neither the
// client nor the store then needs to go through.
type seldom[T comparable] struct {
	values[T]
	usual T
	other bool
}

func (c *seldom[T]) add(v T) {
	c.values.add(v)
	c.other = c.other || v != c.usual
}

func (c *seldom[T]) blank() bool { return !c.other }

func (c *seldom[T]) reset() {
	c.values.reset()
	c.other = false
}

// few gives a column whose default in the table is usual.
func few[T comparable](of string, usual T) seldom[T] {
	return seldom[T]{values: in[T](of), usual: usual}
}

// block is rows of one table, column by column.
type block struct {
	columns []column
	rows    int
}

func (b *block) reset() {
	for _, c := range b.columns {
		c.reset()
	}
	b.rows = 0
}

// insert writes blocks of one kind into a table of the store in one piece.
func insert(ctx context.Context, s *store.Store, table string, parts []*block) error {
	rows := 0
	for _, b := range parts {
		rows += b.rows
	}
	if rows == 0 {
		return nil
	}
	if err := insertRows(ctx, s, table, parts); err != nil {
		// The table may have been changed since its columns were asked for.
		s.ForgetColumns()
		return fmt.Errorf("inserting %d rows into %s: %w", rows, table, err)
	}
	return nil
}

func insertRows(ctx context.Context, s *store.Store, table string, parts []*block) (err error) {
	given, names := givenColumns(parts)
	ctx, err = s.WithColumns(ctx, table, names)
	if err != nil {
		return err
	}
	// Rows of one identity in a block are left to merges, as those of two blocks are.
	batch, err := s.Write().PrepareBatch(ctx, "INSERT INTO "+store.Database+"."+table+" ("+strings.Join(names, ", ")+") SETTINGS optimize_on_insert = 0")
	if err != nil {
		return err
	}
	// A batch that is not closed keeps its connection.
	defer func() { err = errors.Join(err, batch.Close()) }()
	for at, i := range given {
		for _, b := range parts {
			if b.rows == 0 {
				continue
			}
			if err := batch.Column(at).Append(b.columns[i].all()); err != nil {
				return fmt.Errorf("column %s: %w", names[at], err)
			}
		}
	}
	return batch.Send()
}

// givenColumns gives the places and names of the columns that any of the
// blocks has values for.
func givenColumns(parts []*block) (given []int, names []string) {
	for i, c := range parts[0].columns {
		for _, b := range parts {
			if b.rows > 0 && !b.columns[i].blank() {
				given, names = append(given, i), append(names, c.name())
				break
			}
		}
	}
	return given, names
}
