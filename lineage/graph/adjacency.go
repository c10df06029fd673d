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
	// set has a neighbour in the high half, and in the direction of the flow its
	// owner in the low one: with manyOwners set it is an index into lists.
	set    []uint64
	lists  [][]uint32
	gone   []uint32
	degree int
}

// find gives the place of a neighbour among those that are set, or the place
// at which it would be.
func (p *patch) find(to uint32) (int, bool) {
	i, _ := slices.BinarySearch(p.set, uint64(to)<<32)
	return i, i < len(p.set) && neighbour(p.set[i]) == to
}

func neighbour(entry uint64) uint32 { return uint32(entry >> 32) }

// ownersOf appends the owners of an entry of set.
func (p *patch) ownersOf(entry uint64, buf []uint32) []uint32 {
	o := uint32(entry)
	if o&manyOwners == 0 {
		return append(buf, o)
	}
	return append(buf, p.lists[o&^manyOwners]...)
}

// add adds an entry of set behind those that are there; owners stay as they are
// from then on.
func (p *patch) add(to uint32, owners []uint32) {
	o := owners[0]
	if len(owners) > 1 {
		o = uint32(len(p.lists)) | manyOwners
		p.lists = append(p.lists, owners)
	}
	p.set = append(p.set, uint64(to)<<32|uint64(o))
}

// pass takes over what an older patch has before a neighbour. What that has of the
// neighbour itself is left out, and old is what it has behind.
func (p *patch) pass(old *patch, to uint32) {
	set, there := old.find(to)
	gone, marked := slices.BinarySearch(old.gone, to)
	p.take(old, set, gone)
	if there {
		old.set = old.set[1:]
	}
	if marked {
		old.gone = old.gone[1:]
	}
}

// rest takes over all that an older patch has left.
func (p *patch) rest(old *patch) { p.take(old, len(old.set), len(old.gone)) }

// take takes the first entries over from an older patch.
func (p *patch) take(old *patch, set, gone int) {
	if len(old.lists) == 0 {
		p.set = append(p.set, old.set[:set]...)
	} else { // of the lists only those that are still in use
		for _, e := range old.set[:set] {
			if o := uint32(e); o&manyOwners != 0 {
				p.add(neighbour(e), old.lists[o&^manyOwners])
			} else {
				p.set = append(p.set, e)
			}
		}
	}
	p.gone = append(p.gone, old.gone[:gone]...)
	old.set, old.gone = old.set[set:], old.gone[gone:]
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
		for i < len(p.set) && neighbour(p.set[i]) < to {
			out = append(out, neighbour(p.set[i]))
			i++
		}
		if i < len(p.set) && neighbour(p.set[i]) == to {
			i++
		} else if _, gone := slices.BinarySearch(p.gone, to); gone {
			continue
		}
		out = append(out, to)
	}
	for ; i < len(p.set); i++ {
		out = append(out, neighbour(p.set[i]))
	}
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
			if _, ok := p.find(to); ok {
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
		if i, ok := p.find(to); ok {
			return p.ownersOf(p.set[i], buf)
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

// apply gives the adjacency with the changes made, those of one owner and edge
// in their order.
func (a adjacency) apply(changes []change, edit *editToken) adjacency {
	var back []change
	grouped(changes, func(c *change) uint32 { return c.from }, func(group []change) {
		back = a.patchOut(group, back, edit)
	})
	// Changes of one end come in the order of their starts.
	grouped(back, func(c *change) uint32 { return c.to }, func(group []change) { a.patchIn(group, edit) })
	return a
}

// grouped calls f with the changes of each id in turn, in the order in which
// they came. The slice is good until the next call.
func grouped(changes []change, id func(*change) uint32, f func([]change)) {
	keys := make([]uint64, len(changes)) // sorting numbers is fast
	for i := range changes {
		keys[i] = uint64(id(&changes[i]))<<32 | uint64(i)
	}
	slices.Sort(keys)
	var group []change
	for i := 0; i < len(keys); {
		group = group[:0]
		for first := keys[i] >> 32; i < len(keys) && keys[i]>>32 == first; i++ {
			group = append(group, changes[uint32(keys[i])])
		}
		f(group)
	}
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
// to back the edges that came or went. It sorts changes.
func (a *adjacency) patchOut(changes []change, back []change, edit *editToken) []change {
	slices.SortStableFunc(changes, func(x, y change) int { return cmp3(x.to, y.to, x.owner, y.owner, 0, 0) })
	from := changes[0].from
	old := a.out.patchOf(from)
	next := patch{degree: a.out.degree(from), set: make([]uint64, 0, len(old.set)+len(changes))}
	list := a.out.list(from)
	var room [8]uint32
	for len(changes) > 0 {
		to, n := changes[0].to, 0
		owners := a.out.owners(from, to, room[:0])
		was := len(owners) > 0
		for n < len(changes) && changes[n].to == to {
			owners = withOwner(owners, changes[n])
			n++
		}
		changes = changes[n:]
		is := len(owners) > 0
		next.pass(&old, to)
		switch {
		case len(owners) > 1:
			next.add(to, slices.Clone(owners))
		case is:
			next.add(to, owners)
		case based(list, to):
			next.gone = append(next.gone, to)
		}
		if was != is {
			back = append(back, change{from: from, to: to, gone: was})
			next.degree += delta(is)
			a.edges += delta(is)
		}
		a.patched++
	}
	next.rest(&old)
	a.out.over.set(from, &next, edit)
	a.out.markDirty(from)
	return back
}

// patchOf gives a copy of what lies over an id.
func (h *half) patchOf(id uint32) patch {
	if p := h.over.get(id); p != nil {
		return *p
	}
	return patch{}
}

// based reports whether a list of the base has a neighbour.
func based(list []uint32, to uint32) bool {
	_, ok := slices.BinarySearch(list, to)
	return ok
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

// patchIn notes the edges that came into or went from one id, sorted by where
// they start.
func (a *adjacency) patchIn(back []change, edit *editToken) {
	to := back[0].to
	old := a.in.patchOf(to)
	next := patch{degree: a.in.degree(to), set: make([]uint64, 0, len(old.set)+len(back))}
	list := a.in.list(to)
	for _, c := range back {
		next.degree += delta(!c.gone)
		next.pass(&old, c.from)
		switch {
		case !c.gone && !based(list, c.from):
			next.set = append(next.set, uint64(c.from)<<32)
		case c.gone && based(list, c.from):
			next.gone = append(next.gone, c.from)
		}
	}
	next.rest(&old)
	a.in.over.set(to, &next, edit)
	a.in.markDirty(to)
}
