package graph

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// Loader fills an empty graph with rows that carry 64-bit ids instead of
// names: first the names, then the owners, then their edges in any order. It
// is not safe for concurrent use.
type Loader struct {
	b      *Batch
	g      *Graph
	owners []*owner
	// edges are those of all owners in the order in which they came, in pieces
	// of packSize; ends are those of the edges being added.
	edges [][]ownedEdge
	ends  [][2]uint32
	// singles are the numbers of the sets of one statement.
	singles []uint32
	// shared are the ids that two names have.
	shared map[uint64]error
}

// ownedEdge is a contribution with whose it is.
type ownedEdge struct {
	contribution
	owner OwnerID
}

// Load begins to fill the graph, which must be empty.
func (g *Graph) Load() *Loader {
	return &Loader{b: g.Begin(), g: g, shared: map[uint64]error{}}
}

// Reserve makes room for numbers of names, so that filling them in does not
// grow tables over and over.
func (l *Loader) Reserve(nodes, columns, owners int) {
	l.g.names.byHash.reserve(nodes, l.g.names.nodeHash)
	l.g.names.colByID.reserve(columns, l.g.names.columnHash)
	l.g.ownerIDs.reserve(owners, l.g.ownerHashAt)
}

// Node adds a node. Errors wrap ErrCollision: the node is left out, and edges
// by its id are refused, since they may be either one's.
func (l *Loader) Node(id uint64, key string) error {
	_, err := l.g.names.internHashed(id, key)
	return l.share(id, err)
}

// share remembers an id that was refused.
func (l *Loader) share(id uint64, err error) error {
	if err != nil {
		l.shared[id] = err
	}
	return err
}

// Shared reports whether any of the ids is that of two names.
func (l *Loader) Shared(ids ...uint64) bool {
	return len(l.shared) > 0 && slices.ContainsFunc(ids, func(id uint64) bool { return l.shared[id] != nil })
}

// Collisions names the pairs of names that share an id.
func (l *Loader) Collisions() []error { return slices.Collect(maps.Values(l.shared)) }

// ErrNoNode says that a column belongs to a node that was not added.
var ErrNoNode = errors.New("no such node")

// Column adds a column of a node that was added. Errors wrap ErrNoNode if it
// was not, and ErrCollision if an id belongs to another name.
func (l *Loader) Column(id, node uint64, col string) error {
	n := l.g.names.byID(node)
	if n == NoID {
		return fmt.Errorf("%w: the one of column %s, with id %d", ErrNoNode, col, node)
	}
	if key := l.g.names.key(NodeID(n)); l.Shared(node) && lineage.ID(key, col) != id {
		return l.share(id, fmt.Errorf("%w: %s and the node that has the column %s", ErrCollision, key, col))
	}
	_, err := l.g.names.internColumnHashed(id, NodeID(n), col)
	return l.share(id, err)
}

// LoadedOwner is what an owner's row says of it, beside its state.
type LoadedOwner struct {
	Key     lineage.OwnerKey
	Status  lineage.Status
	Version uint64
	Order   lineage.Order
	// Node is the key of the node that people drew edges into; that of a task
	// follows from its kind.
	Node string
	Spec bool
}

// Owner adds an owner, and gives the number to add its edges under.
func (l *Loader) Owner(s LoadedOwner) (OwnerID, error) {
	id := l.g.internOwner(s.Key)
	for uint32(id) >= uint32(len(l.owners)) {
		l.owners = append(l.owners, nil)
	}
	o := l.g.newOwner(id, s.Status, "", s.Version, s.Order, s.Spec)
	l.owners[id] = o
	if s.Node == "" {
		return id, nil
	}
	var err error
	o.node, err = l.b.node(s.Node)
	return id, err
}

// OwnerKey gives an owner's key.
func (l *Loader) OwnerKey(id OwnerID) lineage.OwnerKey { return l.g.keyOf(id) }

// Task says what kind of task an owner is of, from which its node follows.
// Errors wrap ErrCollision.
func (l *Loader) Task(id OwnerID, kind string) error {
	if kind == "" {
		kind = event.KindBatch
	}
	var err error
	l.owners[id].kind = l.g.internKind(kind)
	l.owners[id].node, err = l.b.node(name.FamilyOfKind(kind) + "|" + l.g.keyOf(id).Task)
	return err
}

// Mention adds what an owner says of a node. It reports false if the node is
// not known, or its id is that of two.
func (l *Loader) Mention(id OwnerID, node uint64, kind, display string) bool {
	n := l.g.names.byID(node)
	if n == NoID || l.Shared(node) {
		return false
	}
	more := l.owners[id].rest()
	more.mentions = append(more.mentions, mention{node: NodeID(n), kind: kind, display: display})
	l.owners[id].keep(more)
	return true
}

// LoadedEdge is one edge of an owner, by ids.
type LoadedEdge struct {
	From, To   uint64
	Owner      OwnerID
	Column     bool
	Direct     bool
	Origin     lineage.Origin
	Via        lineage.Via
	Unexpanded bool
	// Statement is the number of the one statement that makes it, 0 if there
	// is none or Statements lists several.
	Statement  int
	Statements []int
}

// Edges adds edges of owners that were added. Those of which an end is not
// known are left out; shared is called for those that may be of another name
// with the same id.
func (l *Loader) Edges(edges []LoadedEdge, shared func(*LoadedEdge)) {
	// Looking ids up is waiting for memory. What is waited for side by side
	// takes a fraction of what is waited for in turn, so each step is made for
	// all edges before the next one.
	l.ends = slices.Grow(l.ends[:0], len(edges))[:len(edges)]
	for i := range edges {
		l.ends[i] = l.guess(&edges[i])
	}
	for i := range edges {
		l.ends[i] = l.endsOf(&edges[i], l.ends[i])
	}
	for i := range edges {
		e, ends := &edges[i], l.ends[i]
		switch {
		case l.Shared(e.From, e.To):
			shared(e)
		case ends[0] != NoID && ends[1] != NoID:
			l.add(ownedEdge{contribution{ends[0], ends[1], pack(e.level(), e.Origin, e.Via, e.Unexpanded, l.statements(e))}, e.Owner})
		}
	}
}

func (e *LoadedEdge) level() level {
	switch {
	case !e.Column:
		return levelTable
	case e.Direct:
		return levelDirect
	}
	return levelIndirect
}

// guess gives what the ends of an edge most likely are, which endsOf checks.
func (l *Loader) guess(e *LoadedEdge) [2]uint32 {
	n := &l.g.names
	switch e.level() {
	case levelTable:
		return [2]uint32{n.byHash.guess(e.From), n.byHash.guess(e.To)}
	case levelDirect:
		return [2]uint32{n.colByID.guess(e.From), n.colByID.guess(e.To)}
	}
	return [2]uint32{n.colByID.guess(e.From), n.byHash.guess(e.To)}
}

func (l *Loader) endsOf(e *LoadedEdge, guess [2]uint32) [2]uint32 {
	switch e.level() {
	case levelTable:
		return [2]uint32{l.nodeAt(e.From, guess[0]), l.nodeAt(e.To, guess[1])}
	case levelDirect:
		return [2]uint32{l.columnAt(e.From, guess[0]), l.columnAt(e.To, guess[1])}
	}
	return [2]uint32{l.columnAt(e.From, guess[0]), l.nodeAt(e.To, guess[1])}
}

func (l *Loader) nodeAt(id uint64, guess uint32) uint32 {
	if guess != NoID && l.g.names.nodeHash(guess) == id {
		return guess
	}
	return l.g.names.byID(id)
}

func (l *Loader) columnAt(id uint64, guess uint32) uint32 {
	if guess != NoID && l.g.names.columnHash(guess) == id {
		return guess
	}
	return l.g.names.columnByID(id)
}

func (l *Loader) add(e ownedEdge) {
	n := len(l.edges)
	if n == 0 || len(l.edges[n-1]) == packSize {
		l.edges = append(l.edges, make([]ownedEdge, 0, packSize))
		n++
	}
	l.edges[n-1] = append(l.edges[n-1], e)
}

// statements gives the number of an edge's set of statements; those of one
// statement, which most are, are remembered apart.
func (l *Loader) statements(e *LoadedEdge) uint32 {
	if e.Statement == 0 {
		return l.g.internStatements(e.Statements)
	}
	if e.Statement >= maxSingles {
		return l.g.internStatements([]int{e.Statement})
	}
	for len(l.singles) <= e.Statement {
		l.singles = append(l.singles, NoID)
	}
	if l.singles[e.Statement] == NoID {
		l.singles[e.Statement] = l.g.internStatements([]int{e.Statement})
	}
	return l.singles[e.Statement]
}

// maxSingles bounds the statement numbers that are remembered apart.
const maxSingles = 1 << 16

// State replaces an owner by its whole state by name, of which node and kind
// are those that were loaded unless the state says others.
func (l *Loader) State(s OwnerState) error {
	if id := l.g.owner(s.Key); id < uint32(len(l.owners)) && l.owners[id] != nil {
		if o := l.owners[id]; s.Node == "" && o.node != NodeID(NoID) {
			s.Node, s.Kind = l.g.names.key(o.node), l.g.kindOf(o)
		}
		l.owners[id] = nil
	}
	return l.b.SetOwner(s)
}

// Finish builds the adjacency and makes the loaded graph the current snapshot.
func (l *Loader) Finish(position Position) *Snapshot {
	l.deal()
	sideBySide(len(l.owners), func(first, end int) {
		for _, o := range l.owners[first:end] {
			if o != nil {
				slices.SortFunc(o.edges, contribution.compare)
				o.edges = slices.CompactFunc(o.edges, func(x, y contribution) bool { return x.compare(y) == 0 })
			}
		}
	})
	for id, o := range l.owners {
		if o != nil {
			l.settle(OwnerID(id), o)
		}
	}
	l.owners = nil
	l.b.rebuild = true
	return l.b.Commit(position)
}

// settle notes what follows from an owner beside its edges.
func (l *Loader) settle(id OwnerID, o *owner) {
	b := l.b
	for _, m := range o.rest().mentions {
		b.setInfo(m.node, b.info(m.node).withMention(m, 1))
	}
	if o.branch != masterBranch {
		b.addAway(id, o.branch)
	}
	if o.spec {
		more := o.rest()
		more.outputs = b.g.outputsOf(o, more)
		o.keep(more)
		b.noteMakers(id, more.outputs, true)
	}
	b.next.owners.set(uint32(id), o, b.edit)
}

// packSize is how many contributions are kept in one piece of memory.
const packSize = 1 << 16

// deal gives owners their edges, in large pieces of memory: apart, each list
// would be rounded up to a size of the allocator. A piece is let go when all
// of its owners have other edges.
func (l *Loader) deal() {
	counts := make([]uint32, len(l.owners))
	for _, piece := range l.edges {
		for i := range piece {
			counts[piece[i].owner]++
		}
	}
	var room []contribution
	for id, o := range l.owners {
		n := int(counts[id])
		if o == nil || n == 0 {
			continue
		}
		if cap(room)-len(room) < n {
			room = make([]contribution, 0, max(packSize, n))
		}
		first := len(room)
		room = room[:first+n]
		o.edges = room[first : first : first+n]
	}
	for i, piece := range l.edges {
		for _, e := range piece {
			if o := l.owners[e.owner]; o != nil {
				o.edges = append(o.edges, e.contribution)
			}
		}
		l.edges[i] = nil
	}
	l.edges = nil
}

// sideBySide calls f for parts of the numbers below n, on all processors.
func sideBySide(n int, f func(first, end int)) {
	parts := runtime.GOMAXPROCS(0)
	var work sync.WaitGroup
	for i := range parts {
		work.Go(func() { f(n*i/parts, n*(i+1)/parts) })
	}
	work.Wait()
}

// Knows reports whether anything was ever said of an owner.
func (b *Batch) Knows(key lineage.OwnerKey) bool {
	id := b.g.owner(key)
	return id != NoID && b.next.owners.get(id) != nil
}

// Owner gives an owner's state as the batch leaves it, with the edges by name;
// ok is false if nothing was ever said of it. When its edges were opened is
// not in it, and what people say of theirs.
func (b *Batch) Owner(key lineage.OwnerKey) (s OwnerState, ok bool) {
	id := b.g.owner(key)
	if id == NoID {
		return OwnerState{Key: key}, false
	}
	o := b.next.owners.get(id)
	if o == nil {
		return OwnerState{Key: key}, false
	}
	s = OwnerState{Key: key, Status: o.status, Version: o.version, Order: o.order(), Kind: b.g.kindOf(o), Spec: o.spec}
	if o.node != NodeID(NoID) {
		s.Node = b.g.names.key(o.node)
	}
	for _, m := range o.rest().mentions {
		s.Mentions = append(s.Mentions, lineage.Mention{Key: b.g.names.key(m.node), Kind: m.kind, Display: m.display})
	}
	s.Items = make([]lineage.Item, len(o.edges))
	for i, c := range o.edges {
		s.Items[i] = b.item(c)
	}
	return s, true
}

// item gives a contribution by name.
func (b *Batch) item(c contribution) lineage.Item {
	i := lineage.Item{Via: c.via(), Unexpanded: c.unexpanded(), Statements: *b.g.statements.at(c.statements())}
	i.Direct, i.Origin = true, c.origin()
	switch c.level() {
	case levelTable:
		i.From, i.To = b.g.names.key(NodeID(c.from)), b.g.names.key(NodeID(c.to))
		return i
	case levelDirect:
		node, col := b.g.names.column(ColumnID(c.to))
		i.To, i.ToColumn = b.g.names.key(node), col
	default:
		i.To, i.Direct = b.g.names.key(NodeID(c.to)), false
	}
	node, col := b.g.names.column(ColumnID(c.from))
	i.From, i.FromColumn = b.g.names.key(node), col
	return i
}
