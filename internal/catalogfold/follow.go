// Package catalogfold keeps a process's fold of tributary.catalog: it begins with the newest snapshot in
// the store and follows a partition from there. Every role that needs the catalog folds it for itself.
package catalogfold

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/tributary-data/tributary/fold/catalog"
	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/event"
)

// Reader reads a partition of the log; *log.Client is one.
type Reader interface {
	Read(ctx context.Context, topic string, partition int, from int64, fn func([]log.Record) error) error
	ReadUntil(ctx context.Context, topic string, partition int, from, until int64, fn func([]log.Record) error) error
}

// Snapshots finds the newest saved state of a partition: its bytes, or nil if there is none.
type Snapshots interface {
	Load(ctx context.Context, partition int) ([]byte, error)
}

// Record is a record of tributary.catalog: an event, or why there is none.
type Record struct {
	Raw   *log.Record
	Event *catalog.Event
	Fault *deadletter.Fault
}

// few is the number of records that one goroutine decodes as fast as two.
const few = 64

// Decode decodes records of a topic with so many partitions, in order, on all cores.
func Decode(raw []log.Record, partitions int) []Record {
	recs := make([]Record, len(raw))
	workers := min(runtime.GOMAXPROCS(0), 1+len(raw)/few)
	size := (len(raw) + workers - 1) / workers
	var wg sync.WaitGroup
	for from := 0; from < len(raw); from += size {
		until := min(from+size, len(raw))
		wg.Go(func() {
			for i := from; i < until; i++ {
				recs[i] = decode(&raw[i], partitions)
			}
		})
	}
	wg.Wait()
	return recs
}

func decode(raw *log.Record, partitions int) Record {
	ev, fault := deadletter.Judge(raw, partitions)
	if fault != nil {
		return Record{Raw: raw, Fault: fault}
	}
	if ev.Time.IsZero() {
		ev.Time = raw.Time
	}
	data, ok := ev.Data.(event.CatalogEvent)
	if !ok {
		return Record{Raw: raw, Fault: &deadletter.Fault{Reason: deadletter.ReasonWrongTopic, Detail: ev.Type + " is no event of the catalog"}}
	}
	return Record{Raw: raw, Event: &catalog.Event{
		Offset: raw.Offset, Source: ev.Source, ID: ev.ID, Time: ev.Time, Type: ev.Type, Data: data,
	}}
}

// Recover returns the newest saved state of a partition, or the state before its first event if none
// was saved or none can be read.
func Recover(ctx context.Context, snapshots Snapshots, partition int) (*catalog.State, error) {
	if snapshots == nil {
		return catalog.New(), nil
	}
	saved, err := snapshots.Load(ctx, partition)
	if err != nil {
		return nil, fmt.Errorf("loading the snapshot of partition %d of the catalog: %w", partition, err)
	}
	if saved == nil {
		return catalog.New(), nil
	}
	state, err := catalog.Restore(saved)
	if err != nil {
		// The log has everything; a snapshot only saves time.
		return catalog.New(), nil //nolint:nilerr
	}
	return state, nil
}

// Follow gives fn the records of a partition from an offset on, decoded, in batches, until the context
// ends or fn fails. While fn works on one batch the next is decoded.
func Follow(ctx context.Context, reader Reader, partition, partitions int, from int64, fn func([]Record) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	batches := make(chan []Record, 2)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(batches)
		err := reader.Read(ctx, log.TopicCatalog, partition, from, func(raw []log.Record) error {
			select {
			case batches <- Decode(raw, partitions):
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
		cancel(err)
	})
	var failed error
	for recs := range batches {
		if failed == nil {
			if failed = fn(recs); failed != nil {
				cancel(failed)
			}
		}
	}
	wg.Wait()
	if failed != nil {
		return failed
	}
	return context.Cause(ctx)
}
