package builder

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/tributary-data/tributary/internal/catalogfold"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/api/catalogapi"
)

// Log is what the service needs of the log; *log.Client has it.
type Log interface {
	catalogfold.Reader
	Append(ctx context.Context, recs []log.Record) ([]log.Position, error)
	Ends(ctx context.Context, topic string) ([]int64, error)
	Consume(ctx context.Context, group string, topics []string, run func(context.Context, log.Assignment) error) error
}

// Config says what a service works with. Log is needed, the rest has defaults.
type Config struct {
	Log Log
	// Snapshots shorten the start; without them the log is folded from its first event.
	Snapshots catalogfold.Snapshots
	// Tasks saves how far job specs have been written as tasks; without it they are not.
	Tasks TaskPositions
	// Logger and Meter are nil for none.
	Logger *slog.Logger
	Meter  metric.Meter
	// Now is the clock that times leases and backoff; time.Now unless set.
	Now func() time.Time
	// Lease is how long a runner may be silent, 30 s unless set.
	Lease time.Duration
	// Backoff is the wait before the first retry, doubled for each further one up to a minute; 1 s
	// unless set.
	Backoff time.Duration
	// Tick is how often leases are looked at, a tenth of Lease unless set.
	Tick time.Duration
}

// Service is the build role.
type Service struct {
	cfg        Config
	partitions []*partition
	metrics    *metrics
	cancel     context.CancelFunc
	work       sync.WaitGroup
	done       chan struct{}
	stop       sync.Once
	mu         sync.Mutex
	failure    error
}

// New returns a service that Start starts.
func New(cfg Config) *Service {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Meter == nil {
		cfg.Meter = noop.NewMeterProvider().Meter("builder")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Lease == 0 {
		cfg.Lease = 30 * time.Second
	}
	if cfg.Backoff == 0 {
		cfg.Backoff = time.Second
	}
	if cfg.Tick == 0 {
		cfg.Tick = max(cfg.Lease/10, 10*time.Millisecond)
	}
	return &Service{cfg: cfg, done: make(chan struct{})}
}

// Start recovers the state of all partitions and returns when it has folded what the log holds.
func (s *Service) Start(ctx context.Context) error {
	ends, err := s.cfg.Log.Ends(ctx, log.TopicCatalog)
	if err != nil {
		return fmt.Errorf("asking for the end of the catalog: %w", err)
	}
	s.partitions = make([]*partition, len(ends))
	for i := range ends {
		state, err := catalogfold.Recover(ctx, s.cfg.Snapshots, i)
		if err != nil {
			return err
		}
		s.partitions[i] = newPartition(s, i, len(ends), state)
	}
	if s.metrics, err = s.newMetrics(s.cfg.Meter); err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	for _, p := range s.partitions {
		s.run(func() error { return p.follow(running) })
	}
	s.run(func() error {
		return s.cfg.Log.Consume(running, "tributary-build", []string{log.TopicCatalog}, s.drive)
	})
	go s.end()
	for i, p := range s.partitions {
		if err := p.waitFor(ctx, ends[i]-1); err != nil {
			return errors.Join(fmt.Errorf("folding partition %d of the catalog: %w", i, err), s.Stop())
		}
	}
	return nil
}

// end closes done when all parts have ended.
func (s *Service) end() {
	s.work.Wait()
	if err := s.metrics.observing.Unregister(); err != nil {
		s.cfg.Logger.Warn("the builder's metrics could not be taken back", "error", err)
	}
	close(s.done)
}

// run keeps a part of the service going; if it fails, the service ends.
func (s *Service) run(part func() error) {
	s.work.Go(func() {
		err := part()
		if err != nil && !errors.Is(err, context.Canceled) {
			s.mu.Lock()
			s.failure = errors.Join(s.failure, err)
			s.mu.Unlock()
			s.cancel()
		}
	})
}

// Done is closed when the service has ended.
func (s *Service) Done() <-chan struct{} { return s.done }

// Stop ends the service, waits for it and returns why it failed, if it did. It may be called twice.
func (s *Service) Stop() error {
	if s.cancel == nil {
		return nil
	}
	s.stop.Do(s.cancel)
	<-s.done
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

// Register mounts the routes of the catalog API.
func (s *Service) Register(mux *http.ServeMux) {
	catalogapi.HandlerWithOptions(s, catalogapi.StdHTTPServerOptions{
		BaseRouter: mux,
		ErrorHandlerFunc: func(w http.ResponseWriter, _ *http.Request, err error) {
			refuse(w, &problem{status: http.StatusBadRequest, code: "InvalidRequest", message: err.Error()})
		},
	})
}

// of returns the partition that a space is in.
func (s *Service) of(space string) *partition {
	return s.partitions[log.PartitionOf([]byte(space), len(s.partitions))]
}
