package graph

import (
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/schemas/event"
)

// Graph is the lineage graph. One goroutine changes it through batches, any
// number ask its snapshots.
type Graph struct {
	names     names
	owners    list[ownerName]
	ownerIDs  hashIndex
	branches  list[string]
	branchIDs hashIndex
	kinds     list[string]
	// statements are the sets of statement numbers that edges refer to; set 0
	// is the empty one.
	statements   list[[]int]
	statementIDs map[string]uint32
	// latest is the set that was asked for last.
	latest  uint32
	current atomic.Pointer[Snapshot]
	// mergeLeast is the least number of changes over a base that make a merge.
	mergeLeast int
	// changes is memory for the next batch.
	changes     [levels][]change
	seenNodes   bitsets
	seenColumns bitsets
}

// ownerName is an interned owner key.
type ownerName struct {
	task   string
	branch uint32
	source lineage.Source
}

// keyOf gives an owner's key.
func (g *Graph) keyOf(id OwnerID) lineage.OwnerKey {
	n := g.owners.at(uint32(id))
	return lineage.OwnerKey{Task: n.task, Branch: *g.branches.at(n.branch), Source: n.source}
}

// Snapshot is one state of the graph. It never changes.
type Snapshot struct {
	g *Graph
	// nodes and columns are how many of the interned names it knows.
	nodes, columns uint32
	// edges are those of the chain [master]: one adjacency a level.
	edges  [levels]adjacency
	owners radix[owner]
	info   radix[nodeInfo]
	// away lists the owners of each branch other than master.
	away map[uint32][]OwnerID
	// makers are the job specs that produce or hide a node, on any branch.
	makers radix[[]OwnerID]
	same   *sameness
	// masked are the columns that any definition masks, sorted.
	masked []ColumnID
	// search are the names of the first indexed nodes.
	search   []searchChunk
	indexed  uint32
	position Position
	sequence uint64
	views    *viewCache
}

// New gives an empty graph.
func New() *Graph {
	g := &Graph{statementIDs: map[string]uint32{}, mergeLeast: mergeLeast}
	g.statements.add(nil)
	g.internBranch(event.MasterBranch)
	g.kinds.add("")
	s := &Snapshot{g: g, away: map[uint32][]OwnerID{}, same: &sameness{}, position: Position{}, views: &viewCache{}}
	for l := range s.edges {
		s.edges[l] = adjacency{out: half{base: newBase(0)}, in: half{base: newBase(0)}}
	}
	g.current.Store(s)
	return g
}

// Current gives the latest snapshot.
func (g *Graph) Current() *Snapshot { return g.current.Load() }

// Position gives the log position that the snapshot reflects.
func (s *Snapshot) Position() Position { return s.position }

// Sequence counts snapshots; a later one has a greater number.
func (s *Snapshot) Sequence() uint64 { return s.sequence }

// branch gives the number of a branch, NoID if it was never named.
func (g *Graph) branch(name string) uint32 {
	return g.branchIDs.get(xxhash.Sum64String(name), func(i uint32) bool { return *g.branches.at(i) == name })
}

func (g *Graph) internBranch(name string) uint32 {
	if i := g.branch(name); i != NoID {
		return i
	}
	i := g.branches.add(name)
	g.branchIDs.put(xxhash.Sum64String(name), i, func(i uint32) uint64 { return xxhash.Sum64String(*g.branches.at(i)) })
	return i
}

// internKind gives the number of a kind of task. There are few.
func (g *Graph) internKind(kind string) uint16 {
	for i := range g.kinds.len() {
		if *g.kinds.at(i) == kind {
			return uint16(i)
		}
	}
	if g.kinds.len() > 1<<15 {
		return 0
	}
	return uint16(g.kinds.add(kind))
}

func (g *Graph) kindOf(o *owner) string { return *g.kinds.at(uint32(o.kind)) }

// masterBranch is the number of the master branch.
const masterBranch = 0

func ownerHash(key lineage.OwnerKey) uint64 {
	return xxhash.Sum64String(key.Task) ^ (xxhash.Sum64String(key.Branch)+uint64(key.Source))*0x9E3779B97F4A7C15
}

func (g *Graph) ownerHashAt(i uint32) uint64 { return ownerHash(g.keyOf(OwnerID(i))) }

// owner gives the id of an owner, NoID if it was never heard of.
func (g *Graph) owner(key lineage.OwnerKey) uint32 {
	return g.ownerIDs.get(ownerHash(key), func(i uint32) bool {
		n := g.owners.at(i)
		return n.task == key.Task && n.source == key.Source && *g.branches.at(n.branch) == key.Branch
	})
}

func (g *Graph) internOwner(key lineage.OwnerKey) OwnerID {
	if i := g.owner(key); i != NoID {
		return OwnerID(i)
	}
	i := g.owners.add(ownerName{task: key.Task, source: key.Source, branch: g.internBranch(key.Branch)})
	g.ownerIDs.put(ownerHash(key), i, g.ownerHashAt)
	return OwnerID(i)
}

// internStatements gives the number of a set of statement numbers. Once there
// are more sets than an edge can refer to, it gives the empty one.
func (g *Graph) internStatements(set []int) uint32 {
	if len(set) == 0 {
		return 0
	}
	if slices.Equal(*g.statements.at(g.latest), set) {
		return g.latest
	}
	buf := make([]byte, 0, 4*len(set))
	for _, n := range set {
		buf = binary.AppendUvarint(buf, uint64(n))
	}
	if i, ok := g.statementIDs[string(buf)]; ok {
		g.latest = i
		return i
	}
	if g.statements.len() >= maxStatementSets {
		return 0
	}
	i := g.statements.add(slices.Clone(set))
	g.statementIDs[string(buf)], g.latest = i, i
	return i
}
