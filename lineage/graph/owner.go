package graph

import (
	"slices"
	"time"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/schemas/event"
)

// level is the kind of an edge; each has an adjacency of its own.
type level uint8

const (
	levelTable    level = iota // node to node
	levelDirect                // column to column
	levelIndirect              // column to node
	levels
)

// contribution is one edge of one owner, packed: level, origin, whether it
// is an unexpanded star, the ways that it goes through, and the number of the
// set of statements that make it.
type contribution struct {
	from, to, meta uint32
}

const (
	metaOriginShift    = 2
	metaUnexpanded     = 1 << 4
	metaViaShift       = 5
	metaViaBits        = 10
	metaStatementShift = metaViaShift + metaViaBits
	maxStatementSets   = 1 << (32 - metaStatementShift)
)

func (c contribution) level() level { return level(c.meta & 3) }

func (c contribution) origin() lineage.Origin {
	return lineage.Origin(c.meta>>metaOriginShift&3 + 1)
}

func (c contribution) via() lineage.Via {
	return lineage.Via(c.meta >> metaViaShift & (1<<metaViaBits - 1))
}

func (c contribution) unexpanded() bool   { return c.meta&metaUnexpanded != 0 }
func (c contribution) statements() uint32 { return c.meta >> metaStatementShift }

func pack(l level, origin lineage.Origin, via lineage.Via, unexpanded bool, statements uint32) uint32 {
	m := uint32(l) | uint32(origin-1)<<metaOriginShift | uint32(via)<<metaViaShift | statements<<metaStatementShift
	if unexpanded {
		m |= metaUnexpanded
	}
	return m
}

// compare orders contributions by level, start, end and origin, which is what
// identifies an edge of an owner.
func (c contribution) compare(o contribution) int {
	const identity = metaUnexpanded - 1 // level and origin
	if a, b := c.level(), o.level(); a != b {
		return order(uint32(a), uint32(b))
	}
	return cmp3(c.from, o.from, c.to, o.to, c.meta&identity, o.meta&identity)
}

// OwnerID is the interned key of an owner.
type OwnerID uint32

// owner is one state of one owner. It never changes; the next state is
// another one. There is one for each task, so what few have is in more.
type owner struct {
	edges []contribution
	more  *ownerMore
	// version and the others up to parser are those of the fold.
	version           uint64
	from, definitions uint64
	parser            uint32
	// node is the node of the owner's task, for people the node that their
	// edges go into.
	node   NodeID
	branch uint32
	kind   uint16
	status lineage.Status
	// spec says that it is a job spec, which counts by its outputs.
	spec bool
}

// ownerMore is what few owners have.
type ownerMore struct {
	// outputs are the nodes that a job spec produces (or hides, once removed).
	outputs  []NodeID
	mentions []mention
	// drawn tells of the edges that people drew, beside edges.
	drawn []Drawn
}

// rest gives what few owners have, empty for the others.
func (o *owner) rest() ownerMore {
	if o.more == nil {
		return ownerMore{}
	}
	return *o.more
}

func (o *owner) setOrder(r lineage.Order) {
	o.from = event.Version(r.FromGeneration, r.FromOffset)
	o.definitions = event.Version(r.DefinitionsGeneration, r.DefinitionsOffset)
	o.parser = uint32(r.Parser)
}

func (o *owner) order() lineage.Order {
	r := lineage.Order{Parser: int(o.parser)}
	r.FromGeneration, r.FromOffset = event.SplitVersion(o.from)
	r.DefinitionsGeneration, r.DefinitionsOffset = event.SplitVersion(o.definitions)
	return r
}

// Drawn tells who drew an edge by hand, why and when.
type Drawn struct {
	Who, Why string
	At       time.Time
	// Explicit is false for a table edge that is there because of the column
	// edges under it.
	Explicit bool
}

// find gives the place of an owner's contributions to an edge; there is one
// for each origin.
func (o *owner) find(l level, from, to uint32) (first, end int) {
	first, _ = slices.BinarySearchFunc(o.edges, contribution{from, to, uint32(l)}, contribution.compare)
	end = first
	for end < len(o.edges) && o.edges[end].level() == l && o.edges[end].from == from && o.edges[end].to == to {
		end++
	}
	return first, end
}

// ofLevel gives the owner's contributions of one level.
func (o *owner) ofLevel(l level) []contribution {
	first, _ := slices.BinarySearchFunc(o.edges, contribution{0, 0, uint32(l)}, contribution.compare)
	end, _ := slices.BinarySearchFunc(o.edges, contribution{0, 0, uint32(l + 1)}, contribution.compare)
	return o.edges[first:end]
}

// mention is what an owner says of a node.
type mention struct {
	node          NodeID
	kind, display string
}

// newOwner makes a state without edges. The owner's node is not known yet.
func (g *Graph) newOwner(id OwnerID, status lineage.Status, kind string, version uint64, order lineage.Order, spec bool) *owner {
	o := &owner{branch: g.owners.at(uint32(id)).branch, status: status, kind: g.internKind(kind), spec: spec, version: version, node: NodeID(NoID)}
	o.setOrder(order)
	return o
}

// keep notes what few owners have, if this one has any of it.
func (o *owner) keep(more ownerMore) {
	if more.outputs != nil || more.mentions != nil || more.drawn != nil {
		o.more = &more
	}
}
