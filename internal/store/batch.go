package store

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Batch collects rows of one table and inserts them at once: all of them or,
// when it fails, none, as far as the table has no partitions.
type Batch struct {
	store   *Store
	table   string
	columns []string
	rows    [][]any
	wrong   error
}

// MaxBatchRows is how many rows one insert may have and still be one block.
const MaxBatchRows = 500_000

var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// NewBatch begins a batch for a table of the product's database.
func (s *Store) NewBatch(table string, columns ...string) *Batch {
	b := &Batch{store: s, table: table, columns: columns}
	for _, name := range append([]string{table}, columns...) {
		if !plainName.MatchString(name) {
			b.wrong = fmt.Errorf("%q is not the name of a table or column here", name)
		}
	}
	return b
}

// Append adds a row, a value for each column. A wrong value fails Send.
func (b *Batch) Append(values ...any) {
	if len(values) != len(b.columns) {
		b.wrong = fmt.Errorf("a row of %s has %d values for %d columns", b.table, len(values), len(b.columns))
	}
	b.rows = append(b.rows, values)
}

// Len is the number of rows.
func (b *Batch) Len() int { return len(b.rows) }

// Send inserts the rows and returns when they are on disk. With no rows it does
// nothing. A batch that failed may be sent again: rows are keyed, and written
// twice they count once.
func (b *Batch) Send(ctx context.Context) error {
	switch {
	case b.wrong != nil:
		return fmt.Errorf("inserting into %s: %w", b.table, b.wrong)
	case len(b.rows) > MaxBatchRows:
		return fmt.Errorf("inserting into %s: %d rows do not fit into one block of %d", b.table, len(b.rows), MaxBatchRows)
	case len(b.rows) == 0:
		return nil
	}
	if err := b.send(ctx); err != nil {
		// The table may have been changed since its columns were asked for.
		b.store.ForgetColumns()
		return fmt.Errorf("inserting into %s: %w", b.table, err)
	}
	return nil
}

func (b *Batch) send(ctx context.Context) (err error) {
	ctx, err = b.store.WithColumns(ctx, b.table, b.columns)
	if err != nil {
		return err
	}
	insert := "INSERT INTO " + Database + "." + b.table + " (" + strings.Join(b.columns, ", ") + ")"
	batch, err := b.store.write.PrepareBatch(ctx, insert)
	if err != nil {
		return err
	}
	// A batch that is not closed keeps its connection.
	defer func() { err = errors.Join(err, batch.Close()) }()
	for _, row := range b.rows {
		if err := batch.Append(row...); err != nil {
			return err
		}
	}
	return batch.Send()
}

// named gives query arguments their names, in pairs of name and value.
func named(pairs ...any) []any {
	args := make([]any, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		args = append(args, clickhouse.Named(fmt.Sprint(pairs[i]), pairs[i+1]))
	}
	return args
}
