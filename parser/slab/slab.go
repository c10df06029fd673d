// Package slab hands out many small values from few pieces of memory, which can be
// used again. What reads and resolves SQL makes thousands of them for a statement of
// a few kilobytes.
package slab

import (
	"slices"
	"unsafe"
)

// Of hands out values and slices of one type. The zero Of is ready. Chunks grow with
// what is asked for; they are kept, so that they are found again after Reset.
type Of[T any] struct {
	free   []T
	size   int // of the next chunk
	chunks [][]T
	used   int // of the chunks
	taken  int // values in those, and in lists that grew too long for them
	ready  int // values in chunks that Back left for what follows
	kept   place[T]
}

// place is how far a slab was handed out at some time.
type place[T any] struct {
	free        []T
	used, taken int
}

// Slab is what a group can do with slabs of any type.
type Slab interface {
	Bytes() int
	Keep()
	Back()
	Reset()
}

// Group are the slabs of one piece of work.
type Group []Slab

// Bytes is the memory that all of them handed out.
func (g Group) Bytes() int {
	n := 0
	for _, s := range g {
		n += s.Bytes()
	}
	return n
}

// Keep does what each slab's Keep does.
func (g Group) Keep() {
	for _, s := range g {
		s.Keep()
	}
}

// Back does what each slab's Back does.
func (g Group) Back() {
	for _, s := range g {
		s.Back()
	}
}

// Reset does what each slab's Reset does.
func (g Group) Reset() {
	for _, s := range g {
		s.Reset()
	}
}

// The bounds of a chunk's size: the first unless Size says otherwise, and the most.
const (
	smallest = 16
	largest  = 512
)

// Size says how many values are expected, so that one chunk holds them.
func (s *Of[T]) Size(n int) { s.size = min(max(n, 2), largest) }

// One hands out a zero value.
func (s *Of[T]) One() *T {
	if len(s.free) == 0 {
		s.grow(1)
	}
	v := &s.free[0]
	s.free = s.free[1:]
	return v
}

// Room hands out an empty slice with room for n values, and none behind it.
func (s *Of[T]) Room(n int) []T {
	if len(s.free) < n {
		s.grow(n)
	}
	room := s.free[:0:n]
	s.free = s.free[n:]
	return room
}

// Copy hands out a slice that holds the values, with no room behind it.
func (s *Of[T]) Copy(values []T) []T {
	if len(values) == 0 {
		return nil
	}
	return append(s.Room(len(values)), values...)
}

// Append appends a value to a slice that was handed out, in other memory if there is
// no room behind it.
func (s *Of[T]) Append(list []T, v T) []T {
	if len(list) == cap(list) && len(list) < largest {
		list = append(s.Room(max(2, 2*len(list))), list...)
	}
	before := cap(list)
	list = append(list, v)
	if cap(list) > before { // what it was in before counts on: both are there meanwhile
		s.taken += cap(list)
	}
	return list
}

// grow goes to the next chunk that has room for n values.
func (s *Of[T]) grow(n int) {
	if n > largest {
		// It goes before the chunks that stand ready: to go past them would be to hand
		// them out.
		s.chunks = slices.Insert(s.chunks, s.used, make([]T, n))
	}
	for s.used < len(s.chunks) && len(s.chunks[s.used]) < n {
		s.taken += len(s.chunks[s.used])
		s.used++
	}
	if s.used == len(s.chunks) {
		if s.size == 0 {
			s.size = smallest
		}
		s.chunks = append(s.chunks, make([]T, max(n, s.size)))
		s.size = min(2*s.size, largest)
	}
	s.free = s.chunks[s.used]
	s.taken += len(s.free)
	s.used++
}

// Bytes is the memory that was handed out, with what stands ready in the last chunk
// and behind it.
func (s *Of[T]) Bytes() int {
	var one T
	return max(s.taken, s.ready) * int(unsafe.Sizeof(one))
}

// Keep makes what was handed out so far stay when Back is called.
func (s *Of[T]) Keep() { s.kept = place[T]{s.free, s.used, s.taken} }

// mostReady is how many chunks Back leaves for what follows. What took more is rare,
// and its memory is given up.
const mostReady = 8

// Back takes back what was handed out since Keep was called, or from the start. Nobody
// may use it any more.
func (s *Of[T]) Back() {
	k := s.kept
	if s.used == k.used {
		clear(k.free[:len(k.free)-len(s.free)])
		s.free, s.taken = k.free, k.taken
		return
	}
	clear(k.free)
	s.clear(k.used)
	s.drop(k.used, mostReady)
	s.free, s.used, s.taken, s.ready = k.free, k.used, k.taken, k.taken
	for _, c := range s.chunks[k.used:] {
		s.ready += len(c)
	}
}

// drop gives up the chunks from one on that hold more than usual, and those beyond a
// number.
func (s *Of[T]) drop(from, most int) {
	large := func(c []T) bool { return len(c) > largest }
	if len(s.chunks)-from <= most && !slices.ContainsFunc(s.chunks[from:], large) {
		return
	}
	rest := from
	for _, c := range s.chunks[from:] {
		if !large(c) && rest-from < most {
			s.chunks[rest] = c
			rest++
		}
	}
	clear(s.chunks[rest:])
	s.chunks = s.chunks[:rest]
}

// clear empties the chunks from one on.
func (s *Of[T]) clear(from int) {
	for i, c := range s.chunks[from:s.used] {
		if i == s.used-from-1 {
			c = c[:len(c)-len(s.free)]
		}
		clear(c)
	}
}

// Reset takes back everything that was handed out. Nobody may use it any more.
func (s *Of[T]) Reset() {
	if s.used == 0 {
		s.taken, s.ready = 0, 0
		return
	}
	s.clear(0)
	s.drop(0, len(s.chunks))
	s.free, s.used, s.taken, s.ready = nil, 0, 0, 0
	s.kept = place[T]{}
}
