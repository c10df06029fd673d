package projector

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// sum is the hash of an event's data, by which a repeat is known.
type sum [16]byte

func sumOf(value []byte) sum {
	whole := sha256.Sum256(value)
	return sum(whole[:16])
}

// history knows, for things that have a row for each definition, the latest
// definition of each: its hash and version.
type history struct {
	latest map[uint64]entry
	// current are the hashes of the latest definitions. A definition's data
	// holds what it is of, so one of these is a repeat of its own thing's.
	current map[sum]struct{}
}

type entry struct {
	hash   sum
	opened uint64
}

func newHistory() *history {
	return &history{latest: map[uint64]entry{}, current: map[sum]struct{}{}}
}

// repeats says whether the data is what is known of its thing already.
func (h *history) repeats(hash sum) bool {
	_, ok := h.current[hash]
	return ok
}

// put notes a definition; false if it, or a later one, was noted before, or
// if it is the same as the latest.
func (h *history) put(thing uint64, hash sum, version uint64) bool {
	old, ok := h.latest[thing]
	if ok && (version <= old.opened || hash == old.hash) {
		return false
	}
	h.set(thing, hash, version)
	return true
}

func (h *history) set(thing uint64, hash sum, version uint64) {
	if old, ok := h.latest[thing]; ok {
		delete(h.current, old.hash)
	}
	h.latest[thing] = entry{hash, version}
	h.current[hash] = struct{}{}
}

// load fills the history from a query of thing's id, branch, version and hash.
func (h *history) load(ctx context.Context, s *store.Store, query string) error {
	rows, err := s.Read().Query(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id, opened uint64
		var branch, hash string
		if err := rows.Scan(&id, &branch, &opened, &hash); err != nil {
			return err
		}
		h.set(mix(id, branch, 0), sum([]byte(hash)), opened)
	}
	return rows.Err()
}

// taskFolder folds tributary.tasks: definitions, runs and manual edges.
type taskFolder struct {
	desk
	store     *store.Store
	partition int
	fresh     func() *ownerCache
	owners    *ownerCache
	tasks     *history
	// sums are the hashes of the records of the batch, by their offsets: the records
	// themselves are let go with it.
	sums map[int64]sum
	// published are the positions of the publications of tasks that are job specs.
	published map[uint64]int64
}

func (f *taskFolder) restore(ctx context.Context) error {
	f.owners = f.fresh()
	if err := f.owners.restore(ctx, f.partition, "'people'"); err != nil {
		return err
	}
	f.tasks = newHistory()
	err := f.tasks.load(ctx, f.store, fmt.Sprintf(`SELECT task_id, branch, max(opened), argMax(hash, opened) FROM tributary.tasks
		WHERE partition = %d GROUP BY task_id, branch`, f.partition))
	if err != nil {
		return fmt.Errorf("loading the tasks of partition %d: %w", f.partition, err)
	}
	return f.restorePublished(ctx)
}

func (f *taskFolder) restorePublished(ctx context.Context) error {
	f.published = map[uint64]int64{}
	rows, err := f.store.Read().Query(ctx, `SELECT task_id, branch, max(toInt64OrZero(labels['`+event.LabelCatalogPosition+`'])) FROM tributary.tasks
		WHERE partition = ? AND mapContains(labels, '`+event.LabelCatalogPosition+`') GROUP BY task_id, branch`, f.partition)
	if err != nil {
		return fmt.Errorf("loading the publications of partition %d: %w", f.partition, err)
	}
	defer rows.Close()
	for rows.Next() {
		var id uint64
		var branch string
		var position int64
		if err := rows.Scan(&id, &branch, &position); err != nil {
			return fmt.Errorf("loading the publications of partition %d: %w", f.partition, err)
		}
		f.published[mix(id, branch, 0)] = position
	}
	return rows.Err()
}

// late says whether an event of a job spec tells of an older publication than
// one before it.
func (f *taskFolder) late(data any) bool {
	task, position, ok := event.PublicationOf(data)
	if !ok {
		return false
	}
	id := mix(ownerID(task.TaskKey()), task.OnBranch(), 0)
	if position < f.published[id] {
		return true
	}
	f.published[id] = position
	return false
}

func (f *taskFolder) fold(ctx context.Context, recs []log.Record, b *blocks) ([]deadletter.Letter, error) {
	good, letters, err := f.judge(ctx, recs, f.repeats())
	if err != nil {
		return nil, err
	}
	for _, j := range good {
		f.nodes.add(j.nodes, b.nodes)
		if run, state := runState(j.ev.Data); run != nil {
			b.runs.add(run, state, j.rec, j.ev.Time, j.raw.Value)
			continue
		}
		f.task(j, b)
	}
	return letters, foldOwners(ctx, f.owners, f.nodes, good, b)
}

// repeats gives a test for records that repeat the definition that a task has,
// so that they need not be decoded, and notes the hashes of those that do not.
// What comes after another record of the same task is not one of them: that
// record may change what the task has.
func (f *taskFolder) repeats() func(*log.Record) bool {
	changing := map[string]struct{}{}
	f.sums = map[int64]sum{}
	return func(rec *log.Record) bool {
		hash := sumOf(rec.Value)
		if _, ok := changing[string(rec.Key)]; !ok && f.tasks.repeats(hash) && deadletter.Placed(rec, f.partitions) == nil {
			return true
		}
		changing[string(rec.Key)] = struct{}{}
		f.sums[rec.Offset] = hash
		return false
	}
}

// Statuses of tasks.
const (
	taskDefined   = 1
	taskRemoved   = 2
	taskWithdrawn = 3
)

// task writes a row if the event says something new of a task.
func (f *taskFolder) task(j judged, b *blocks) {
	if f.late(j.ev.Data) {
		return
	}
	var task event.Task
	var given map[string]string
	d := &event.TaskDefined{}
	var status int8
	switch data := j.ev.Data.(type) {
	case *event.TaskDefined:
		d, task, given, status = data, data.Task, data.Labels, taskDefined
	case *event.TaskRemoved:
		task, given, status = data.Task, data.Labels, taskRemoved
	case *event.TaskWithdrawn:
		task, given, status = data.Task, data.Labels, taskWithdrawn
	default:
		return
	}
	// What removes a task and what withdraws it have the same data.
	hash := f.sums[j.raw.Offset]
	if status != taskDefined {
		hash = sumOf(append([]byte{byte(status)}, j.raw.Value...))
	}
	key := task.TaskKey()
	if !f.tasks.put(mix(ownerID(key), task.OnBranch(), 0), hash, j.rec.Version) {
		return
	}
	node := task.NodeKey(d.Kind).String()
	b.tasks.rows++
	b.tasks.task.add(ownerID(key))
	b.tasks.branch.add(task.OnBranch())
	b.tasks.opened.add(j.rec.Version)
	b.tasks.partition.add(uint16(j.rec.Partition))
	b.tasks.openedAt.add(orEpoch(j.rec.At))
	b.tasks.occurred.add(orEpoch(j.ev.Time))
	b.tasks.status.add(status)
	b.tasks.key.add(key)
	b.tasks.node.add(name.ID(node))
	b.tasks.nodeKey.add(node)
	b.tasks.kind.add(d.Kind)
	b.tasks.label.add(d.Name)
	b.tasks.owner.add(d.Owner)
	b.tasks.labels.add(labels(given))
	b.tasks.hash.add(string(hash[:]))
	b.tasks.definition.add(string(j.raw.Value))
}

func labels(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}
