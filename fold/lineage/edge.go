package lineage

import (
	"cmp"
	"slices"

	"github.com/tributary-data/tributary/schemas/name"
)

// Level says whether an edge joins tables or columns.
type Level uint8

// Levels, with the numbers that stored rows carry.
const (
	LevelTable  Level = 1
	LevelColumn Level = 2
)

// Origin says how an edge is known. An edge of two origins is two rows.
type Origin uint8

// Origins, with the numbers that stored rows carry.
const (
	OriginParsed   Origin = 1
	OriginDeclared Origin = 2
	OriginObserved Origin = 3
	OriginManual   Origin = 4
)

var originNames = [...]string{OriginParsed: "parsed", OriginDeclared: "declared", OriginObserved: "observed", OriginManual: "manual"}

// String gives the name that events and answers use.
func (o Origin) String() string {
	if int(o) >= len(originNames) {
		return ""
	}
	return originNames[o]
}

// ParseOrigin reads what String prints; ok is false for anything else.
func ParseOrigin(s string) (o Origin, ok bool) {
	i := slices.Index(originNames[:], s)
	return Origin(max(i, 0)), i > 0
}

// Via is a set of the ways in which a value went through an edge (direct) or
// decided about it (indirect).
type Via uint16

// The ways, a bit each, in the order in which they are shown.
const (
	ViaIdentity Via = 1 << iota
	ViaTransformation
	ViaAggregation
	ViaMasking
	ViaFilter
	ViaJoin
	ViaGroupBy
	ViaSort
	ViaWindow
	ViaConditional
)

var viaNames = []string{"identity", "transformation", "aggregation", "masking", "filter", "join", "group_by", "sort", "window", "conditional"}

// Names lists the ways in the set, in the order in which they are shown.
func (v Via) Names() []string {
	var out []string
	for i, n := range viaNames {
		if v&(1<<i) != 0 {
			out = append(out, n)
		}
	}
	return out
}

// ParseVia reads names as Names prints them; names that it does not know are
// left out, since a later producer may know more of them.
func ParseVia(names []string) Via {
	var v Via
	for _, n := range names {
		if i := slices.Index(viaNames, n); i >= 0 {
			v |= 1 << i
		}
	}
	return v
}

// Edge is what identifies an edge, apart from who contributes it: where it
// comes from and goes to, its level, and whether a value flows along it.
type Edge struct {
	// From and To are node keys.
	From, To string
	// FromColumn names the column that a column edge starts at, "*" if the
	// columns are not known; empty at table level.
	FromColumn string
	// ToColumn names the column that a direct column edge goes to. An indirect
	// one reaches the whole dataset and has none.
	ToColumn string
	// Direct says that a value flows. Table edges are direct.
	Direct bool
	// Origin says how it is known.
	Origin Origin
}

// Level gives the edge's level: a column edge is one that starts at a column.
func (e Edge) Level() Level {
	if e.FromColumn != "" {
		return LevelColumn
	}
	return LevelTable
}

// FromID gives the id that stored rows carry for the edge's start.
func (e Edge) FromID() uint64 { return ID(e.From, e.FromColumn) }

// ToID gives the id that stored rows carry for the edge's end.
func (e Edge) ToID() uint64 { return ID(e.To, e.ToColumn) }

func (e *Edge) compare(o *Edge) int {
	// One after the other: cmp.Or would compare all texts each time.
	if c := cmp.Compare(e.From, o.From); c != 0 {
		return c
	}
	if c := cmp.Compare(e.To, o.To); c != 0 {
		return c
	}
	if c := cmp.Compare(e.FromColumn, o.FromColumn); c != 0 {
		return c
	}
	if c := cmp.Compare(e.ToColumn, o.ToColumn); c != 0 {
		return c
	}
	return cmp.Or(compareBool(e.Direct, o.Direct), cmp.Compare(e.Origin, o.Origin))
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// ID gives the 64-bit id of a node (column empty) or of one of its columns.
func ID(node, column string) uint64 {
	if column == "" {
		return name.ID(node)
	}
	return name.ColumnID(node, column)
}

// ColumnName gives a column's name as keys of the node's columns have it:
// where the node's platform compares columns without case, in lower case. The
// key is one of name.Key's.
func ColumnName(key name.Key, column string) string { return ColumnNamesOf(key)(column) }

// ColumnNamesOf gives ColumnName for one node and many columns.
func ColumnNamesOf(key name.Key) func(column string) string {
	if key.Family != name.FamilyDataset {
		return func(column string) string { return column }
	}
	return name.PlatformOf(key.Namespace).SameColumn
}
