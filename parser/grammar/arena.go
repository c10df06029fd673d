package grammar

import "github.com/tributary-data/tributary/parser/ir"

// slab hands out values and slices from chunks, so that a tree of many small
// nodes costs few allocations. Chunks grow with the source. They are kept, so that
// the next source finds them once the slab has been reset.
type slab[T any] struct {
	free   []T
	chunk  int
	chunks [][]T
	used   int // of the chunks
}

func (s *slab[T]) one() *T {
	if len(s.free) == 0 {
		s.grow(1)
	}
	v := &s.free[0]
	s.free = s.free[1:]
	return v
}

// copy gives a slice that holds the values, with no room behind it.
func (s *slab[T]) copy(values []T) []T {
	n := len(values)
	if n == 0 {
		return nil
	}
	if len(s.free) < n {
		s.grow(n)
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	copy(out, values)
	return out
}

// grow goes to the next chunk that has room for n values.
func (s *slab[T]) grow(n int) {
	for s.used < len(s.chunks) {
		next := s.chunks[s.used]
		s.used++
		if len(next) >= n {
			s.free = next
			return
		}
	}
	s.free = make([]T, max(n, s.chunk))
	s.chunks = append(s.chunks, s.free)
	s.used++
	if s.chunk > 32 && s.chunk < maxChunk {
		s.chunk /= 2 // the first was made for the whole source
	}
}

// reset takes back all values that were handed out.
func (s *slab[T]) reset() {
	for _, c := range s.chunks[:s.used] {
		clear(c)
	}
	s.free, s.used = nil, 0
}

const maxChunk = 512

// arena holds the slabs of one parse, and the stacks on which lists are gathered
// before their length is known.
type arena struct {
	exprs   slab[ir.Expr]
	args    slab[*ir.Expr]
	idents  slab[ir.Ident]
	items   slab[ir.Item]
	froms   slab[ir.From]
	tables  slab[*ir.From]
	query   slab[ir.Query]
	selcts  slab[ir.Select]
	columns slab[ir.InsertColumn]

	toks       []token // room for the tokens of the next parse
	argStack   []*ir.Expr
	identStack []ir.Ident
	itemStack  []ir.Item
}

// size sets the first chunks for a source of n tokens. Analytic statements have an
// expression for about every third or fourth token and a table for every fiftieth.
func (a *arena) size(n int) {
	a.exprs.chunk = chunkFor(n * 3 / 10)
	a.args.chunk = chunkFor(n / 6)
	a.idents.chunk = chunkFor(n * 3 / 8)
	a.items.chunk = chunkFor(n / 16)
	a.columns.chunk = chunkFor(n / 64)
	a.froms.chunk = chunkFor(n / 44)
	a.tables.chunk = chunkFor(n / 44)
	a.query.chunk = chunkFor(n / 80)
	a.selcts.chunk = chunkFor(n / 80)
}

// reset takes back everything that was handed out.
func (a *arena) reset() {
	a.exprs.reset()
	a.args.reset()
	a.idents.reset()
	a.items.reset()
	a.columns.reset()
	a.froms.reset()
	a.tables.reset()
	a.query.reset()
	a.selcts.reset()
	clear(a.argStack[:cap(a.argStack)])
	clear(a.identStack[:cap(a.identStack)])
	clear(a.itemStack[:cap(a.itemStack)])
	a.argStack, a.identStack, a.itemStack = a.argStack[:0], a.identStack[:0], a.itemStack[:0]
}

func chunkFor(n int) int { return min(max(n, 2), maxChunk) }

// Lists are gathered on a stack: mark it, push, and take what was pushed. A list that
// is as long as this and is all of its stack takes the stack instead of a copy.
const wholeStack = 16 << 10

func (a *arena) takeArgs(mark int) []*ir.Expr {
	if mark == 0 && len(a.argStack) >= wholeStack {
		out := a.argStack
		a.argStack = nil
		return out
	}
	out := a.args.copy(a.argStack[mark:])
	a.argStack = a.argStack[:mark]
	return out
}

func (a *arena) takeIdents(mark int) []ir.Ident {
	out := a.idents.copy(a.identStack[mark:])
	a.identStack = a.identStack[:mark]
	return out
}

func (a *arena) takeItems(mark int) []ir.Item {
	if mark == 0 && len(a.itemStack) >= wholeStack {
		out := a.itemStack
		a.itemStack = nil
		return out
	}
	out := a.items.copy(a.itemStack[mark:])
	a.itemStack = a.itemStack[:mark]
	return out
}
