package projector

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/internal/store"
)

// Config is what a projector works with.
type Config struct {
	Log   *log.Client
	Store *store.Store
	// Board is told how far the rows have come; nil if nobody asks.
	Board *progress.Board
	// Group is the consumer group that shares the partitions out:
	// DefaultGroup unless set.
	Group string
	// Generations counts, by topic, how often it was repartitioned.
	Generations map[string]int
	// Logger and Meter are nil for none.
	Logger *slog.Logger
	Meter  metric.Meter

	// ID gives ids of nodes: lineage.ID unless set. Tests set one with few
	// values, to see names that share an id.
	ID IDFunc
	// Step is called before each insert with the table's name, for tests that
	// end the process there; nil otherwise.
	Step func(table string)
}

// DefaultGroup is the consumer group of projectors.
const DefaultGroup = "tributary-projector"

// Projector folds the partitions that it owns into the store.
type Projector struct {
	cfg        Config
	logger     *slog.Logger
	nodes      *nodeSet
	writer     *writer
	partitions map[string]int
	metrics    *metrics

	mu       sync.Mutex
	started  bool
	stop     context.CancelFunc
	consumed chan struct{}
	failure  error
}

// topics are those that a projector of lineage folds.
func topics() []string {
	return []string{log.TopicTasks, log.TopicDefinitions, log.TopicLineage}
}

// New makes a projector; Start runs it.
func New(cfg Config) *Projector {
	if cfg.Group == "" {
		cfg.Group = DefaultGroup
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Board == nil {
		cfg.Board = progress.NewBoard()
	}
	if cfg.Meter == nil {
		cfg.Meter = noop.NewMeterProvider().Meter("projector")
	}
	if cfg.ID == nil {
		cfg.ID = lineage.ID
	}
	return &Projector{
		cfg: cfg, logger: cfg.Logger, nodes: newNodeSet(cfg.Store, cfg.ID),
		writer: newWriter(cfg.Store, cfg.Logger, cfg.Step), partitions: map[string]int{},
	}
}

// Start joins the group and returns once the log and the store answer; the
// work goes on until Stop, or until Done tells of a failure. The context
// bounds the start alone.
func (p *Projector) Start(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started {
		return errors.New("the projector was started before")
	}
	var err error
	if p.metrics, err = newMetrics(p.cfg.Meter); err != nil {
		return err
	}
	for _, topic := range topics() {
		if p.partitions[topic], err = p.cfg.Log.Partitions(ctx, topic); err != nil {
			return fmt.Errorf("starting the projector: %w", err)
		}
	}
	if _, err := p.cfg.Store.LoadPositions(ctx, progress.ReaderLineage); err != nil {
		return fmt.Errorf("starting the projector: %w", err)
	}
	p.started = true
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	p.stop, p.consumed = stop, make(chan struct{})
	written := make(chan struct{})
	writing, endWriting := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(written)
		p.writer.run(writing)
	}()
	restored := make(chan struct{})
	go func() {
		defer close(restored)
		if err := p.nodes.restore(run); err != nil && run.Err() == nil {
			p.logger.Warn("new nodes are looked up in the store, which costs time", "error", err)
		}
	}()
	go func() {
		defer close(p.consumed)
		err := p.cfg.Log.Consume(run, p.cfg.Group, topics(), p.run)
		p.writer.drain(drainTime)
		endWriting()
		<-written
		<-restored
		if run.Err() == nil {
			p.mu.Lock()
			p.failure = err
			p.mu.Unlock()
		}
	}()
	return nil
}

// drainTime bounds how long rows that wait are still written at a stop. What
// is not written by then is folded again by whoever comes next.
const drainTime = 10 * time.Second

// Stop ends the work: no more records are read, what was folded is written,
// and everything has ended when it returns. It may be called twice.
func (p *Projector) Stop() error {
	p.mu.Lock()
	stop, consumed := p.stop, p.consumed
	p.mu.Unlock()
	if stop == nil {
		return nil
	}
	stop()
	<-consumed
	return p.Err()
}

// Done is closed when the work has ended, by Stop or by a failure.
func (p *Projector) Done() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.consumed
}

// Err gives the failure that ended the work, nil if there was none.
func (p *Projector) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failure
}
