package consumer

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/parser"
	"github.com/tributary-data/tributary/schemas/event"
)

// againBatch bounds how many tasks of the lane are extracted together.
const againBatch = 64

// retry is a task of the lane with its event.
type retry struct {
	id     taskID
	offset int64
	out    *extraction
}

// again extracts the tasks of the lane until ctx ends; what is under way then
// ends with writing. A batch that fails goes back to the lane.
func (w *worker) again(ctx, writing context.Context) {
	wait := firstBackoff
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.memory.lane.wake:
		}
		ids := w.memory.lane.take(againBatch)
		err := w.extractAgain(writing, ids)
		if err == nil {
			wait = firstBackoff
			continue
		}
		if ctx.Err() != nil {
			return
		}
		w.logger.Warn("extracting again after a changed definition fails, trying again", "partition", w.partition, "wait", wait, "error", err)
		for _, id := range ids {
			w.memory.lane.put(id)
		}
		if !pause(ctx, wait) {
			return
		}
		wait = min(2*wait, mostBackoff)
	}
}

func (w *worker) extractAgain(ctx context.Context, ids []taskID) error {
	var due []*retry
	for _, id := range ids {
		if offset, ok := w.memory.due(id, parser.Version); ok {
			due = append(due, &retry{id: id, offset: offset})
		}
	}
	slices.SortFunc(due, func(a, b *retry) int { return cmp.Compare(a.offset, b.offset) })
	var busy sync.WaitGroup
	for _, r := range due {
		rec, err := w.event(ctx, r.offset)
		if err != nil {
			busy.Wait()
			return err
		}
		ev, fault := deadletter.Judge(&rec, w.partitions)
		d, ok := ev.Data.(*event.TaskDefined)
		if fault != nil || !ok {
			continue
		}
		from := event.Position{Generation: w.cfg.Generation, Partition: w.partition, Offset: r.offset}
		busy.Add(1)
		w.pool.run(w.pool.lane, func() {
			defer busy.Done()
			r.out = w.extractor.define(ctx, d, from, sumOf(rec.Value))
		})
	}
	busy.Wait()
	return w.emitAgain(ctx, due)
}

// event reads one task event by its offset.
func (w *worker) event(ctx context.Context, offset int64) (rec log.Record, err error) {
	err = w.cfg.Log.ReadUntil(ctx, log.TopicTasks, w.partition, offset, offset+1, func(recs []log.Record) error {
		rec = recs[0]
		return nil
	})
	return rec, err
}

// emitAgain appends what was extracted again, unless a live event of the task
// has come meanwhile.
func (w *worker) emitAgain(ctx context.Context, due []*retry) error {
	w.appending.Lock()
	defer w.appending.Unlock()
	var recs []log.Record
	for _, r := range due {
		if r.out == nil || !w.memory.present(r.id, r.offset) {
			continue
		}
		encoded, err := w.encode(r.out)
		if err != nil {
			return err
		}
		recs = append(recs, encoded...)
	}
	if err := w.append(ctx, recs); err != nil {
		return err
	}
	for _, r := range due {
		if r.out != nil {
			w.memory.learn(r.id, r.offset, r.out.uses)
		}
	}
	w.metrics.extractedAgain(ctx, len(due))
	return nil
}
