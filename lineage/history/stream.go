package history

import (
	"context"
	"sync"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// statement is a query of which each row is read into a T.
type statement[T any] struct {
	query string
	args  []any
	scan  func(driver.Rows, *T) error
}

// lot is how many rows are handed on at once, lots how many such lots there
// are.
const (
	lot  = 4096
	lots = 16
)

// stream runs statements side by side and hands their rows on to use, in lots
// and in any order, so that reading rows and using them go on at once. A lot
// is only good until use returns. Errors say what was being done.
func stream[T any](ctx context.Context, s *Store, doing string, statements []statement[T], use func([]T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	read, spent := make(chan []T, lots), make(chan []T, lots)
	for range lots {
		spent <- make([]T, 0, lot)
	}
	var readers sync.WaitGroup
	for _, q := range statements {
		readers.Go(func() {
			if err := fill(ctx, s, doing, q, read, spent); err != nil {
				cancel(err)
			}
		})
	}
	go func() {
		readers.Wait()
		close(read)
	}()
	for list := range read {
		if ctx.Err() == nil {
			if err := use(list); err != nil {
				cancel(err)
			}
		}
		spent <- list[:0]
	}
	return context.Cause(ctx)
}

// fill reads the rows of one statement into spent lots.
func fill[T any](ctx context.Context, s *Store, doing string, q statement[T], read chan<- []T, spent <-chan []T) error {
	var list []T
	take := func() error {
		select {
		case list = <-spent:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if err := take(); err != nil {
		return err
	}
	err := s.each(ctx, doing, q.query, q.args, func(rows driver.Rows) error {
		list = list[:len(list)+1]
		if err := q.scan(rows, &list[len(list)-1]); err != nil {
			return err
		}
		if len(list) < lot {
			return nil
		}
		read <- list // there is room for all lots
		return take()
	})
	if err == nil {
		read <- list
	}
	return err
}

// idSlices is how many slices of the id space are read at once.
const idSlices = 2

// sliced gives a statement for each slice of the ids that a query's parameters
// first and last bound.
func sliced[T any](query string, scan func(driver.Rows, *T) error, pairs ...any) []statement[T] {
	const width = 1 << 63 / idSlices * 2
	var out []statement[T]
	for i := range uint64(idSlices) {
		first := i * width
		last := first + (width - 1)
		if i == idSlices-1 {
			last = ^uint64(0)
		}
		out = append(out, statement[T]{query, args(append([]any{"first", first, "last", last}, pairs...)...), scan})
	}
	return out
}
