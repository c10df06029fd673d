package consumer

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync"
	"unique"

	"github.com/cespare/xxhash/v2"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/parser"
)

// sum is the hash of a task event's data, by which a repeat is known.
type sum [16]byte

func sumOf(value []byte) sum {
	whole := sha256.Sum256(value)
	return sum(whole[:16])
}

func (s sum) String() string { return hex.EncodeToString(s[:]) }

func parseSum(s string) (out sum, ok bool) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(out) {
		return out, false
	}
	return sum(b), true
}

// taskID names a task on a branch within a memory.
type taskID uint64

func idOf(task, branch string) taskID {
	return taskID(xxhash.Sum64String(task)*0x9E3779B97F4A7C15 + xxhash.Sum64String(branch))
}

// memo is what is remembered of a task on a branch, in few bytes: its SQL and
// its lineage are in the log.
type memo struct {
	branch unique.Handle[string]
	// sum is that of the event which the task has its lineage from, and offset
	// where it stands. live is false once the task is gone.
	sum    sum
	offset int64
	// published is the position of the publication that the event tells of, -1
	// if that is not known.
	published int64
	live      bool
	parser    int
	uses      []use
	// given are the datasets that its SQL gives columns to.
	given []string
	// rounds counts how often it was extracted again since its last event or
	// the last definition that did not come from SQL.
	rounds int
}

// maxRounds bounds how often tasks that give each other columns are extracted
// in turn, should their columns never settle.
const maxRounds = 32

// use is a look-up and what it found; 0 if nothing.
type use struct {
	key  string
	hash uint64
}

// memory remembers the tasks of one partition: to know repeats, and to find
// the tasks that a changed definition concerns. It is safe for concurrent use.
type memory struct {
	catalog *catalog

	mu    sync.Mutex
	tasks map[taskID]*memo
	// current are the tasks by the sums of their events.
	current map[sum]taskID
	// users are the tasks that looked a definition up, by canonical key.
	users map[string]*users
	lane  *lane
}

// users are the tasks that looked a definition up. They share the key's text.
type users struct {
	key   string
	tasks []taskID
}

func newMemory(c *catalog) *memory {
	return &memory{
		catalog: c, tasks: map[taskID]*memo{}, current: map[sum]taskID{},
		users: map[string]*users{}, lane: newLane(),
	}
}

// repeated gives the branch of the task whose present event has this sum. The
// event's data holds task and branch, so it is that task's.
func (m *memory) repeated(s sum) (branch string, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	id, ok := m.current[s]
	if !ok {
		return "", false
	}
	return m.tasks[id].branch.Value(), true
}

// expect notes that a task's event is being extracted, so that repeats of it
// are known at once. What it uses is noted by learn.
func (m *memory) expect(id taskID, branch string, s sum, offset int64, live bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.tasks[id]
	if t == nil {
		t = &memo{branch: unique.Make(branch)}
		m.tasks[id] = t
	}
	delete(m.current, t.sum)
	t.sum, t.offset, t.published, t.live, t.rounds = s, offset, -1, live, 0
	if live {
		m.current[s] = id
	}
}

// standing gives where the last event of a task is, and what is known of its
// publication; false if there is none.
func (m *memory) standing(id taskID) (offset, published int64, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.tasks[id]; t != nil {
		return t.offset, t.published, true
	}
	return 0, 0, false
}

// publish notes the publication that a task's last event tells of.
func (m *memory) publish(id taskID, published int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tasks[id].published = published
}

// learn notes what an extraction used, once it is in the log. Uses whose
// definitions changed meanwhile send the task to the lane. The catalog must
// not be locked.
func (m *memory) learn(id taskID, offset int64, uses []use) {
	m.catalog.mu.RLock()
	defer m.catalog.mu.RUnlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.tasks[id]
	if t == nil || t.offset != offset {
		return // a later event has taken its place
	}
	m.index(id, t, uses)
	t.parser = parser.Version
	if m.outdated(t) {
		m.lane.put(id)
	}
}

// index files a task under what it uses.
func (m *memory) index(id taskID, t *memo, uses []use) {
	before, after := m.canonical(t.uses), m.canonical(uses)
	for _, k := range before {
		if !slices.Contains(after, k) {
			m.leave(id, k)
		}
	}
	for _, k := range after {
		if !slices.Contains(before, k) {
			u := m.usersOf(k)
			u.tasks = append(u.tasks, id)
		}
	}
	m.share(uses)
	t.uses = uses
}

func (m *memory) usersOf(key string) *users {
	u := m.users[key]
	if u == nil {
		u = &users{key: key}
		m.users[key] = u
	}
	return u
}

// leave takes a task from the users of a definition.
func (m *memory) leave(id taskID, key string) {
	u := m.users[key]
	if u == nil {
		return
	}
	if i := slices.Index(u.tasks, id); i >= 0 {
		u.tasks[i] = u.tasks[len(u.tasks)-1]
		u.tasks = u.tasks[:len(u.tasks)-1]
	}
	if len(u.tasks) == 0 {
		delete(m.users, key)
	}
}

// share lets uses have one text for the key of each definition.
func (m *memory) share(uses []use) {
	for i := range uses {
		if u := m.users[uses[i].key]; u != nil {
			uses[i].key = u.key
		}
	}
}

// canonical gives the canonical keys of uses, each once.
func (m *memory) canonical(uses []use) []string {
	out := make([]string, 0, len(uses))
	for _, u := range uses {
		if k := m.catalog.defs.Canonical(u.key); !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// outdated says whether a look-up of the task would find something else now.
func (m *memory) outdated(t *memo) bool {
	if !t.live {
		return false
	}
	for _, u := range t.uses {
		if m.catalog.defs.UseHash(u.key, t.branch.Value()) != u.hash {
			return true
		}
	}
	return false
}

// change sends the tasks that a change concerns to the lane. The catalog calls
// it, and holds its own lock.
func (m *memory) change(c lineage.Change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.Everything {
		m.reindex()
		for id, t := range m.tasks {
			m.recheck(id, t, c)
		}
		return
	}
	for _, k := range c.Uses {
		if u := m.users[k]; u != nil {
			for _, id := range u.tasks {
				m.recheck(id, m.tasks[id], c)
			}
		}
	}
}

func (m *memory) recheck(id taskID, t *memo, c lineage.Change) {
	if !m.outdated(t) {
		return
	}
	if !c.Derived {
		t.rounds = 0
	}
	m.lane.put(id)
}

// recall takes over what a stored extraction used.
func (m *memory) recall(id taskID, parser int, uses []use) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tasks[id].parser, m.tasks[id].uses = parser, uses
}

func (m *memory) reindex() {
	m.users = map[string]*users{}
	for id, t := range m.tasks {
		for _, k := range m.canonical(t.uses) {
			u := m.usersOf(k)
			u.tasks = append(u.tasks, id)
		}
		m.share(t.uses)
	}
}

// due says whether a task from the lane has to be extracted again, and where
// its event stands. The catalog must not be locked.
func (m *memory) due(id taskID, parser int) (offset int64, ok bool) {
	m.catalog.mu.RLock()
	defer m.catalog.mu.RUnlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.tasks[id]
	if t == nil || !t.live || t.parser >= parser && !m.outdated(t) {
		return 0, false
	}
	if t.rounds++; t.rounds > maxRounds {
		m.catalog.logger.Warn("tasks give each other columns and do not settle; extracting one again is given up until something else changes", "offset", t.offset, "branch", t.branch.Value())
		return 0, false
	}
	return t.offset, true
}

// present says whether an event is the last one of its task.
func (m *memory) present(id taskID, offset int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.tasks[id]
	return t != nil && t.offset == offset
}

// give notes the datasets that a task gives columns to, in the order in which
// its extractions are appended.
func (m *memory) give(id taskID, given []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tasks[id].given = given
}

// given gives the datasets that a task gives columns to.
func (m *memory) given(id taskID) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tasks[id].given
}

// lane holds tasks that wait to be extracted again, each once.
type lane struct {
	mu      sync.Mutex
	waiting map[taskID]struct{}
	order   []taskID
	wake    chan struct{}
}

func newLane() *lane {
	return &lane{waiting: map[taskID]struct{}{}, wake: make(chan struct{}, 1)}
}

func (l *lane) put(id taskID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.waiting[id]; ok {
		return
	}
	l.waiting[id] = struct{}{}
	l.order = append(l.order, id)
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// take gives up to n tasks, those that wait longest first.
func (l *lane) take(n int) []taskID {
	l.mu.Lock()
	defer l.mu.Unlock()
	n = min(n, len(l.order))
	out := slices.Clone(l.order[:n])
	l.order = l.order[n:]
	for _, id := range out {
		delete(l.waiting, id)
	}
	if len(l.order) > 0 {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
	return out
}
