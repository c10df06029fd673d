package graph

import (
	"sync/atomic"
)

// NodeID is an interned node. Ids are dense, from 0, in the order in which names
// were first seen, and mean nothing outside one Graph.
type NodeID uint32

// ColumnID is an interned column, in the same way.
type ColumnID uint32

// NoID is no node and no column.
const NoID = ^uint32(0)

const (
	chunkBits = 12
	chunkSize = 1 << chunkBits
)

// column says which node a column belongs to, and the node's column that was
// interned before it. Tables share the names of many columns, so name is the
// number of a text.
type column struct {
	hash       uint64
	name, prev uint32
	node       NodeID
}

// list is an append-only list that one writer extends and any number of
// readers read without locks. What is in it never changes.
type list[T any] struct {
	chunks atomic.Pointer[[]*[chunkSize]T]
	n      atomic.Uint32
}

// len gives the number of elements that may be read.
func (l *list[T]) len() uint32 { return l.n.Load() }

// at returns element i, which must be less than len.
func (l *list[T]) at(i uint32) *T {
	return &(*l.chunks.Load())[i>>chunkBits][i&(chunkSize-1)]
}

// add appends v and returns its index.
func (l *list[T]) add(v T) uint32 {
	i := l.n.Load()
	var chunks []*[chunkSize]T
	if p := l.chunks.Load(); p != nil {
		chunks = *p
	}
	if int(i>>chunkBits) == len(chunks) {
		grown := make([]*[chunkSize]T, len(chunks)+1)
		copy(grown, chunks)
		grown[len(chunks)] = new([chunkSize]T)
		l.chunks.Store(&grown)
		chunks = grown
	}
	chunks[i>>chunkBits][i&(chunkSize-1)] = v
	l.n.Store(i + 1)
	return i
}

// hashIndex finds the index that a 64-bit id was given. It is an open table
// of indices; what is behind them is asked of the caller, who has it anyway.
// Readers and the writer may use it at once: a reader sees an index, or does
// not see it yet.
type hashIndex struct {
	slots atomic.Pointer[[]atomic.Uint32]
	used  uint32
}

// get returns the index under id for which is holds, NoID if there is none.
func (h *hashIndex) get(id uint64, is func(uint32) bool) uint32 {
	p := h.slots.Load()
	if p == nil {
		return NoID
	}
	slots := *p
	mask := uint64(len(slots) - 1)
	for i := spread(id) & mask; ; i = (i + 1) & mask {
		v := slots[i].Load()
		if v == 0 {
			return NoID
		}
		if is(v - 1) {
			return v - 1
		}
	}
}

// guess gives the index that get would look at first, NoID if there is none.
func (h *hashIndex) guess(id uint64) uint32 {
	p := h.slots.Load()
	if p == nil {
		return NoID
	}
	slots := *p
	return slots[spread(id)&uint64(len(slots)-1)].Load() - 1
}

// put notes index under id. The caller has made sure that it is new.
func (h *hashIndex) put(id uint64, index uint32, idOf func(uint32) uint64) {
	p := h.slots.Load()
	if p == nil || int(h.used+1)*4 > len(*p)*3 {
		p = h.grow(idOf)
	}
	insert(*p, id, index)
	h.used++
}

func (h *hashIndex) grow(idOf func(uint32) uint64) *[]atomic.Uint32 {
	old := h.slots.Load()
	size := 1024
	if old != nil {
		size = 2 * len(*old)
	}
	grown := make([]atomic.Uint32, size)
	if old != nil {
		for i := range *old {
			if v := (*old)[i].Load(); v != 0 {
				insert(grown, idOf(v-1), v-1)
			}
		}
	}
	h.slots.Store(&grown)
	return &grown
}

// reserve makes room for n entries at once.
func (h *hashIndex) reserve(n int, idOf func(uint32) uint64) {
	for {
		p := h.slots.Load()
		if p != nil && n*4 <= len(*p)*3 {
			return
		}
		h.grow(idOf)
	}
}

func insert(slots []atomic.Uint32, id uint64, index uint32) {
	mask := uint64(len(slots) - 1)
	i := spread(id) & mask
	for slots[i].Load() != 0 {
		i = (i + 1) & mask
	}
	slots[i].Store(index + 1)
}

// spread mixes the bits of an id, so that ids which are not hashes (in tests)
// do not pile up.
func spread(id uint64) uint64 {
	id ^= id >> 32
	id *= 0x9E3779B97F4A7C15
	return id ^ id>>29
}
