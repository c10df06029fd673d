package graph

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
)

// ErrCursor says that a text is no cursor of ours.
var ErrCursor = errors.New("not a cursor")

// Question asks for what lies around some nodes or columns.
type Question struct {
	// Nodes are the centres at table level, Columns at column level.
	Nodes   []NodeID
	Columns []ColumnID
	// ByColumn asks along column edges.
	ByColumn bool
	Up, Down bool
	// Depth is the number of hops each way, Unlimited for all.
	Depth int
	// Flow says which column edges count.
	Flow Flow
}

// Spot is a node or column that was reached, with its least distance against
// the flow and with it; Far if it was not reached that way.
type Spot struct {
	ID       uint32
	Up, Down int32
}

// Far is the distance of what was not reached.
const Far = int32(-1)

// Distance gives the least distance either way.
func (s Spot) Distance() int32 {
	if s.Up == Far || s.Down != Far && s.Down < s.Up {
		return s.Down
	}
	return s.Up
}

// Side is -1 for what lies upstream only, 1 for downstream only, else 0.
func (s Spot) Side() int {
	switch {
	case s.Down == Far:
		return min(0, -int(min(s.Up, 1)))
	case s.Up == Far:
		return int(min(s.Down, 1))
	}
	return 0
}

// Around is the answer to a Question.
type Around struct {
	// Nodes are in the order of distance, then of their keys' hashes: an order
	// that lasts beyond the process.
	Nodes []Spot
	// Columns are the columns reached, if asked by column, in like order.
	Columns []Spot
	// Cut says that the deadline came before the walk's end.
	Cut bool
}

// Around answers a question. Every node is in the answer once.
func (v *View) Around(ctx context.Context, q Question) Around {
	if q.ByColumn {
		return v.aroundColumns(ctx, q)
	}
	var up, down reach
	if q.Up || !q.Down {
		up = v.walkNodes(ctx, q.Nodes, true, depthOf(q, q.Up))
	}
	if q.Down {
		down = v.walkNodes(ctx, q.Nodes, false, q.Depth)
	}
	a := Around{Nodes: join(up, down), Cut: up.cut || down.cut}
	sortSpots(a.Nodes, v.g.names.nodeHash)
	return a
}

func depthOf(q Question, walks bool) int {
	if !walks {
		return 0
	}
	return q.Depth
}

func (v *View) aroundColumns(ctx context.Context, q Question) Around {
	var up, down columnReach
	if q.Up || !q.Down {
		up = v.walkColumns(ctx, q.Columns, true, q.Flow, depthOf(q, q.Up))
	}
	if q.Down {
		down = v.walkColumns(ctx, q.Columns, false, q.Flow, q.Depth)
	}
	a := Around{Columns: join(up.reach, down.reach), Cut: up.cut || down.cut}
	sortSpots(a.Columns, v.g.names.columnHash)
	nodes := map[uint32]Spot{}
	for _, n := range q.Nodes {
		nodes[uint32(n)] = Spot{ID: uint32(n)}
	}
	for _, c := range a.Columns {
		node := v.g.names.nodeOf(ColumnID(c.ID))
		nearer(nodes, uint32(v.Canonical(node)), c)
	}
	for _, n := range join(reach{}, down.nodes) {
		nearer(nodes, n.ID, n)
	}
	for _, n := range nodes {
		a.Nodes = append(a.Nodes, n)
	}
	sortSpots(a.Nodes, v.g.names.nodeHash)
	return a
}

// nearer lets a node have the distances of s where those are less.
func nearer(nodes map[uint32]Spot, id uint32, s Spot) {
	n, ok := nodes[id]
	if !ok {
		n = Spot{Up: Far, Down: Far}
	}
	n.ID = id
	n.Up, n.Down = least(n.Up, s.Up), least(n.Down, s.Down)
	nodes[id] = n
}

func least(a, b int32) int32 {
	if a == Far || b != Far && b < a {
		return b
	}
	return a
}

// join makes spots of what was reached against the flow and with it.
func join(up, down reach) []Spot {
	out := make([]Spot, 0, len(up.ids)+len(down.ids))
	up.each(func(id uint32, d int32) { out = append(out, Spot{ID: id, Up: d, Down: Far}) })
	if len(up.ids) == 0 {
		down.each(func(id uint32, d int32) { out = append(out, Spot{ID: id, Up: Far, Down: d}) })
		return out
	}
	at := make(map[uint32]int, len(up.ids))
	for i, s := range out {
		at[s.ID] = i
	}
	down.each(func(id uint32, d int32) {
		if i, ok := at[id]; ok {
			out[i].Down = d
			return
		}
		out = append(out, Spot{ID: id, Up: Far, Down: d})
	})
	return out
}

// each calls f with every id and its distance.
func (r reach) each(f func(id uint32, distance int32)) {
	d := 0
	for i, id := range r.ids {
		for i >= r.ends[d] {
			d++
		}
		f(id, int32(d))
	}
}

func sortSpots(spots []Spot, hash func(uint32) uint64) {
	slices.SortFunc(spots, func(a, b Spot) int {
		if c := cmp.Compare(a.Distance(), b.Distance()); c != 0 {
			return c
		}
		return cmp.Compare(hash(a.ID), hash(b.ID))
	})
}

// Cursor says where a page ended: after the node of a distance and a hash,
// and after so many edges of the node that follows it.
type Cursor struct {
	Distance int32
	Hash     uint64
	Edges    int
}

// String gives the cursor as a text for the next request.
func (c Cursor) String() string {
	b := binary.AppendVarint(nil, int64(c.Distance))
	b = binary.BigEndian.AppendUint64(b, c.Hash)
	b = binary.AppendUvarint(b, uint64(c.Edges))
	return base64.RawURLEncoding.EncodeToString(b)
}

// ParseCursor reads what String prints. Errors wrap ErrCursor.
func ParseCursor(s string) (Cursor, error) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return Cursor{}, ErrCursor
	}
	distance, n := binary.Varint(b)
	if n <= 0 || len(b) < n+9 {
		return Cursor{}, ErrCursor
	}
	hash := binary.BigEndian.Uint64(b[n:])
	edges, m := binary.Uvarint(b[n+8:])
	if m <= 0 || n+8+m != len(b) || edges > 1<<40 || distance < -1 || distance > 1<<31-1 {
		return Cursor{}, ErrCursor
	}
	return Cursor{Distance: int32(distance), Hash: hash, Edges: int(edges)}, nil
}

// after reports whether a spot comes after the cursor.
func (c Cursor) after(s Spot, hash uint64) bool {
	if d := s.Distance(); d != c.Distance {
		return d > c.Distance
	}
	return hash > c.Hash
}

// Join makes one answer of what lies upstream and what lies downstream of
// something that is itself no node of the walk, with distances more by a
// number of hops.
func (v *View) Join(up, down Around, hops int32) Around {
	spots := map[uint32]Spot{}
	for _, s := range up.Nodes {
		spots[s.ID] = Spot{ID: s.ID, Up: s.Up + hops, Down: Far}
	}
	for _, s := range down.Nodes {
		n, ok := spots[s.ID]
		if !ok {
			n = Spot{ID: s.ID, Up: Far}
		}
		n.Down = s.Down + hops
		spots[s.ID] = n
	}
	a := Around{Cut: up.Cut || down.Cut}
	for _, s := range spots {
		a.Nodes = append(a.Nodes, s)
	}
	sortSpots(a.Nodes, v.g.names.nodeHash)
	return a
}
