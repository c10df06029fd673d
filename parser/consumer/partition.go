package consumer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

const (
	// chunkRecords bounds the records that are extracted side by side and
	// appended together, chunkScripts those of them that are SQL to read: their
	// lineage takes 100 times as much memory as the marker of a repeat, and about
	// 1 MB of it is the most that the log takes at a time.
	chunkRecords = 500
	chunkScripts = 100
	// chunksAhead is how many chunks are under way, so that one slow script holds
	// up what is behind it and not the extraction of it.
	chunksAhead = 8
	// drainTime bounds how long extractions under way are finished when the
	// partition is taken away.
	drainTime    = 10 * time.Second
	firstBackoff = 50 * time.Millisecond
	mostBackoff  = 5 * time.Second
)

// slot is the place of one record in a chunk.
type slot struct {
	offset int64
	out    *extraction
}

// chunk is a run of records, extracted in any order and appended in theirs.
type chunk struct {
	slots   []slot
	scripts int
	next    int64
	busy    sync.WaitGroup
}

// worker extracts one partition.
type worker struct {
	*Consumer
	partition  int
	partitions int
	memory     *memory
	next       int64
	// answered are events from next on whose extraction is in the log: it was
	// appended when the position was not saved any more, or the store that had
	// the position is gone.
	answered offsets
	// appending is held from the choice of what to append to its being there,
	// so that live extractions and those of the lane do not overtake each other.
	appending sync.Mutex
}

// run extracts one partition until it is taken away. What fails is tried
// again; only a partition that has lost what is next ends the work.
func (c *Consumer) run(ctx context.Context, a log.Assignment) error {
	wait := firstBackoff
	for {
		began := time.Now()
		err := c.work(ctx, a)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the partition was taken away
		}
		if _, gone := errors.AsType[*log.OutOfRangeError](err); gone {
			return fmt.Errorf("extracting %s/%d: %w", a.Topic, a.Partition, err)
		}
		if time.Since(began) > mostBackoff {
			wait = firstBackoff
		}
		c.logger.Warn("extracting fails, trying again", "partition", a.Partition, "wait", wait, "error", err)
		if !pause(ctx, wait) {
			return nil
		}
		wait = min(2*wait, mostBackoff)
	}
}

// pause waits; false if ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

func (c *Consumer) work(ctx context.Context, a log.Assignment) error {
	at, err := c.cfg.Store.LoadPosition(ctx, progress.ReaderParser, log.TopicTasks, int32(a.Partition))
	if err != nil {
		return err
	}
	w := &worker{Consumer: c, partition: a.Partition, partitions: c.partitions, memory: newMemory(c.catalog)}
	if int(at.Generation) == c.cfg.Generation {
		w.next = at.Next
	}
	unwatch := c.catalog.watch(w.memory, w.memory.change)
	defer unwatch()
	restorer := &restorer{log: c.cfg.Log, store: c.cfg.Store, memory: w.memory, partition: a.Partition, partitions: c.partitions, generation: c.cfg.Generation, next: w.next}
	if err := restorer.restore(ctx); err != nil {
		return err
	}
	w.answered = restorer.answered
	if w.answered.has(w.next) {
		for w.answered.has(w.next) {
			w.next++
		}
		if err := w.save(ctx, w.next); err != nil {
			return err
		}
	}
	w.announce()
	return w.pipeline(ctx)
}

// pipeline reads, extracts and appends side by side until ctx ends; chunks
// that are under way then are still appended.
func (w *worker) pipeline(ctx context.Context) error {
	reading, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	writing, end := drainContext(ctx)
	defer end()
	chunks := make(chan *chunk, chunksAhead)
	var background sync.WaitGroup
	background.Go(func() { w.again(reading, writing) })
	background.Go(func() {
		defer close(chunks)
		cancel(w.cfg.Log.Read(reading, log.TopicTasks, w.partition, w.next, func(recs []log.Record) error {
			return w.take(reading, writing, recs, chunks)
		}))
	})
	var failure error
	for c := range chunks {
		c.busy.Wait()
		if failure == nil {
			if failure = w.emit(writing, c); failure != nil {
				cancel(failure)
			} else {
				w.saver.save(w.position(c.next))
			}
		}
	}
	background.Wait()
	w.saver.flush(writing)
	if failure == nil && ctx.Err() == nil {
		failure = context.Cause(reading)
	}
	return failure
}

// drainContext gives a context that outlives ctx by the time to drain.
func drainContext(ctx context.Context) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(drainTime, cancel) })
	return out, func() { stop(); cancel() }
}

// take cuts records into chunks and has them extracted.
func (w *worker) take(ctx, writing context.Context, recs []log.Record, chunks chan<- *chunk) error {
	for len(recs) > 0 {
		c := &chunk{slots: make([]slot, min(len(recs), chunkRecords))}
		n := 0
		for n < len(c.slots) && c.scripts < chunkScripts {
			c.slots[n].offset = recs[n].Offset
			if err := w.begin(writing, &recs[n], c, &c.slots[n]); err != nil {
				return err
			}
			n++
		}
		c.slots, c.next = c.slots[:n], recs[n-1].Offset+1
		recs = recs[n:]
		select {
		case chunks <- c:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// begin judges one record: a repeat is known by its bytes; what must be
// extracted goes to the pool. An extraction that ctx cuts short is half of one,
// so ctx is the one that appending ends with, too.
func (w *worker) begin(ctx context.Context, rec *log.Record, c *chunk, s *slot) error {
	if w.answered.has(rec.Offset) {
		return nil
	}
	from := event.Position{Generation: w.cfg.Generation, Partition: w.partition, Offset: rec.Offset}
	hash := sumOf(rec.Value)
	if branch, ok := w.memory.repeated(hash); ok && deadletter.Placed(rec, w.partitions) == nil {
		if namespace, id, err := name.SplitTaskKey(string(rec.Key)); err == nil {
			s.out = w.extractor.unchanged(event.Task{Namespace: namespace, ID: id, Branch: branch}, from, event.OriginParsed)
			return nil
		}
	}
	ev, fault := deadletter.Judge(rec, w.partitions)
	if fault != nil {
		return nil // the projector makes it a dead letter
	}
	task, published, isJobSpec := event.PublicationOf(ev.Data)
	id := idOf(task.TaskKey(), task.OnBranch())
	if isJobSpec {
		late, err := w.late(ctx, id, published)
		if late || err != nil {
			return err
		}
	}
	switch d := ev.Data.(type) {
	case *event.TaskDefined:
		w.memory.expect(idOf(d.TaskKey(), d.OnBranch()), d.OnBranch(), hash, rec.Offset, true)
		c.scripts++
		c.busy.Add(1)
		w.pool.run(w.pool.live, func() {
			defer c.busy.Done()
			s.out = w.extractor.define(ctx, d, from, hash)
		})
	case *event.TaskRemoved:
		s.out = w.end(d.Task, event.ResultRemoved, from, hash)
		w.extractor.hide(s.out, d.Outputs)
	case *event.TaskWithdrawn:
		s.out = w.end(d.Task, event.ResultWithdrawn, from, hash)
	default:
		if run, state := runOf(ev.Data); run != nil {
			s.out = w.extractor.run(run, state, from)
		}
	}
	if isJobSpec {
		w.memory.publish(id, published)
	}
	return nil
}

// late says whether the event of a job spec that stands is of a later
// publication. After a restart it is read again from the log to know.
func (w *worker) late(ctx context.Context, id taskID, published int64) (bool, error) {
	offset, standing, ok := w.memory.standing(id)
	if !ok {
		return false, nil
	}
	if standing < 0 {
		rec, err := w.event(ctx, offset)
		if err != nil {
			return false, fmt.Errorf("reading the publication of a job spec: %w", err)
		}
		if ev, fault := deadletter.Judge(&rec, w.partitions); fault == nil {
			_, standing, _ = event.PublicationOf(ev.Data)
		}
	}
	return standing > published, nil
}

func (w *worker) end(task event.Task, result string, from event.Position, hash sum) *extraction {
	w.memory.expect(idOf(task.TaskKey(), task.OnBranch()), task.OnBranch(), hash, from.Offset, false)
	return w.extractor.end(task, result, from)
}

// emit appends what a chunk gave, and notes it.
func (w *worker) emit(ctx context.Context, c *chunk) error {
	w.appending.Lock()
	defer w.appending.Unlock()
	var recs []log.Record
	for i := range c.slots {
		s := &c.slots[i]
		if s.out == nil {
			continue
		}
		encoded, err := w.encode(s.out)
		if err != nil {
			return err
		}
		recs = append(recs, encoded...)
	}
	if err := w.append(ctx, recs); err != nil {
		return err
	}
	for i := range c.slots {
		if s := &c.slots[i]; s.out != nil && s.out.id != 0 {
			w.memory.learn(s.out.id, s.offset, s.out.uses)
		}
	}
	w.next = c.next
	w.announce()
	w.metrics.extracted(ctx, len(c.slots))
	return nil
}

// encode gives the records of an extraction, with the definitions that follow
// from the columns that it gives.
func (w *worker) encode(x *extraction) ([]log.Record, error) {
	if x.id != 0 {
		w.extractor.derive(x, w.memory.given(x.id))
		w.memory.give(x.id, x.given)
	}
	return x.encode()
}

// append writes records. An event counts as answered once its lineage is in
// the log, so the definitions that follow from it are written before.
func (w *worker) append(ctx context.Context, recs []log.Record) error {
	var definitions, lineage []log.Record
	for _, r := range recs {
		if r.Topic == log.TopicDefinitions {
			definitions = append(definitions, r)
		} else {
			lineage = append(lineage, r)
		}
	}
	if err := w.write(ctx, definitions); err != nil {
		return err
	}
	return w.write(ctx, lineage)
}

// write appends records, and tries again for as long as ctx lasts: what the
// broker has twice counts once.
func (w *worker) write(ctx context.Context, recs []log.Record) error {
	wait := firstBackoff
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		_, err := w.cfg.Log.Append(ctx, recs)
		var large *log.TooLargeError
		if err == nil || ctx.Err() != nil || errors.As(err, &large) {
			return err
		}
		w.logger.Warn("appending lineage fails, trying again", "partition", w.partition, "wait", wait, "error", err)
		if !pause(ctx, wait) {
			return err
		}
		wait = min(2*wait, mostBackoff)
	}
}

func (w *worker) announce() {
	w.cfg.Board.Advance(progress.At{Reader: progress.ReaderParser, Topic: log.TopicTasks, Partition: w.partition}, w.next)
}

// save saves where to go on.
func (w *worker) save(ctx context.Context, next int64) error {
	return w.cfg.Store.SavePosition(ctx, w.position(next))
}

func (w *worker) position(next int64) store.Position {
	return store.Position{
		Reader: progress.ReaderParser, Topic: log.TopicTasks, Partition: int32(w.partition),
		Generation: uint32(w.cfg.Generation), Next: next,
	}
}
