package consumer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/parser"
)

// Config is what a consumer works with.
type Config struct {
	Log   *log.Client
	Store *store.Store
	// Board is told how far the extraction has come; nil if nobody asks.
	Board *progress.Board
	// Group is the consumer group that shares the partitions out:
	// DefaultGroup unless set.
	Group string
	// Generation counts how often tributary.tasks was repartitioned.
	Generation int
	// DefinitionsGeneration does so for tributary.definitions.
	DefinitionsGeneration int
	// Workers is how many scripts are parsed at a time: one for each processor
	// unless set.
	Workers int
	// Limits bound the work on one script; zero fields mean the parser's own,
	// but for the time, which is 10 s.
	Limits parser.Limits
	// Logger and Meter are nil for none.
	Logger *slog.Logger
	Meter  metric.Meter
}

// DefaultGroup is the consumer group of parsers.
const DefaultGroup = "tributary-parser"

// defaultTime bounds a script: what is behind it in its partition waits.
const defaultTime = 10 * time.Second

// Consumer extracts the partitions of tributary.tasks that it owns.
type Consumer struct {
	cfg        Config
	logger     *slog.Logger
	catalog    *catalog
	extractor  *extractor
	pool       *pool
	saver      *saver
	metrics    *metrics
	partitions int

	mu      sync.Mutex
	stop    context.CancelFunc
	ended   chan struct{}
	failure error
}

// New makes a consumer; Start runs it.
func New(cfg Config) *Consumer {
	if cfg.Group == "" {
		cfg.Group = DefaultGroup
	}
	if cfg.Workers <= 0 {
		cfg.Workers = runtime.GOMAXPROCS(0)
	}
	if cfg.Limits.Time <= 0 {
		cfg.Limits.Time = defaultTime
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Meter == nil {
		cfg.Meter = noop.NewMeterProvider().Meter("parser")
	}
	if cfg.Board == nil {
		cfg.Board = progress.NewBoard()
	}
	catalog := newCatalog(cfg.Log, cfg.Logger, cfg.DefinitionsGeneration)
	return &Consumer{cfg: cfg, logger: cfg.Logger, catalog: catalog, extractor: &extractor{catalog: catalog, limits: cfg.Limits}}
}

// Start reads all definitions, joins the group and returns; the work goes on
// until Stop, or until Done tells of a failure. The context bounds the start
// alone.
func (c *Consumer) Start(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != nil {
		return errors.New("the parser was started before")
	}
	var err error
	if c.metrics, err = newMetrics(c.cfg.Meter); err != nil {
		return err
	}
	if c.partitions, err = c.cfg.Log.Partitions(ctx, log.TopicTasks); err != nil {
		return fmt.Errorf("starting the parser: %w", err)
	}
	ends, err := c.cfg.Log.Ends(ctx, log.TopicDefinitions)
	if err != nil {
		return fmt.Errorf("starting the parser: %w", err)
	}
	run, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	var followed sync.WaitGroup
	followed.Go(func() {
		if err := c.catalog.follow(run); run.Err() == nil {
			stop(fmt.Errorf("reading definitions: %w", err))
		}
	})
	if err := c.catalog.await(ctx, ends[0]); err != nil {
		stop(nil)
		followed.Wait()
		return fmt.Errorf("starting the parser: %w", err)
	}
	c.pool, c.saver = newPool(c.cfg.Workers), newSaver(c.cfg.Store, c.logger)
	c.stop, c.ended = func() { stop(nil) }, make(chan struct{})
	go c.consume(run, &followed)
	return nil
}

func (c *Consumer) consume(ctx context.Context, followed *sync.WaitGroup) {
	defer close(c.ended)
	saving, endSaving := context.WithCancel(context.WithoutCancel(ctx))
	var saved sync.WaitGroup
	saved.Go(func() { c.saver.run(saving) })
	err := c.cfg.Log.Consume(ctx, c.cfg.Group, []string{log.TopicTasks}, c.run)
	endSaving() // all partitions have flushed
	saved.Wait()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	c.Cancel()
	followed.Wait()
	c.pool.stop()
	if !errors.Is(err, context.Canceled) {
		c.mu.Lock()
		c.failure = err
		c.mu.Unlock()
	}
}

// Cancel begins to stop without waiting.
func (c *Consumer) Cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != nil {
		c.stop()
	}
}

// Stop ends the work: no more events are read, extractions under way are
// finished and appended, the position is saved, and everything has ended when
// it returns. It may be called twice.
func (c *Consumer) Stop() error {
	c.Cancel()
	c.mu.Lock()
	ended := c.ended
	c.mu.Unlock()
	if ended == nil {
		return nil
	}
	<-ended
	return c.Err()
}

// Done is closed when the work has ended, by Stop or by a failure.
func (c *Consumer) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}

// Err gives the failure that ended the work, nil if there was none.
func (c *Consumer) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failure
}
