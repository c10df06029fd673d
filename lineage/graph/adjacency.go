package graph

import (
	"slices"
	"sync/atomic"
)

// adjacency is the edges of one level in both directions: an immutable base,
// shared by all snapshots since the last merge, and what changed since. It is
// a value; apply gives a new one and leaves the old one as it was.
type adjacency struct {
	out, in half
	// edges is the number of edges, patched the number of changes that lie
	// over the base.
	edges, patched int
}

// half is one direction: for each id a sorted list of the ids next to it.
type half struct {
	*base
	over radix[patch]
}

// base is the compact part of one direction. The list of id i is
// to[off[i]:off[i+1]]; in the direction of the flow, owner says in the same
// place who contributes the edge.
type base struct {
	off   []uint32
	to    []uint32
	owner []uint32
	// multi holds the owners of edges that several contribute: an owner with
	// manyOwners set is an index into multiOff.
	multiOff []uint32
	multi    []uint32
	// dirty has a bit for each id over which a patch lies in some snapshot. A
	// bit is only ever set, so a reader of an older snapshot at worst looks
	// for a patch that it does not have.
	dirty []atomic.Uint64
}

// manyOwners marks an owner that stands for a list.
const manyOwners = 1 << 31

// patch is what changed for one id: neighbours that are new or whose owners
// changed, and those that are gone, each sorted.
type patch struct {
	set    []uint32
	owners [][]uint32 // beside set, in the direction of the flow only
	gone   []uint32
	degree int
}

func newBase(ids int) *base {
	return &base{off: make([]uint32, ids+1), dirty: make([]atomic.Uint64, ids/64+1)}
}

func (b *base) ids() uint32 { return uint32(len(b.off) - 1) }

// list gives the base's list of an id, empty if it came after the base.
func (b *base) list(id uint32) []uint32 {
	if id >= b.ids() {
		return nil
	}
	return b.to[b.off[id]:b.off[id+1]]
}

func (b *base) isDirty(id uint32) bool {
	return id >= b.ids() || b.dirty[id>>6].Load()>>(id&63)&1 != 0
}

func (b *base) markDirty(id uint32) {
	if id < b.ids() {
		b.dirty[id>>6].Or(1 << (id & 63))
	}
}

// ownersAt appends the owners of the base's edge at a place.
func (b *base) ownersAt(place uint32, buf []uint32) []uint32 {
	o := b.owner[place]
	if o&manyOwners == 0 {
		return append(buf, o)
	}
	i := o &^ manyOwners
	return append(buf, b.multi[b.multiOff[i]:b.multiOff[i+1]]...)
}

// neighbours gives the sorted ids next to id. The answer may share memory with
// the graph or with buf and is not to be changed; it is good until the next
// call with the same buf.
func (h *half) neighbours(id uint32, buf *[]uint32) []uint32 {
	if !h.isDirty(id) {
		return h.to[h.off[id]:h.off[id+1]]
	}
	return h.patched(id, buf)
}

func (h *half) patched(id uint32, buf *[]uint32) []uint32 {
	list, p := h.list(id), h.over.get(id)
	if p == nil {
		return list
	}
	out := (*buf)[:0]
	i := 0
	for _, to := range list {
		for i < len(p.set) && p.set[i] < to {
			out = append(out, p.set[i])
			i++
		}
		if i < len(p.set) && p.set[i] == to {
			i++
		} else if _, gone := slices.BinarySearch(p.gone, to); gone {
			continue
		}
		out = append(out, to)
	}
	out = append(out, p.set[i:]...)
	*buf = out
	return out
}

// degree gives the number of ids next to id.
func (h *half) degree(id uint32) int {
	if h.isDirty(id) {
		if p := h.over.get(id); p != nil {
			return p.degree
		}
	}
	return len(h.list(id))
}

// has reports whether there is an edge from id to to.
func (h *half) has(id, to uint32) bool {
	if h.isDirty(id) {
		if p := h.over.get(id); p != nil {
			if _, ok := slices.BinarySearch(p.set, to); ok {
				return true
			}
			if _, gone := slices.BinarySearch(p.gone, to); gone {
				return false
			}
		}
	}
	_, ok := slices.BinarySearch(h.list(id), to)
	return ok
}

// owners appends those who contribute the edge from id to to, sorted, one that
// contributes it twice (under two names that are one) twice; none if there is
// no such edge.
func (h *half) owners(id, to uint32, buf []uint32) []uint32 {
	if p := h.over.get(id); p != nil {
		if i, ok := slices.BinarySearch(p.set, to); ok {
			return append(buf, p.owners[i]...)
		}
		if _, gone := slices.BinarySearch(p.gone, to); gone {
			return buf
		}
	}
	i, ok := slices.BinarySearch(h.list(id), to)
	if !ok {
		return buf
	}
	return h.ownersAt(h.off[id]+uint32(i), buf)
}

// change says that an owner contributes an edge, or no longer does.
type change struct {
	from, to, owner uint32
	gone            bool
}

// apply gives the adjacency with the changes made. It sorts changes, those of
// one owner and edge staying in their order.
func (a adjacency) apply(changes []change, edit *editToken) adjacency {
	slices.SortStableFunc(changes, func(x, y change) int {
		return cmp3(x.from, y.from, x.to, y.to, x.owner, y.owner)
	})
	var back []change
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].from == changes[0].from {
			n++
		}
		back = a.patchOut(changes[:n], back, edit)
		changes = changes[n:]
	}
	slices.SortFunc(back, func(x, y change) int { return cmp3(x.to, y.to, x.from, y.from, 0, 0) })
	for len(back) > 0 {
		n := 1
		for n < len(back) && back[n].to == back[0].to {
			n++
		}
		a.patchIn(back[:n], edit)
		back = back[n:]
	}
	return a
}

func cmp3(a1, b1, a2, b2, a3, b3 uint32) int {
	switch {
	case a1 != b1:
		return order(a1, b1)
	case a2 != b2:
		return order(a2, b2)
	}
	return order(a3, b3)
}

func order(a, b uint32) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// patchOut makes the changes of one id in the direction of the flow, and adds
// to back the edges that came or went.
func (a *adjacency) patchOut(changes []change, back []change, edit *editToken) []change {
	from := changes[0].from
	old := a.out.over.get(from)
	next := patch{degree: a.out.degree(from)}
	if old != nil {
		next.set, next.owners, next.gone = slices.Clone(old.set), slices.Clone(old.owners), slices.Clone(old.gone)
	}
	for len(changes) > 0 {
		to, n := changes[0].to, 0
		owners := a.out.owners(from, to, nil)
		was := len(owners) > 0
		for n < len(changes) && changes[n].to == to {
			owners = withOwner(owners, changes[n])
			n++
		}
		changes = changes[n:]
		is := len(owners) > 0
		next.put(to, owners, a.out.list(from))
		if was != is {
			back = append(back, change{from: from, to: to, gone: was})
			next.degree += delta(is)
			a.edges += delta(is)
		}
		a.patched++
	}
	a.out.over.set(from, &next, edit)
	a.out.markDirty(from)
	return back
}

func delta(up bool) int {
	if up {
		return 1
	}
	return -1
}

func withOwner(owners []uint32, c change) []uint32 {
	i, ok := slices.BinarySearch(owners, c.owner)
	switch {
	case !c.gone:
		return slices.Insert(owners, i, c.owner)
	case ok:
		return slices.Delete(owners, i, i+1)
	}
	return owners
}

// put notes the owners of the edge to one neighbour; none means it is gone.
func (p *patch) put(to uint32, owners []uint32, base []uint32) {
	i, there := slices.BinarySearch(p.set, to)
	j, gone := slices.BinarySearch(p.gone, to)
	if len(owners) > 0 {
		if there {
			p.owners[i] = owners
		} else {
			p.set = slices.Insert(p.set, i, to)
			p.owners = slices.Insert(p.owners, i, owners)
		}
		if gone {
			p.gone = slices.Delete(p.gone, j, j+1)
		}
		return
	}
	if there {
		p.set = slices.Delete(p.set, i, i+1)
		p.owners = slices.Delete(p.owners, i, i+1)
	}
	if _, based := slices.BinarySearch(base, to); based && !gone {
		p.gone = slices.Insert(p.gone, j, to)
	}
}

// patchIn notes the edges that came into or went from one id.
func (a *adjacency) patchIn(back []change, edit *editToken) {
	to := back[0].to
	next := patch{degree: a.in.degree(to)}
	if old := a.in.over.get(to); old != nil {
		next.set, next.gone = slices.Clone(old.set), slices.Clone(old.gone)
	}
	list := a.in.list(to)
	for _, c := range back {
		next.degree += delta(!c.gone)
		i, there := slices.BinarySearch(next.set, c.from)
		j, gone := slices.BinarySearch(next.gone, c.from)
		_, based := slices.BinarySearch(list, c.from)
		switch {
		case c.gone && there:
			next.set = slices.Delete(next.set, i, i+1)
		case c.gone && based && !gone:
			next.gone = slices.Insert(next.gone, j, c.from)
		case !c.gone && gone:
			next.gone = slices.Delete(next.gone, j, j+1)
		case !c.gone && !based && !there:
			next.set = slices.Insert(next.set, i, c.from)
		}
	}
	a.in.over.set(to, &next, edit)
	a.in.markDirty(to)
}
