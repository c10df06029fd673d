package projector

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tributary-data/tributary/internal/store"
)

// writer writes the blocks of all partitions of the process. What is handed
// in while a write is under way goes out with the next one, so that inserts
// grow with the load and there is never more than one write of a table.
type writer struct {
	store  *store.Store
	logger *slog.Logger
	// step is called before each insert, for tests that stop the process there.
	step func(table string)

	mu      sync.Mutex
	waiting *blocks
	tickets []chan struct{}
	urgent  bool
	wake    chan struct{}
}

// parallelInserts is how many tables are written at a time.
const parallelInserts = 4

func newWriter(s *store.Store, logger *slog.Logger, step func(string)) *writer {
	if step == nil {
		step = func(string) {}
	}
	return &writer{store: s, logger: logger, step: step, wake: make(chan struct{}, 1)}
}

// submit hands blocks in. The channel is closed once they are in the store.
func (w *writer) submit(b *blocks) <-chan struct{} {
	done := make(chan struct{})
	w.mu.Lock()
	if w.waiting == nil {
		w.waiting = b
	} else {
		w.waiting.take(b)
	}
	w.tickets = append(w.tickets, done)
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
	return done
}

const (
	// restFactor is how long the writer rests after a write, in times of what
	// the write took, and longestRest the most: what comes meanwhile goes out
	// together, and an insert costs much the same for one row and for a
	// thousand. A lone event is written at once.
	restFactor  = 1
	longestRest = 200 * time.Millisecond
	// manyRows end the rest.
	manyRows = 200_000
)

// run writes until ctx ends. A store that fails is tried again for as long as
// it takes: what stands in the log is never given up because of the store.
func (w *writer) run(ctx context.Context) {
	rested := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		}
		w.rest(ctx, rested)
		began := time.Now()
		w.mu.Lock()
		b, tickets := w.waiting, w.tickets
		w.waiting, w.tickets = nil, nil
		w.mu.Unlock()
		if b == nil {
			continue
		}
		if !w.write(ctx, b) {
			return
		}
		for _, t := range tickets {
			close(t)
		}
		rested = time.Now().Add(min(restFactor*time.Since(began), longestRest))
	}
}

// rest waits until the time, or until many rows wait or a drain asks for all.
func (w *writer) rest(ctx context.Context, until time.Time) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	for {
		w.mu.Lock()
		enough := w.urgent || w.waiting != nil && w.waiting.rows() >= manyRows
		w.mu.Unlock()
		if enough {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			return
		case <-w.wake:
		}
	}
}

// write writes stage after stage; false if ctx ended first.
func (w *writer) write(ctx context.Context, b *blocks) bool {
	for _, stage := range b.stages() {
		ok := w.persist(ctx, func(ctx context.Context) error { return w.insert(ctx, stage) })
		if !ok {
			return false
		}
	}
	return w.persist(ctx, func(ctx context.Context) error {
		w.step("positions")
		return w.store.SavePosition(ctx, b.positions...)
	})
}

// insert writes the tables of a stage.
func (w *writer) insert(ctx context.Context, stage []target) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelInserts)
	for _, t := range stage {
		if t.block.rows == 0 {
			continue
		}
		w.step(t.table)
		group.Go(func() error { return t.block.insert(ctx, w.store, t.table) })
	}
	return group.Wait()
}

const (
	firstBackoff = 50 * time.Millisecond
	mostBackoff  = 5 * time.Second
)

// persist tries until it works; false if ctx ended first.
func (w *writer) persist(ctx context.Context, try func(context.Context) error) bool {
	wait := firstBackoff
	for {
		err := try(ctx)
		if err == nil {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		w.logger.Warn("writing to the store fails, trying again", "wait", wait, "error", err)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return false
		case <-timer.C:
		}
		wait = min(2*wait, mostBackoff)
	}
}

// drain waits until everything that was handed in is written, for so long.
func (w *writer) drain(limit time.Duration) {
	w.mu.Lock()
	w.urgent = true
	w.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-w.submit(newBlocks()):
	case <-timer.C:
	}
}
