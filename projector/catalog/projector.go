package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v4"

	fold "github.com/tributary-data/tributary/fold/catalog"
	"github.com/tributary-data/tributary/internal/catalogfold"
	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/internal/store"
)

// Reader is the name under which the projector saves its positions and announces its progress.
const Reader = "catalog"

// Log is what the projector needs of the log; *log.Client has it.
type Log interface {
	catalogfold.Reader
	deadletter.Appender
	Partitions(ctx context.Context, topic string) (int, error)
	Consume(ctx context.Context, group string, topics []string, run func(context.Context, log.Assignment) error) error
}

// Config says what a projector works with. Log and Store are needed, the rest has defaults.
type Config struct {
	Log   Log
	Store *store.Store
	// Board is told how far the rows have come; nil if nobody asks.
	Board  *progress.Board
	Logger *slog.Logger
	// Group shares the partitions out, "tributary-catalog" unless set.
	Group string
	// Generation counts how often the topic was repartitioned.
	Generation int
	// SnapshotEvery is how many events may lie between two snapshots, 100,000 unless set.
	SnapshotEvery int64
	// BatchBytes is how large the rows are about which one position proves, and those of one insert: 16 MiB
	// unless set. The store takes an insert whole into memory. One event's rows may be larger; they are
	// inserted in parts.
	BatchBytes int
	// Step is called before each insert with the table's name, for tests that end the work there.
	Step func(table string) error
}

// Projector writes the rows of the partitions that it owns.
type Projector struct {
	cfg        Config
	partitions int
	cancel     context.CancelFunc
	done       chan struct{}
	stop       sync.Once
	failure    error
}

// New returns a projector that Start starts.
func New(cfg Config) *Projector {
	if cfg.Board == nil {
		cfg.Board = progress.NewBoard()
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Group == "" {
		cfg.Group = "tributary-catalog"
	}
	if cfg.SnapshotEvery == 0 {
		cfg.SnapshotEvery = 100_000
	}
	if cfg.BatchBytes == 0 {
		cfg.BatchBytes = 16 << 20
	}
	if cfg.Step == nil {
		cfg.Step = func(string) error { return nil }
	}
	return &Projector{cfg: cfg, done: make(chan struct{})}
}

// Start joins the group; the work goes on until Stop.
func (p *Projector) Start(ctx context.Context) error {
	n, err := p.cfg.Log.Partitions(ctx, log.TopicCatalog)
	if err != nil {
		return fmt.Errorf("starting the projector of the catalog: %w", err)
	}
	p.partitions = n
	running, cancel := context.WithCancel(context.WithoutCancel(ctx)) //nolint:gosec // Stop calls it
	p.cancel = cancel
	go func() {
		defer close(p.done)
		err := p.cfg.Log.Consume(running, p.cfg.Group, []string{log.TopicCatalog}, p.run)
		if err != nil && !errors.Is(err, context.Canceled) {
			p.failure = err
		}
	}()
	return nil
}

// Done is closed when the projector has ended.
func (p *Projector) Done() <-chan struct{} { return p.done }

// Stop ends the projector, waits for it and returns why it failed, if it did. It may be called twice.
func (p *Projector) Stop() error {
	if p.cancel == nil {
		return nil
	}
	p.stop.Do(p.cancel)
	<-p.done
	return p.failure
}

// run projects a partition for as long as it is owned. A store or log that fails is tried again.
func (p *Projector) run(ctx context.Context, a log.Assignment) error {
	wait := backoff.NewExponentialBackOff(backoff.WithMaxElapsedTime(0))
	for {
		err := p.Project(ctx, a.Partition)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the partition was taken away
		}
		if _, gone := errors.AsType[*log.OutOfRangeError](err); gone {
			return fmt.Errorf("projecting partition %d of the catalog: %w", a.Partition, err)
		}
		p.cfg.Logger.WarnContext(ctx, "projecting the catalog fails, trying again", "partition", a.Partition, "error", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(wait.NextBackOff()):
		}
	}
}

// worker projects one partition.
type worker struct {
	*Projector
	partition int
	state     *fold.State
	saved     int64 // where the newest snapshot stands
}

// Project projects a partition until the context ends or something fails.
func (p *Projector) Project(ctx context.Context, partition int) error {
	state, err := catalogfold.Recover(ctx, catalogfold.StoreSnapshots{Store: p.cfg.Store}, partition)
	if err != nil {
		return err
	}
	w := &worker{Projector: p, partition: partition, state: state, saved: state.Next()}
	return catalogfold.Follow(ctx, p.cfg.Log, partition, p.partitions, state.Next(), func(recs []catalogfold.Record) error {
		return w.project(ctx, recs)
	})
}

// project folds records and writes their rows.
func (w *worker) project(ctx context.Context, recs []catalogfold.Record) error {
	r := w.rows()
	for i := range recs {
		if recs[i].Fault != nil {
			r.letters = append(r.letters, deadletter.New(recs[i].Raw, recs[i].Fault))
			w.state.Skip(recs[i].Raw.Offset + 1)
			continue
		}
		w.state.Apply(recs[i].Event)
		r.take(w.state.Changes())
		if r.bytes >= w.cfg.BatchBytes {
			if err := w.prove(ctx, r); err != nil {
				return err
			}
			r = w.rows()
		}
	}
	return w.prove(ctx, r)
}

func (w *worker) rows() *rows { return newRows(w.partition, w.cfg.Generation) }

// prove writes rows, then the position that they prove.
func (w *worker) prove(ctx context.Context, r *rows) error {
	if err := deadletter.Write(ctx, w.cfg.Log, r.letters); err != nil {
		return err
	}
	if err := w.write(ctx, r); err != nil {
		return err
	}
	position := store.Position{Reader: Reader, Topic: log.TopicCatalog, Partition: int32(w.partition), Generation: uint32(w.cfg.Generation), Next: w.state.Next()}
	if err := w.cfg.Store.SavePosition(ctx, position); err != nil {
		return err
	}
	w.cfg.Board.Advance(progress.At{Reader: Reader, Topic: log.TopicCatalog, Partition: w.partition}, w.state.Next())
	return w.snapshot(ctx)
}

func (w *worker) write(ctx context.Context, r *rows) error {
	for _, t := range tables {
		for list := r.byTable[t.name]; len(list) > 0; {
			if err := w.cfg.Step(t.name); err != nil {
				return err
			}
			batch := w.cfg.Store.NewBatch(t.name, t.columns...)
			for size := 0; len(list) > 0 && size < w.cfg.BatchBytes && batch.Len() < store.MaxBatchRows; list = list[1:] {
				batch.Append(list[0].values...)
				size += list[0].bytes
			}
			if err := batch.Send(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// snapshot saves the state once enough has happened since the last time.
func (w *worker) snapshot(ctx context.Context) error {
	if w.state.Next()-w.saved < w.cfg.SnapshotEvery {
		return nil
	}
	if err := w.cfg.Step("catalog_snapshots"); err != nil {
		return err
	}
	err := catalogfold.StoreSnapshots{Store: w.cfg.Store}.Save(ctx, w.partition, w.state.Next(), w.state.Snapshot())
	if err == nil {
		w.saved = w.state.Next()
	}
	return err
}
