package projector

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// node is a node or column that is new in a batch, with its id.
type node struct {
	row        lineage.NodeRow
	key        name.Key
	id, parent uint64
	// settled says that it is stored, or on its way there.
	settled bool
}

// nodeName is a row of nodes with its id, which is computed once.
type nodeName struct {
	lineage.NodeRow
	id uint64
	// fresh is the node if it is new, once that was resolved.
	fresh *node
}

// IDFunc gives the id of a node, or of a column of it.
type IDFunc func(key, column string) uint64

// nodeSet knows nodes that are stored, by id, and finds names that share an
// id with another name. It forgets the oldest half when it is full and then
// asks the store, so it bounds memory and not what is found. An id that the
// filter has never seen is new, and not asked for.
type nodeSet struct {
	store *store.Store
	id    IDFunc

	mu         sync.Mutex
	young, old map[uint64]uint64 // id to check sum of the name
	filter     *filter
	// complete says that the filter holds all ids that were stored before the
	// start. Until then any id may be known.
	complete bool
}

// nodesKept bounds the nodes remembered in each half; 2 x 1 M take 80 MB.
const nodesKept = 1 << 20

// lookupChunk bounds the ids of one look-up.
const lookupChunk = 20_000

func newNodeSet(s *store.Store, id IDFunc) *nodeSet {
	return &nodeSet{store: s, id: id, filter: newFilter(), young: map[uint64]uint64{}}
}

// restore fills the filter with the ids that the store has, while the set is
// already in use. Without it everything is looked up, and nothing is missed.
func (s *nodeSet) restore(ctx context.Context) error {
	rows, err := s.store.Read().Query(ctx, "SELECT id FROM tributary.nodes")
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	defer rows.Close()
	ids := make([]uint64, 0, lookupChunk)
	flush := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, id := range ids {
			s.filter.add(id)
		}
		ids = ids[:0]
	}
	for rows.Next() {
		var id uint64
		if err := rows.Scan(&id); err != nil {
			return fmt.Errorf("listing nodes: %w", err)
		}
		if ids = append(ids, id); len(ids) == cap(ids) {
			flush()
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.complete = true
	return nil
}

// checkSum tells names of one id apart; it is not the id's hash.
func checkSum(r lineage.NodeRow) uint64 {
	var h xxhash.Digest // on the stack
	h.ResetWithSeed(1)
	_, _ = h.WriteString(r.Key)
	_, _ = h.Write([]byte{0})
	_, _ = h.WriteString(r.Column)
	return h.Sum64()
}

// namer gives the nodes of events their ids. What it gives is good until it is
// reset. One goroutine uses it.
type namer struct {
	rows  []lineage.NodeRow // of one event
	names []nodeName        // of all events of a batch
	// seen has, by the low bits of an id, a place in names at which it may be.
	seen [256]int
}

// longestNames bounds the names that memory is kept for.
const longestNames = 1 << 15

func (n *namer) reset() {
	if cap(n.names) > longestNames {
		n.names = nil
	}
	clear(n.names)
	n.names = n.names[:0]
}

// of gives the nodes of an event, most of them once: its edges name its columns
// over and over.
func (n *namer) of(data any, id IDFunc) []nodeName {
	n.rows = lineage.NodesOf(data, n.rows)
	first := len(n.names)
	for _, r := range n.rows {
		next := nodeName{NodeRow: r, id: id(r.Key, r.Column)}
		at := &n.seen[next.id%uint64(len(n.seen))]
		if *at >= first && *at < len(n.names) && n.names[*at].id == next.id && n.names[*at].NodeRow == r {
			continue
		}
		*at = len(n.names)
		n.names = append(n.names, next)
	}
	clear(n.rows)
	return n.names[first:len(n.names):len(n.names)]
}

// batchNodes are the nodes of a batch, each once.
type batchNodes struct {
	fresh map[uint64]*node
	// room is memory for fresh ones.
	room []node
	// ask are the ids of fresh ones that the store may have.
	ask []uint64
	// collisions names, for each id of two names, both of them.
	collisions map[uint64][2]lineage.NodeRow
	// malformed are keys that are none.
	malformed map[string]error
}

// leastRoom is the number of fresh nodes that memory is taken for at a time.
const leastRoom = 256

func newBatchNodes() *batchNodes {
	return &batchNodes{fresh: map[uint64]*node{}, collisions: map[uint64][2]lineage.NodeRow{}, malformed: map[string]error{}}
}

func (b *batchNodes) reset() {
	if len(b.fresh) > longestNames {
		*b = *newBatchNodes()
	}
	clear(b.fresh)
	clear(b.collisions)
	clear(b.malformed)
	clear(b.room)
	b.room, b.ask = b.room[:0], b.ask[:0]
}

// put puts a node into memory that the next batch uses again.
func (b *batchNodes) put(n node) *node {
	if len(b.room) == cap(b.room) {
		b.room = make([]node, 0, max(leastRoom, 2*cap(b.room))) // what points into the old one keeps it
	}
	b.room = append(b.room, n)
	return &b.room[len(b.room)-1]
}

// resolve finds out which of the nodes are new and which share an id with
// another name. It does not note them as stored: add does.
func (s *nodeSet) resolve(ctx context.Context, good []judged, b *batchNodes) error {
	s.mu.Lock()
	for i := range good {
		for n := range good[i].nodes {
			s.sort(b, &good[i].nodes[n])
		}
	}
	s.mu.Unlock()
	for ids := b.ask; len(ids) > 0; {
		n := min(len(ids), lookupChunk)
		if err := s.compareChunk(ctx, b, ids[:n]); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// sort puts one node where it belongs. The set is locked.
func (s *nodeSet) sort(b *batchNodes, n *nodeName) {
	if f, ok := b.fresh[n.id]; ok {
		if f.row != n.NodeRow {
			b.collisions[n.id] = [2]lineage.NodeRow{f.row, n.NodeRow}
		}
		n.fresh = f
		return
	}
	stored := s.filter.has(n.id) // perhaps
	if stored {
		if known, ok := s.known(n.id); ok {
			if known != checkSum(n.NodeRow) {
				b.collisions[n.id] = [2]lineage.NodeRow{{Key: "another name"}, n.NodeRow}
			}
			return
		}
	}
	f, err := s.node(b, n)
	if err != nil {
		b.malformed[n.Key] = err
		return
	}
	if stored || !s.complete {
		b.ask = append(b.ask, n.id)
	}
	b.fresh[n.id], n.fresh = f, f
}

func (s *nodeSet) node(b *batchNodes, n *nodeName) (*node, error) {
	f := node{row: n.NodeRow, id: n.id}
	if n.Column != "" {
		f.parent = s.id(n.Key, "")
	} else {
		var err error
		if f.key, err = name.ParseKey(n.Key); err != nil {
			return nil, err
		}
	}
	return b.put(f), nil
}

// known gives the check sum of a node that is remembered. Only those that the
// filter has are.
func (s *nodeSet) known(id uint64) (uint64, bool) {
	if c, ok := s.young[id]; ok {
		return c, true
	}
	c, ok := s.old[id]
	return c, ok
}

// compareChunk looks fresh nodes up in the store: those that are there by the
// same name are not fresh, those by another name collide.
func (s *nodeSet) compareChunk(ctx context.Context, b *batchNodes, ids []uint64) error {
	rows, err := s.store.Read().Query(ctx, "SELECT DISTINCT id, parent_id, family, namespace, name, column FROM tributary.nodes WHERE id IN ("+idList(ids)+") SETTINGS max_query_size = 10000000")
	if err != nil {
		return fmt.Errorf("looking up nodes: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent uint64
		var key name.Key
		var column string
		if err := rows.Scan(&id, &parent, &key.Family, &key.Namespace, &key.Name, &column); err != nil {
			return fmt.Errorf("looking up nodes: %w", err)
		}
		n := b.fresh[id]
		if n == nil {
			continue
		}
		if n.parent == parent && n.row.Column == column && n.key == key {
			s.mu.Lock()
			s.remember(n, checkSum(n.row))
			s.mu.Unlock()
			n.settled = true
			continue
		}
		other := lineage.NodeRow{Key: key.String(), Column: column}
		if column != "" {
			other.Key = fmt.Sprintf("the node of id %d", parent)
		}
		b.collisions[id] = [2]lineage.NodeRow{other, n.row}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("looking up nodes: %w", err)
	}
	return nil
}

// fault says what is wrong with the nodes of an event: a key that is none, or
// one that has the id of another name. Nil if nothing is.
func (s *nodeSet) fault(b *batchNodes, rows []nodeName) *deadletter.Fault {
	if len(b.collisions) == 0 && len(b.malformed) == 0 {
		return nil
	}
	for _, r := range rows {
		if err := b.malformed[r.Key]; err != nil {
			return &deadletter.Fault{Reason: event.Code(event.ErrInvalid), Detail: err.Error()}
		}
		if pair, ok := b.collisions[r.id]; ok {
			return &deadletter.Fault{
				Reason: deadletter.ReasonIDCollision,
				Detail: fmt.Sprintf("%s and %s have the same id %d, and would be one node", describe(pair[0]), describe(pair[1]), r.id),
			}
		}
	}
	return nil
}

func describe(r lineage.NodeRow) string {
	if r.Column == "" {
		return r.Key
	}
	return "column " + r.Column + " of " + r.Key
}

// add puts the fresh nodes of an event into the block, each once.
func (s *nodeSet) add(rows []nodeName, block *nodeBlock) {
	if !slices.ContainsFunc(rows, nodeName.open) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range rows {
		if !rows[i].open() {
			continue
		}
		n := rows[i].fresh
		n.settled = true
		sum := checkSum(n.row)
		if s.filter.has(n.id) {
			if known, ok := s.known(n.id); ok && known == sum {
				continue // another partition has just handed it to the writer
			}
		}
		block.add(n)
		s.remember(n, sum)
	}
}

// open says that a node is new and was not handed to the writer yet.
func (n nodeName) open() bool { return n.fresh != nil && !n.fresh.settled }

func (s *nodeSet) remember(n *node, sum uint64) {
	if len(s.young) >= nodesKept {
		s.young, s.old = map[uint64]uint64{}, s.young
	}
	s.young[n.id] = sum
	s.filter.add(n.id)
}
