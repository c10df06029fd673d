package consumer

import (
	"context"
	"fmt"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/parser"
	"github.com/tributary-data/tributary/schemas/event"
)

// restorer fills the memory of a partition of tributary.tasks: from the owners
// that the projector has stored, and from the lineage behind them in the log.
// Without the second part a definition that is in the log but not yet in the
// rows would be taken for one that never was.
type restorer struct {
	log       *log.Client
	store     *store.Store
	memory    *memory
	partition int
	orders    map[taskID]lineage.Order

	// partitions and generation are those of tributary.tasks, next is where
	// the saved position goes on.
	partitions, generation int
	next                   int64
	answered               offsets
}

// offsets is a set of offsets, in pages of 4096.
type offsets map[int64]*[64]uint64

const pageBits = 12

func (o offsets) add(offset int64) {
	page := o[offset>>pageBits]
	if page == nil {
		page = new([64]uint64)
		o[offset>>pageBits] = page
	}
	page[offset>>6&63] |= 1 << (offset & 63)
}

func (o offsets) has(offset int64) bool {
	page := o[offset>>pageBits]
	return page != nil && page[offset>>6&63]&(1<<(offset&63)) != 0
}

func (r *restorer) restore(ctx context.Context) error {
	// The projector's positions come first: the owners are at least as new.
	stored, err := r.store.LoadPositions(ctx, progress.ReaderLineage)
	if err != nil {
		return err
	}
	r.orders, r.answered = map[taskID]lineage.Order{}, offsets{}
	if err := r.owners(ctx); err != nil {
		return fmt.Errorf("remembering the tasks of partition %d: %w", r.partition, err)
	}
	ends, err := r.log.Ends(ctx, log.TopicLineage)
	if err != nil {
		return err
	}
	for p, end := range ends {
		if len(ends) == r.partitions && p != r.partition {
			continue // tasks have the same key in both topics, and so the same partition
		}
		from := int64(0)
		for _, s := range stored {
			// Without a position, as in a store that is made anew, the log alone
			// tells what was extracted: all of it.
			if r.next > 0 && s.Topic == log.TopicLineage && int(s.Partition) == p {
				from = s.Next
			}
		}
		if err := r.behind(ctx, p, len(ends), from, end); err != nil {
			return fmt.Errorf("remembering the tasks of partition %d: %w", r.partition, err)
		}
	}
	r.reconcile()
	return nil
}

func (r *restorer) owners(ctx context.Context) error {
	rows, err := r.store.Read().Query(ctx, fmt.Sprintf(`SELECT task, branch, status = 'live', from_generation, from_offset, definitions_generation, definitions_offset, parser, hash, use_keys, use_hashes
		FROM tributary.owners WHERE source = 'definition' AND from_partition = %d ORDER BY owner_id, branch, version DESC LIMIT 1 BY owner_id, branch`, r.partition))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var task, branch, hash string
		var live bool
		var fromGeneration, defGeneration uint16
		var version uint32
		var o lineage.Order
		var keys, hashes []string
		if err := rows.Scan(&task, &branch, &live, &fromGeneration, &o.FromOffset, &defGeneration, &o.DefinitionsOffset, &version, &hash, &keys, &hashes); err != nil {
			return err
		}
		o.FromGeneration, o.DefinitionsGeneration, o.Parser = int(fromGeneration), int(defGeneration), int(version)
		uses := make([]use, len(keys))
		for i := range keys {
			uses[i] = use{keys[i], parseHash(hashes[i])}
		}
		r.put(task, branch, live, o, hash, uses)
	}
	return rows.Err()
}

// behind reads the lineage that the owners may not hold yet.
func (r *restorer) behind(ctx context.Context, partition, partitions int, from, end int64) error {
	if from >= end {
		return nil
	}
	return r.log.ReadUntil(ctx, log.TopicLineage, partition, from, end, func(recs []log.Record) error {
		for i := range recs {
			ev, fault := deadletter.Judge(&recs[i], partitions)
			x, ok := ev.Data.(*event.LineageExtracted)
			if ok && fault == nil {
				r.note(x)
			}
			if fault != nil || !ok || x.From.Partition != r.partition || x.Result == event.ResultUnchanged || x.Origin == event.OriginObserved {
				continue
			}
			uses := make([]use, len(x.Uses))
			for i, u := range x.Uses {
				uses[i] = use{u.Key, parseHash(u.ColumnsHash)}
			}
			r.put(x.Task.TaskKey(), x.Task.OnBranch(), x.Result == event.ResultExtracted, lineage.OrderOf(x), x.Hash, uses)
		}
		return nil
	})
}

// note remembers which event an extraction answers, once all of its parts are
// there.
func (r *restorer) note(x *event.LineageExtracted) {
	if x.From.Partition == r.partition && x.From.Generation == r.generation && x.From.Offset >= r.next && x.Part >= x.Parts {
		r.answered.add(x.From.Offset)
	}
}

// put remembers a task's extraction unless a newer one is known. Parts of one
// extraction add up.
func (r *restorer) put(task, branch string, live bool, o lineage.Order, hash string, uses []use) {
	id := idOf(task, branch)
	old, known := r.orders[id]
	switch c := o.Compare(old); {
	case known && c < 0:
		return
	case known && c == 0:
		uses = append(uses, r.memory.tasks[id].uses...)
	}
	r.orders[id] = o
	s, ok := parseSum(hash)
	r.memory.expect(id, branch, s, o.FromOffset, live && ok)
	r.memory.recall(id, o.Parser, uses)
}

// reconcile files the tasks by what they use, and sends those to the lane that
// were extracted by an older parser or with other definitions than those of now.
func (r *restorer) reconcile() {
	m := r.memory
	m.catalog.mu.RLock()
	defer m.catalog.mu.RUnlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reindex()
	for id, t := range m.tasks {
		if t.live && t.parser < parser.Version || m.outdated(t) {
			m.lane.put(id)
		}
	}
}
