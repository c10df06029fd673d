package projector

import (
	"context"
	"log/slog"
	"slices"
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
	waiting []*blocks
	tickets []chan struct{}
	urgent  bool
	wake    chan struct{}
	// filling counts blocks that were given out and are not handed in yet.
	filling int
	// patience is how long after its rest the writer waits for those.
	patience time.Duration
	// spare are empty blocks whose memory is used again.
	spare []*blocks
}

// parallelInserts is how many tables are written at a time.
const parallelInserts = 4

func newWriter(s *store.Store, logger *slog.Logger, step func(string)) *writer {
	if step == nil {
		step = func(string) {}
	}
	return &writer{store: s, logger: logger, step: step, wake: make(chan struct{}, 1), patience: fillPatience}
}

// blank gives blocks to fill and to submit, or to drop.
func (w *writer) blank() *blocks {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.filling++
	n := len(w.spare)
	if n == 0 {
		return newBlocks()
	}
	b := w.spare[n-1]
	w.spare = w.spare[:n-1]
	return b
}

// spareBlocks bounds the blocks that are kept to be used again, and spareRows
// the rows that one has room for then: what a batch of uncommon size took is
// let go.
const (
	spareBlocks = 4
	spareRows   = 100_000
)

// reuse empties blocks that were written and keeps them.
func (w *writer) reuse(written []*blocks) {
	for _, b := range written {
		small := b.rows() <= spareRows
		b.reset()
		w.mu.Lock()
		if small && len(w.spare) < spareBlocks {
			w.spare = append(w.spare, b)
		}
		w.mu.Unlock()
	}
}

// submit hands blocks in, which are the writer's from then on. The channel is
// closed once their rows are in the store.
func (w *writer) submit(b *blocks) <-chan struct{} {
	done := make(chan struct{})
	w.mu.Lock()
	w.waiting = append(w.waiting, b)
	w.tickets = append(w.tickets, done)
	w.filling--
	w.mu.Unlock()
	w.stir()
	return done
}

// drop says that blocks which were given out will not be handed in.
func (w *writer) drop() {
	w.mu.Lock()
	w.filling--
	w.mu.Unlock()
	w.stir()
}

// stir has run look at what waits.
func (w *writer) stir() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

const (
	// restFactor is how long the writer rests after a write, in times of what
	// the write took, and longestRest the most: what comes meanwhile goes out
	// together, and an insert costs much the same for one row and for a
	// thousand. A lone event is written at once.
	restFactor  = 1
	longestRest = 250 * time.Millisecond
	// fillPatience is how long the writer waits, after its rest, for partitions
	// that are folding: each of them waits for its own rows to be written before
	// it folds on, so under a load their rows would come one after the other.
	fillPatience = 250 * time.Millisecond
	// manyRows end the rest.
	manyRows = 150_000
	// savePause is how long a position that no rows came with may wait to be
	// saved. Saving it late costs some records that are read again.
	savePause = 250 * time.Millisecond
)

// run writes until ctx ends. A store that fails is tried again for as long as
// it takes: what stands in the log is never given up because of the store.
func (w *writer) run(ctx context.Context) {
	var rested time.Time
	var unsaved positions
	saving := time.NewTimer(savePause)
	defer saving.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-saving.C:
			if !w.save(ctx, &unsaved) {
				return
			}
			continue
		case <-w.wake:
		}
		w.rest(ctx, rested)
		began := time.Now()
		round, tickets, urgent := w.take()
		rows := rowsOf(round) > 0
		if rows && !w.write(ctx, round) {
			return
		}
		if unsaved.add(round) {
			saving.Reset(savePause)
		}
		if (rows || urgent) && !w.save(ctx, &unsaved) {
			return
		}
		for _, t := range tickets {
			close(t)
		}
		w.reuse(round)
		if rows {
			rested = time.Now().Add(min(restFactor*time.Since(began), longestRest))
		}
	}
}

// take gives what waits.
func (w *writer) take() (round []*blocks, tickets []chan struct{}, urgent bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	round, tickets = w.waiting, w.tickets
	w.waiting, w.tickets = nil, nil
	return round, tickets, w.urgent
}

func rowsOf(round []*blocks) int {
	n := 0
	for _, b := range round {
		n += b.rows()
	}
	return n
}

// positions are those whose rows are written, the furthest of each partition.
type positions struct{ list []store.Position }

// add takes the positions of blocks. It reports whether they are the first
// since the last save.
func (p *positions) add(round []*blocks) bool {
	first := len(p.list) == 0
	for _, b := range round {
		for _, next := range b.positions {
			i := slices.IndexFunc(p.list, func(o store.Position) bool {
				return o.Topic == next.Topic && o.Partition == next.Partition && o.Generation == next.Generation
			})
			if i < 0 {
				p.list = append(p.list, next)
				continue
			}
			p.list[i].Next = max(p.list[i].Next, next.Next)
		}
	}
	return first && len(p.list) > 0
}

// save saves the positions; false if ctx ended first.
func (w *writer) save(ctx context.Context, p *positions) bool {
	if len(p.list) == 0 {
		return true
	}
	saved := w.persist(ctx, func(ctx context.Context) error {
		w.step("positions")
		return w.store.SavePosition(ctx, p.list...)
	})
	p.list = p.list[:0]
	return saved
}

// rest waits until the time if rows wait, and then for those that are being
// filled; not where many rows wait or a drain asks for all.
func (w *writer) rest(ctx context.Context, until time.Time) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	rested := false
	for {
		if w.enough(rested) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			if rested {
				return
			}
			rested = true
			timer.Reset(w.patience)
		case <-w.wake:
		}
	}
}

// enough says whether what waits is to be written now.
func (w *writer) enough(rested bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	rows := rowsOf(w.waiting)
	return w.urgent || rows == 0 || rows >= manyRows || (rested && w.filling == 0)
}

// write writes stage after stage; false if ctx ended first.
func (w *writer) write(ctx context.Context, round []*blocks) bool {
	stages := round[0].stages()
	parts := make([][][]*block, len(stages)) // by stage and table
	for _, b := range round {
		for s, stage := range b.stages() {
			if parts[s] == nil {
				parts[s] = make([][]*block, len(stage))
			}
			for t := range stage {
				parts[s][t] = append(parts[s][t], stage[t].block)
			}
		}
	}
	for s, stage := range stages {
		ok := w.persist(ctx, func(ctx context.Context) error { return w.insert(ctx, stage, parts[s]) })
		if !ok {
			return false
		}
	}
	return true
}

// insert writes the tables of a stage.
func (w *writer) insert(ctx context.Context, stage []target, parts [][]*block) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelInserts)
	for i, t := range stage {
		if !slices.ContainsFunc(parts[i], func(b *block) bool { return b.rows > 0 }) {
			continue
		}
		w.step(t.table)
		group.Go(func() error { return insert(ctx, w.store, t.table, parts[i]) })
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
	case <-w.submit(w.blank()):
	case <-timer.C:
	}
}
