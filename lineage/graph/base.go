package graph

import (
	"slices"
	"sync/atomic"
)

// arc is an edge as one owner contributes it, in a form that sorts by start.
type arc struct{ from, to, owner uint32 }

// build makes an adjacency of arcs, which may come in any order. each is
// called twice and must give the same arcs both times; froms and tos are the
// numbers of ids on either side.
func build(froms, tos int, each func(yield func(arc))) adjacency {
	b := newBase(froms)
	start := make([]uint32, froms+1)
	n := 0
	each(func(a arc) { start[a.from+1]++; n++ })
	for i := range froms {
		start[i+1] += start[i]
	}
	fill := slices.Clone(start[:froms])
	packed := make([]uint64, n)
	each(func(a arc) {
		packed[fill[a.from]] = uint64(a.to)<<32 | uint64(a.owner)
		fill[a.from]++
	})
	sideBySide(froms, func(first, end int) {
		for id := first; id < end; id++ {
			slices.Sort(packed[start[id]:start[id+1]])
		}
	})
	w := newBaseWriter(b, n)
	for id := range froms {
		list := packed[start[id]:start[id+1]]
		for i := 0; i < len(list); {
			j := i + 1
			for j < len(list) && list[j]>>32 == list[i]>>32 {
				j++
			}
			w.add(uint32(list[i]>>32), list[i:j])
			i = j
		}
		w.end(id)
	}
	b.trim()
	return adjacency{out: half{base: b}, in: half{base: reversed(b, tos)}, edges: len(b.to)}
}

// cut lets go of the ids after the last one that has edges: the nodes of tasks,
// which have none, come after all others when a graph is loaded.
func (b *base) cut() {
	n := len(b.off) - 1
	for n > 0 && b.off[n-1] == b.off[n] {
		n--
	}
	if spare := len(b.off) - 1 - n; spare > n/32 {
		b.off, b.dirty = slices.Clone(b.off[:n+1]), make([]atomic.Uint64, n/64+1)
	}
}

// trim gives back room for edges that turned out to be one, and for ids
// without edges.
func (b *base) trim() {
	b.cut()
	if cap(b.to) > len(b.to)+len(b.to)/32 {
		b.to, b.owner = slices.Clone(b.to), slices.Clone(b.owner)
	}
	b.multi, b.multiOff = slices.Clone(b.multi), slices.Clone(b.multiOff)
}

// baseWriter fills a base in the order of ids.
type baseWriter struct{ b *base }

func newBaseWriter(b *base, edges int) baseWriter {
	b.to, b.owner = make([]uint32, 0, edges), make([]uint32, 0, edges)
	b.multiOff = []uint32{0}
	return baseWriter{b}
}

// add writes one edge; the owners are the low halves of packed.
func (w baseWriter) add(to uint32, packed []uint64) {
	b := w.b
	b.to = append(b.to, to)
	if len(packed) == 1 {
		b.owner = append(b.owner, uint32(packed[0]))
		return
	}
	b.owner = append(b.owner, uint32(len(b.multiOff)-1)|manyOwners)
	for _, p := range packed {
		b.multi = append(b.multi, uint32(p))
	}
	b.multiOff = append(b.multiOff, uint32(len(b.multi)))
}

// addOwners writes one edge with its owners.
func (w baseWriter) addOwners(to uint32, owners []uint32) {
	b := w.b
	b.to = append(b.to, to)
	if len(owners) == 1 {
		b.owner = append(b.owner, owners[0])
		return
	}
	b.owner = append(b.owner, w.list(owners))
}

// list writes a list of owners, and gives what stands for it.
func (w baseWriter) list(owners []uint32) uint32 {
	b := w.b
	b.multi = append(b.multi, owners...)
	b.multiOff = append(b.multiOff, uint32(len(b.multi)))
	return uint32(len(b.multiOff)-2) | manyOwners
}

// end ends the list of an id; every id is ended once, in order.
func (w baseWriter) end(id int) { w.b.off[id+1] = uint32(len(w.b.to)) }

// reversed gives the other direction of a base: lists are sorted, since they
// are filled in the order of their starts.
func reversed(b *base, tos int) *base {
	r := newBase(tos)
	for _, to := range b.to {
		r.off[to+1]++
	}
	for i := range tos {
		r.off[i+1] += r.off[i]
	}
	fill := slices.Clone(r.off[:tos])
	r.to = make([]uint32, len(b.to))
	for from := range b.ids() {
		for _, to := range b.list(from) {
			r.to[fill[to]] = from
			fill[to]++
		}
	}
	r.cut()
	return r
}

// merged gives the same edges as one new base with nothing over it. It only
// copies, so it costs a fraction of build.
func (a *adjacency) merged(froms, tos int) adjacency {
	b := newBase(froms)
	w := newBaseWriter(b, a.edges)
	var buf, owners []uint32
	for id := uint32(0); id < uint32(froms); {
		if end := a.out.cleanFrom(id, uint32(froms)); end > id {
			a.out.copyClean(id, end, w)
			id = end
			continue
		}
		for _, to := range a.out.neighbours(id, &buf) {
			owners = a.out.owners(id, to, owners[:0])
			w.addOwners(to, owners)
		}
		w.end(int(id))
		id++
	}
	b.cut()
	return adjacency{out: half{base: b}, in: half{base: reversed(b, tos)}, edges: len(b.to)}
}

// cleanFrom gives the end of a run of ids over which no patch lies.
func (b *base) cleanFrom(id, most uint32) uint32 {
	for id < most && !b.isDirty(id) {
		id++
	}
	return id
}

// copyClean copies the lists of ids over which no patch lies.
func (b *base) copyClean(id, end uint32, w baseWriter) {
	first, last, moved := b.off[id], b.off[end], uint32(len(w.b.to))-b.off[id]
	for ; id < end; id++ {
		w.b.off[id+1] = b.off[id+1] + moved
	}
	w.b.to = append(w.b.to, b.to[first:last]...)
	w.b.owner = append(w.b.owner, b.owner[first:last]...)
	if len(b.multi) == 0 {
		return
	}
	owners := w.b.owner[first+moved:]
	for i, o := range owners {
		if o&manyOwners != 0 {
			owners[i] = w.list(b.ownersAt(first+uint32(i), nil))
		}
	}
}
