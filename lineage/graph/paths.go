package graph

import "context"

// Ways are the ways from one node or column to another.
type Ways struct {
	// Length is the number of hops of a shortest way; -1 if there is none.
	Length int
	// Around holds the nodes (and columns) that lie on a way.
	Around Around
	// Listed are some ways, each the ids in order.
	Listed [][]uint32
	// Total is the number of shortest ways, up to MaxWays.
	Total int
	Cut   bool
}

// MaxWays bounds the counting of ways, whose number can be exponential.
const MaxWays = 1_000_000

// PathQuestion asks for ways between two nodes, or two columns.
type PathQuestion struct {
	ByColumn bool
	From, To uint32
	Flow     Flow
	// Depth bounds the length of a way, Unlimited for none. Slack lets ways be
	// that much longer than the shortest.
	Depth, Slack int
	// List is the number of ways to list.
	List int
}

// Ways answers a PathQuestion. A node lies on a way if its distances from the
// start and to the end add up to no more than the length asked for; ways are
// never listed to find that out.
func (v *View) Ways(ctx context.Context, q PathQuestion) Ways {
	from := v.distances(ctx, q, q.From, false)
	length, found := from.at[q.To]
	w := Ways{Length: -1, Cut: from.cut}
	if !found || q.Depth != Unlimited && length > q.Depth {
		return w
	}
	w.Length = length
	longest := length + q.Slack
	if q.Depth != Unlimited {
		longest = min(longest, q.Depth)
	}
	to := v.distances(ctx, q, q.To, true)
	w.Cut = w.Cut || to.cut
	var on []Spot
	for id, d := range from.at {
		if e, ok := to.at[id]; ok && d+e <= longest {
			on = append(on, Spot{ID: id, Up: Far, Down: int32(d)})
		}
	}
	w.Around = v.aroundOf(on, q.ByColumn)
	l := lister{View: v, ctx: ctx, q: q, to: to.at, counts: map[uint32]int{}, used: map[uint32]bool{}, longest: longest}
	l.list(q.From, nil)
	w.Listed = l.out
	w.Total = l.count(q.From)
	return w
}

type distances struct {
	at  map[uint32]int
	cut bool
}

func (v *View) distances(ctx context.Context, q PathQuestion, start uint32, up bool) distances {
	var r reach
	if q.ByColumn {
		r = v.walkColumns(ctx, []ColumnID{ColumnID(start)}, up, q.Flow, q.Depth).reach
	} else {
		r = v.walkNodes(ctx, []NodeID{NodeID(start)}, up, q.Depth)
	}
	d := distances{at: make(map[uint32]int, len(r.ids)), cut: r.cut}
	r.each(func(id uint32, distance int32) { d.at[id] = int(distance) })
	return d
}

// aroundOf makes an answer of spots, which are columns if asked by column.
func (v *View) aroundOf(spots []Spot, byColumn bool) Around {
	if !byColumn {
		sortSpots(spots, v.g.names.nodeHash)
		return Around{Nodes: spots}
	}
	sortSpots(spots, v.g.names.columnHash)
	a := Around{Columns: spots}
	nodes := map[uint32]Spot{}
	for _, c := range spots {
		node := v.g.names.nodeOf(ColumnID(c.ID))
		nearer(nodes, uint32(v.Canonical(node)), c)
	}
	for _, n := range nodes {
		a.Nodes = append(a.Nodes, n)
	}
	sortSpots(a.Nodes, v.g.names.nodeHash)
	return a
}

// lister lists ways depth first, and counts shortest ones.
type lister struct {
	*View
	ctx     context.Context //nolint:containedctx // lives as long as its question
	q       PathQuestion
	to      map[uint32]int
	counts  map[uint32]int
	used    map[uint32]bool
	longest int
	out     [][]uint32
}

// next gives what one hop leads to that lies on a way.
func (l *lister) next(id uint32) []uint32 {
	var r reach
	if l.q.ByColumn {
		r = l.walkColumns(l.ctx, []ColumnID{ColumnID(id)}, false, l.q.Flow, 1).reach
	} else {
		r = l.walkNodes(l.ctx, []NodeID{NodeID(id)}, false, 1)
	}
	if len(r.ends) < 2 {
		return nil
	}
	return r.ids[r.ends[0]:r.ends[1]]
}

func (l *lister) list(id uint32, way []uint32) {
	if len(l.out) >= l.q.List {
		return
	}
	way = append(way, id)
	if id == l.q.To {
		l.out = append(l.out, append([]uint32(nil), way...))
		return
	}
	l.used[id] = true
	for _, next := range l.next(id) {
		if left, ok := l.to[next]; ok && !l.used[next] && len(way)+left <= l.longest {
			l.list(next, way)
		}
	}
	delete(l.used, id)
}

// count gives the number of shortest ways from a node to the end.
func (l *lister) count(id uint32) int {
	if id == l.q.To {
		return 1
	}
	if n, ok := l.counts[id]; ok {
		return n
	}
	n := 0
	for _, next := range l.next(id) {
		if left, ok := l.to[next]; ok && left == l.to[id]-1 {
			n = min(n+l.count(next), MaxWays)
		}
	}
	l.counts[id] = n
	return n
}
