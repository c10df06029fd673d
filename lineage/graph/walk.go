package graph

import (
	"context"
	"sync"
)

// Flow says which column edges a walk follows.
type Flow uint8

// Flows.
const (
	FlowAll Flow = iota
	FlowDirect
	FlowIndirect
)

// Unlimited is the depth of a walk that goes on to the end.
const Unlimited = -1

// reach is what a walk reached: ids in the order of their least distance.
type reach struct {
	ids []uint32
	// ends holds, for each distance from 0, the index after its last id.
	ends []int
	// cut says that the deadline ended the walk before its end.
	cut bool
}

// bitset is a set of ids that is emptied by going over what was put in.
type bitset []uint64

// add puts id in and reports whether it was not in before.
func (b bitset) add(id uint32) bool {
	word, bit := &b[id>>6], uint64(1)<<(id&63)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

func (b bitset) remove(ids []uint32) {
	for _, id := range ids {
		b[id>>6] = 0
	}
}

// bitsets keeps empty bitsets for the next walk, since making one of millions
// of ids costs more than a walk of a few.
type bitsets struct{ pool sync.Pool }

func (p *bitsets) get(ids uint32) *bitset {
	if b, ok := p.pool.Get().(*bitset); ok && len(*b) > int(ids>>6) {
		return b
	}
	b := make(bitset, ids>>6+1+ids>>9)
	return &b
}

// put takes a bitset back, which holds no ids but those named.
func (p *bitsets) put(b *bitset, ids []uint32) {
	b.remove(ids)
	p.pool.Put(b)
}

// checkEvery is the number of ids after which a walk looks at the clock.
const checkEvery = 1 << 12

// half gives one direction of a level's edges.
func (v *View) half(l level, up bool) *half {
	if up {
		return &v.edges[l].in
	}
	return &v.edges[l].out
}

// walkNodes gives the nodes that table edges lead to from the start, which is
// at distance 0, up to a depth. Each is reached once, at its least distance.
func (v *View) walkNodes(ctx context.Context, start []NodeID, up bool, depth int) reach {
	seen := v.g.seenNodes.get(v.nodes)
	r := reach{ids: make([]uint32, 0, 64)}
	for _, id := range start {
		if seen.add(uint32(id)) {
			r.ids = append(r.ids, uint32(id))
		}
	}
	r.ends = append(r.ends, len(r.ids))
	h := v.half(levelTable, up)
	for d := 0; d != depth && !r.cut; d++ {
		last := len(r.ids)
		first := 0
		if d > 0 {
			first = r.ends[d-1]
		}
		r.ids, r.cut = h.step(ctx, r.ids, first, *seen)
		if v.permit != nil {
			r.ids = v.dropHidden(r.ids, last, seen)
		}
		if len(r.ids) == last {
			break
		}
		r.ends = append(r.ends, len(r.ids))
	}
	v.g.seenNodes.put(seen, r.ids)
	return r
}

// step appends to ids what the ids from an index on lead to and was not seen.
// It reports whether the context ended before.
func (h *half) step(ctx context.Context, ids []uint32, first int, seen bitset) (_ []uint32, cut bool) {
	var buf []uint32
	// Without a patch over it the base can be read as it is.
	off, to, based := h.off, h.to, uint32(0)
	if h.over.root == nil {
		based = h.ids()
	}
	for n, id := range ids[first:] {
		if n%checkEvery == checkEvery-1 && ctx.Err() != nil {
			return ids, true
		}
		var list []uint32
		if id < based {
			list = to[off[id]:off[id+1]]
		} else {
			list = h.neighbours(id, &buf)
		}
		for _, next := range list {
			if word, bit := &seen[next>>6], uint64(1)<<(next&63); *word&bit == 0 {
				*word |= bit
				ids = append(ids, next)
			}
		}
	}
	return ids, false
}

// dropHidden takes out of ids, from an index on, nodes that the caller may not
// see.
func (v *View) dropHidden(ids []uint32, from int, seen *bitset) []uint32 {
	kept := ids[:from]
	for _, id := range ids[from:] {
		if v.Sees(NodeID(id)) {
			kept = append(kept, id)
			continue
		}
		(*seen)[id>>6] &^= 1 << (id & 63)
	}
	return kept
}

// columnReach is what a walk along columns reached.
type columnReach struct {
	reach
	// nodes are those reached by indirect edges, which reach all of a node's
	// columns at one hop, with their distances in the same form.
	nodes reach
}

// columnWalk is a walk along column edges under way.
type columnWalk struct {
	v    *View
	up   bool
	flow Flow
	seen *bitset
	// whole are the nodes that were reached as a whole (downstream), or whose
	// indirect edges were followed (upstream).
	whole            *bitset
	wholes           []uint32
	r                columnReach
	direct, indirect *half
	buf, buf2        []uint32
}

// walkColumns gives the columns that column edges lead to from the start. An
// indirect edge goes from a column to a node: downstream it reaches the node's
// columns at one hop, upstream every column of the node leads to it.
func (v *View) walkColumns(ctx context.Context, start []ColumnID, up bool, flow Flow, depth int) columnReach {
	w := columnWalk{v: v, up: up, flow: flow, seen: v.g.seenColumns.get(v.columns), whole: v.g.seenNodes.get(v.nodes)}
	w.direct, w.indirect = v.half(levelDirect, up), v.half(levelIndirect, up)
	for _, id := range start {
		w.reached(uint32(id))
	}
	w.r.ends = append(w.r.ends, len(w.r.ids))
	w.r.nodes.ends = append(w.r.nodes.ends, 0)
	done := 0
	for d := 0; d != depth && !w.r.cut; d++ {
		last, lastNodes := len(w.r.ids), len(w.r.nodes.ids)
		for ; done < last; done++ {
			if done%checkEvery == checkEvery-1 && ctx.Err() != nil {
				w.r.cut = true
				break
			}
			w.leave(w.r.ids[done])
		}
		if len(w.r.ids) == last && len(w.r.nodes.ids) == lastNodes {
			break
		}
		w.r.ends = append(w.r.ends, len(w.r.ids))
		w.r.nodes.ends = append(w.r.nodes.ends, len(w.r.nodes.ids))
	}
	v.g.seenColumns.put(w.seen, w.r.ids)
	v.g.seenNodes.put(w.whole, w.wholes)
	return w.r
}

func (w *columnWalk) reached(id uint32) {
	if w.v.seesColumn(ColumnID(id)) && w.seen.add(id) {
		w.r.ids = append(w.r.ids, id)
	}
}

// leave follows the edges of one column.
func (w *columnWalk) leave(id uint32) {
	if w.flow != FlowIndirect {
		for _, to := range w.direct.neighbours(id, &w.buf) {
			w.reached(to)
		}
		if w.v.g.names.stars.Load() {
			w.leaveStar(id)
		}
	}
	if w.flow == FlowDirect {
		return
	}
	if w.up {
		w.leaveIndirectUp(id)
		return
	}
	for _, node := range w.indirect.neighbours(id, &w.buf) {
		w.reachWhole(node)
	}
}

// leaveStar follows the edges of the star of a column's node: the column may
// be one of those that the star stands for, and then keeps its name.
func (w *columnWalk) leaveStar(id uint32) {
	node, col := w.v.g.names.column(ColumnID(id))
	star := w.v.starOf(node)
	if star == NoID || star == id {
		return
	}
	for _, to := range w.direct.neighbours(star, &w.buf2) {
		w.reached(to)
		target, name := w.v.g.names.column(ColumnID(to))
		if name != Star {
			continue
		}
		if same := w.v.g.names.findColumn(target, col); same != ColumnID(NoID) && uint32(same) < w.v.columns && w.v.isLive(same) {
			w.reached(uint32(same))
		}
	}
}

// starOf gives a node's column `*`, NoID if it has none.
func (v *View) starOf(node NodeID) uint32 {
	star := v.g.names.star.at(uint32(node)).Load()
	if star != NoID && star >= v.columns {
		return NoID
	}
	return star
}

// reachWhole reaches all columns of a node at one hop, once.
func (w *columnWalk) reachWhole(node uint32) {
	if !w.v.Sees(NodeID(node)) || !w.whole.add(node) {
		return
	}
	w.wholes = append(w.wholes, node)
	w.r.nodes.ids = append(w.r.nodes.ids, node)
	for _, c := range w.v.columnsOf(NodeID(node)) {
		w.reached(uint32(c))
	}
}

// leaveIndirectUp follows the indirect edges into a column's node, once.
func (w *columnWalk) leaveIndirectUp(id uint32) {
	node := w.v.g.names.nodeOf(ColumnID(id))
	if !w.whole.add(uint32(node)) {
		return
	}
	w.wholes = append(w.wholes, uint32(node))
	for _, from := range w.indirect.neighbours(uint32(node), &w.buf) {
		w.reached(from)
	}
}
