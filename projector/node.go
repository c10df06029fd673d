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

// node is a node or column with its id.
type node struct {
	row        lineage.NodeRow
	key        name.Key
	id, parent uint64
}

// nodeName is a row of nodes with its id, which is computed once.
type nodeName struct {
	lineage.NodeRow
	id uint64
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

// names gives rows their ids, most rows once: the edges of an event name its
// columns over and over.
func (s *nodeSet) names(rows []lineage.NodeRow) []nodeName {
	const compared = 64 // a look at each of so many costs less than one in a map
	out := make([]nodeName, 0, len(rows))
	for _, r := range rows {
		n := nodeName{r, s.id(r.Key, r.Column)}
		if !slices.ContainsFunc(out[max(len(out)-compared, 0):], func(o nodeName) bool { return o.id == n.id && o.NodeRow == r }) {
			out = append(out, n)
		}
	}
	return out
}

// batchNodes are the nodes of a batch, each once.
type batchNodes struct {
	fresh map[uint64]*node
	// collisions names, for each id of two names, both of them.
	collisions map[uint64][2]lineage.NodeRow
	// malformed are keys that are none.
	malformed map[string]error
}

// resolve finds out which of the nodes are new and which share an id with
// another name. It does not note them as stored: add does.
func (s *nodeSet) resolve(ctx context.Context, good []judged) (*batchNodes, error) {
	b := &batchNodes{fresh: map[uint64]*node{}, collisions: map[uint64][2]lineage.NodeRow{}, malformed: map[string]error{}}
	s.mu.Lock()
	for i := range good {
		for _, n := range good[i].nodes {
			s.sort(b, n.NodeRow, n.id)
		}
	}
	s.mu.Unlock()
	return b, s.compare(ctx, b)
}

// sort puts one node where it belongs. The set is locked.
func (s *nodeSet) sort(b *batchNodes, r lineage.NodeRow, id uint64) {
	if n, ok := b.fresh[id]; ok {
		if n.row != r {
			b.collisions[id] = [2]lineage.NodeRow{n.row, r}
		}
		return
	}
	if known, ok := s.known(id); ok {
		if known != checkSum(r) {
			b.collisions[id] = [2]lineage.NodeRow{{Key: "another name"}, r}
		}
		return
	}
	n, err := s.node(r, id)
	if err != nil {
		b.malformed[r.Key] = err
		return
	}
	b.fresh[id] = n
}

func (s *nodeSet) known(id uint64) (uint64, bool) {
	if c, ok := s.young[id]; ok {
		return c, true
	}
	c, ok := s.old[id]
	return c, ok
}

func (s *nodeSet) node(r lineage.NodeRow, id uint64) (*node, error) {
	n := &node{row: r, id: id}
	if r.Column != "" {
		n.parent = s.id(r.Key, "")
		return n, nil
	}
	key, err := name.ParseKey(r.Key)
	if err != nil {
		return nil, err
	}
	n.key = key
	return n, nil
}

// compare looks the fresh nodes up in the store: those that are there by the
// same name are not fresh, those by another name collide.
func (s *nodeSet) compare(ctx context.Context, b *batchNodes) error {
	var ids []uint64
	s.mu.Lock()
	for id := range b.fresh {
		if !s.complete || s.filter.has(id) {
			ids = append(ids, id)
		}
	}
	s.mu.Unlock()
	for len(ids) > 0 {
		n := min(len(ids), lookupChunk)
		if err := s.compareChunk(ctx, b, ids[:n]); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

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
			s.remember(n)
			s.mu.Unlock()
			delete(b.fresh, id)
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
func (s *nodeSet) add(b *batchNodes, rows []nodeName, block *nodeBlock) {
	if len(b.fresh) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range rows {
		n, ok := b.fresh[r.id]
		if !ok || n.row != r.NodeRow {
			continue
		}
		delete(b.fresh, r.id)
		if known, ok := s.known(r.id); ok && known == checkSum(r.NodeRow) {
			continue // another partition has just handed it to the writer
		}
		block.add(n)
		s.remember(n)
	}
}

func (s *nodeSet) remember(n *node) {
	if len(s.young) >= nodesKept {
		s.young, s.old = map[uint64]uint64{}, s.young
	}
	s.young[n.id] = checkSum(n.row)
	s.filter.add(n.id)
}
