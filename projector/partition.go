package projector

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/internal/store"
)

const (
	// batchRecords and batchBytes bound what is folded and written at once.
	batchRecords = 500
	batchBytes   = 8 << 20
	// readAhead is how many answers of the log wait to be folded: the log is
	// not read on while the store is behind.
	readAhead = 4
)

// run folds one partition until it is taken away. A store or a log that fails
// is tried again; only a partition that has lost what is next ends the work.
func (p *Projector) run(ctx context.Context, a log.Assignment) error {
	wait := firstBackoff
	for {
		began := time.Now()
		err := p.work(ctx, a)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the partition is taken away, which is no failure
		}
		if _, gone := errors.AsType[*log.OutOfRangeError](err); gone {
			return fmt.Errorf("folding %s/%d: %w", a.Topic, a.Partition, err)
		}
		if time.Since(began) > mostBackoff {
			wait = firstBackoff
		}
		p.logger.Warn("folding fails, trying again", "topic", a.Topic, "partition", a.Partition, "wait", wait, "error", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait):
		}
		wait = min(2*wait, mostBackoff)
	}
}

// worker folds one partition from where the store says.
type worker struct {
	*Projector
	log.Assignment
	folder folder
	next   int64
}

func (p *Projector) work(ctx context.Context, a log.Assignment) error {
	w := &worker{Projector: p, Assignment: a, folder: p.folder(a)}
	at, err := p.cfg.Store.LoadPosition(ctx, progress.ReaderLineage, a.Topic, int32(a.Partition))
	if err != nil {
		return err
	}
	if err := w.folder.restore(ctx); err != nil {
		return err
	}
	if int(at.Generation) == w.generation() {
		w.next = at.Next
	}
	w.announce()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	read := make(chan []log.Record, readAhead)
	failed := make(chan error, 1)
	go func() {
		defer close(read)
		failed <- p.cfg.Log.Read(ctx, a.Topic, a.Partition, w.next, func(recs []log.Record) error {
			select {
			case read <- recs:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
	}()
	err = w.foldAll(ctx, read)
	cancel()
	for range read { // lets the reader end
	}
	return errors.Join(err, <-failed)
}

func (w *worker) generation() int { return w.cfg.Generations[w.Topic] }

// folder gives the folder of a partition.
func (p *Projector) folder(a log.Assignment) folder {
	d := desk{nodes: p.nodes, partitions: p.partitions[a.Topic], generation: p.cfg.Generations[a.Topic], batch: newBatchNodes()}
	fresh := func() *ownerCache { return newOwnerCache(p.cfg.Store) }
	switch a.Topic {
	case log.TopicTasks:
		return &taskFolder{desk: d, store: p.cfg.Store, partition: a.Partition, fresh: fresh}
	case log.TopicDefinitions:
		return &definitionFolder{desk: d, store: p.cfg.Store}
	}
	return &lineageFolder{desk: d, partition: a.Partition, fresh: fresh}
}

// foldAll folds batch after batch: each is written before the next is folded.
func (w *worker) foldAll(ctx context.Context, read <-chan []log.Record) error {
	for {
		recs, ok := gather(ctx, read)
		if !ok {
			return nil
		}
		b, err := w.fold(ctx, recs)
		if err != nil {
			return err
		}
		next := recs[len(recs)-1].Offset + 1
		b.positions = []store.Position{{Reader: progress.ReaderLineage, Topic: w.Topic, Partition: int32(w.Partition), Generation: uint32(w.generation()), Next: next}}
		rows := b.rows()
		select {
		case <-w.writer.submit(b):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		w.next = next
		w.announce()
		w.metrics.folded(ctx, w.Topic, len(recs), rows)
	}
}

// fold gives the blocks of a batch, for the writer.
func (w *worker) fold(ctx context.Context, recs []log.Record) (*blocks, error) {
	b := w.writer.blank()
	letters, err := w.folder.fold(ctx, recs, b)
	if err == nil {
		err = w.refuse(ctx, letters)
	}
	if err != nil {
		w.writer.drop()
		return nil, err
	}
	return b, nil
}

// gather waits for records and takes all that are there, up to a batch.
func gather(ctx context.Context, read <-chan []log.Record) ([]log.Record, bool) {
	var batch []log.Record
	size := 0
	take := func(recs []log.Record) {
		for i := range recs {
			size += len(recs[i].Key) + len(recs[i].Value)
		}
		batch = append(batch, recs...)
	}
	select {
	case recs, ok := <-read:
		if !ok {
			return nil, false
		}
		take(recs)
	case <-ctx.Done():
		return nil, false
	}
	for len(batch) < batchRecords && size < batchBytes {
		select {
		case recs, ok := <-read:
			if !ok {
				return batch, true
			}
			take(recs)
		default:
			return batch, true
		}
	}
	return batch, true
}

// refuse writes letters and counts them, before the position that passes them.
func (w *worker) refuse(ctx context.Context, letters []deadletter.Letter) error {
	if err := deadletter.Write(ctx, w.cfg.Log, letters); err != nil {
		return err
	}
	for _, l := range letters {
		w.metrics.refused(ctx, l.Topic, l.Fault.Reason)
		w.logger.Warn("a record cannot be read and is a dead letter now", "record", l.String(), "reason", l.Fault.Reason, "detail", l.Fault.Detail)
	}
	return nil
}

func (w *worker) announce() {
	w.cfg.Board.Advance(progress.At{Reader: progress.ReaderLineage, Topic: w.Topic, Partition: w.Partition}, w.next)
}
