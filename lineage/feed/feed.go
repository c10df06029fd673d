package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/lineage/graph"
)

// Log is what the feed reads from.
type Log interface {
	Partitions(ctx context.Context, topic string) (int, error)
	Ends(ctx context.Context, topic string) ([]int64, error)
	Read(ctx context.Context, topic string, partition int, from int64, fn func([]log.Record) error) error
}

// Store is what the graph is loaded from.
type Store interface {
	// Load fills a graph with what is there now, and gives, for each topic, the
	// offset of each partition to read on from. It may fill in more than lies
	// before them.
	Load(ctx context.Context, l *graph.Loader) (map[string][]int64, error)
	// Owners gives the state of owners as the fold left it; those that it does
	// not know are absent.
	Owners(ctx context.Context, keys []lineage.OwnerKey) (map[lineage.OwnerKey]*lineage.Owner, error)
}

// Config is what a feed works with. Store may be nil: the log is then folded
// from its beginning.
type Config struct {
	Log   Log
	Store Store
	// Generations counts, by topic, how often it was repartitioned.
	Generations map[string]int
	Logger      *slog.Logger
	// Gather is how long a batch of records may wait for more before readers
	// see it.
	Gather time.Duration
}

// defaultGather keeps snapshots from being made more often than anybody asks.
const defaultGather = 5 * time.Millisecond

// Feed is a graph that follows the log. Its methods are safe for concurrent
// use once it was made.
type Feed struct {
	cfg    Config
	graph  *graph.Graph
	folder *folder

	mu      sync.Mutex
	changed chan struct{}  // closed when a new snapshot is there
	read    graph.Position // how far all topics were read
	stop    context.CancelFunc
	done    chan struct{}
	failure error
}

// New makes a feed; Start runs it.
func New(cfg Config) *Feed {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Gather == 0 {
		cfg.Gather = defaultGather
	}
	g := graph.New()
	return &Feed{cfg: cfg, graph: g, folder: newFolder(g, cfg), changed: make(chan struct{}), done: make(chan struct{})}
}

// Current gives the latest snapshot; it never waits.
func (f *Feed) Current() *graph.Snapshot { return f.graph.Current() }

// WaitFor gives a snapshot that covers a position, or the context's error.
func (f *Feed) WaitFor(ctx context.Context, p graph.Position) (*graph.Snapshot, error) {
	var s *graph.Snapshot
	err := f.wait(ctx, func() bool {
		s = f.Current()
		return s.Position().Covers(p)
	})
	return s, err
}

// wait returns once there is what is asked for, which it asks again after
// each batch.
func (f *Feed) wait(ctx context.Context, there func() bool) error {
	for {
		f.mu.Lock()
		changed := f.changed
		f.mu.Unlock()
		if there() {
			return nil
		}
		select {
		case <-changed:
		case <-f.done:
			return errors.New("the graph no longer follows the log")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Start loads the graph and begins to follow the log. It returns when the
// graph is as new as the log was at the call.
func (f *Feed) Start(ctx context.Context) error {
	if f.stop != nil {
		return errors.New("the feed was started before")
	}
	from, err := f.load(ctx)
	if err != nil {
		return err
	}
	ends, err := f.ends(ctx)
	if err != nil {
		return err
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	f.stop = stop
	go f.run(run, from)
	err = f.wait(ctx, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.read.Covers(ends)
	})
	if err != nil {
		return errors.Join(fmt.Errorf("catching up with the log: %w", err), f.Stop())
	}
	return nil
}

// Done is closed when the feed has ended; Stop says why.
func (f *Feed) Done() <-chan struct{} { return f.done }

// Stop ends the feed, waits for it, and gives what ended it before, if
// anything did. It may be called twice.
func (f *Feed) Stop() error {
	if f.stop == nil {
		return nil
	}
	f.stop()
	<-f.done
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failure
}

// topics are those that the feed reads.
func topics() []string { return []string{log.TopicDefinitions, log.TopicLineage, log.TopicTasks} }

// load fills the graph from the store, and gives where to read on.
func (f *Feed) load(ctx context.Context) (map[string][]int64, error) {
	from := map[string][]int64{}
	if f.cfg.Store != nil {
		began := time.Now()
		l := f.graph.Load()
		var err error
		if from, err = f.cfg.Store.Load(ctx, l); err != nil {
			return nil, fmt.Errorf("loading the graph: %w", err)
		}
		for _, err := range l.Collisions() {
			f.cfg.Logger.Error("a name is left out of the graph", "error", err)
		}
		s := l.Finish(graph.Position{})
		c := s.Counts()
		f.cfg.Logger.Info("the graph is loaded", "nodes", c.Nodes, "columns", c.Columns, "edges", c.Table+c.Direct+c.Indirect, "took", time.Since(began).Round(time.Millisecond))
	}
	for _, topic := range topics() {
		n, err := f.cfg.Log.Partitions(ctx, topic)
		if err != nil {
			return nil, fmt.Errorf("counting the partitions of %s: %w", topic, err)
		}
		for len(from[topic]) < n {
			from[topic] = append(from[topic], 0)
		}
	}
	// Definitions are small, and every process that looks names up reads them
	// whole.
	from[log.TopicDefinitions] = make([]int64, len(from[log.TopicDefinitions]))
	f.folder.begin(from)
	// The log may bring nothing for long, and what was loaded answers till then.
	f.graph.Begin().Commit(f.folder.position())
	f.read = f.folder.next.Clone()
	return from, nil
}

// ends gives the position of the log's end.
func (f *Feed) ends(ctx context.Context) (graph.Position, error) {
	p := graph.Position{}
	for _, topic := range topics() {
		ends, err := f.cfg.Log.Ends(ctx, topic)
		if err != nil {
			return nil, fmt.Errorf("finding the end of %s: %w", topic, err)
		}
		p[topic] = ends
	}
	return p, nil
}

// run reads all partitions, and folds what they bring, one batch after the
// other.
func (f *Feed) run(ctx context.Context, from map[string][]int64) {
	defer close(f.done)
	// Few answers of the log wait: the log is not read on while folding is behind.
	read := make(chan []log.Record, 8)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var readers sync.WaitGroup
	for topic, offsets := range from {
		for partition, offset := range offsets {
			readers.Go(func() {
				err := f.cfg.Log.Read(ctx, topic, partition, offset, func(recs []log.Record) error {
					select {
					case read <- recs:
						return nil
					case <-ctx.Done():
						return context.Cause(ctx)
					}
				})
				if err != nil && ctx.Err() == nil {
					cancel(fmt.Errorf("reading %s/%d: %w", topic, partition, err))
				}
			})
		}
	}
	f.foldAll(ctx, read)
	readers.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		f.mu.Lock()
		f.failure = err
		f.mu.Unlock()
		f.cfg.Logger.Error("the graph no longer follows the log", "error", err)
	}
}

func (f *Feed) foldAll(ctx context.Context, read <-chan []log.Record) {
	for {
		recs, ok := f.gather(ctx, read)
		if !ok {
			return
		}
		for {
			err := f.folder.fold(ctx, recs)
			if err == nil || ctx.Err() != nil {
				break
			}
			f.cfg.Logger.Warn("folding into the graph fails, trying again", "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
		f.mu.Lock()
		f.read = f.folder.next.Clone()
		close(f.changed)
		f.changed = make(chan struct{})
		f.mu.Unlock()
	}
}

// gatherRecords bounds a batch.
const gatherRecords = 8192

// gather waits for records, and then a little for more, so that one snapshot
// serves them all.
func (f *Feed) gather(ctx context.Context, read <-chan []log.Record) ([][]log.Record, bool) {
	var out [][]log.Record
	select {
	case recs := <-read:
		out = append(out, recs)
	case <-ctx.Done():
		return nil, false
	}
	timer := time.NewTimer(f.cfg.Gather)
	defer timer.Stop()
	for n := len(out[0]); n < gatherRecords; {
		select {
		case recs := <-read:
			out = append(out, recs)
			n += len(recs)
		case <-timer.C:
			return out, true
		case <-ctx.Done():
			return nil, false
		}
	}
	return out, true
}
