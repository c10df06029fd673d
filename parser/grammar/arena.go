package grammar

import (
	"unsafe"

	"github.com/tributary-data/tributary/parser/ir"
	"github.com/tributary-data/tributary/parser/slab"
)

// arena holds the slabs of one parse, and the stacks on which lists are gathered
// before their length is known.
type arena struct {
	exprs   slab.Of[ir.Expr]
	args    slab.Of[*ir.Expr]
	idents  slab.Of[ir.Ident]
	items   slab.Of[ir.Item]
	froms   slab.Of[ir.From]
	tables  slab.Of[*ir.From]
	query   slab.Of[ir.Query]
	selcts  slab.Of[ir.Select]
	columns slab.Of[ir.InsertColumn]
	cases   slab.Of[ir.Case]
	whens   slab.Of[ir.When]
	calls   slab.Of[ir.Call]
	windows slab.Of[ir.Window]
	orders  slab.Of[ir.OrderItem]
	ctes    slab.Of[ir.CTE]

	fromMore   slab.Of[ir.FromMore]
	selectMore slab.Of[ir.SelectMore]

	cteLists slab.Of[*ir.CTE]
	branches slab.Of[ir.SetBranch]

	toks       []token // room for the tokens of the next parse
	argStack   []*ir.Expr
	identStack []ir.Ident
	itemStack  []ir.Item
	heap       int // bytes outside the slabs: of stacks that were taken as they are, of rows
	keptHeap   int // heap when keep was called
	growing    int // columns that the list of an insert has room for while it is read
	slabs      slab.Group
}

func newArena() *arena {
	a := &arena{}
	a.slabs = slab.Group{
		&a.exprs, &a.args, &a.idents, &a.items, &a.froms, &a.tables, &a.query, &a.selcts, &a.columns, &a.cases, &a.whens,
		&a.calls, &a.windows, &a.orders, &a.ctes, &a.cteLists, &a.branches, &a.fromMore, &a.selectMore,
	}
	return a
}

// size sets the first chunks for a source of n tokens. Analytic statements have an
// expression for about every third or fourth token and a table for every fiftieth.
func (a *arena) size(n int) {
	a.exprs.Size(n * 3 / 10)
	a.args.Size(n / 6)
	a.idents.Size(n * 3 / 8)
	a.items.Size(n / 16)
	a.columns.Size(n / 64)
	a.froms.Size(n / 44)
	a.tables.Size(n / 44)
	a.query.Size(n / 80)
	a.selcts.Size(n / 80)
}

// bytes is about the memory that was handed out, with twice that of the lists that
// grow: while one moves it is there twice.
func (a *arena) bytes() int {
	return a.slabs.Bytes() + a.heap +
		2*(listBytes(a.argStack)+listBytes(a.identStack)+listBytes(a.itemStack)+a.growing*int(unsafe.Sizeof(ir.InsertColumn{})))
}

// more gives what few elements of a FROM list have, to add to.
func (a *arena) more(f *ir.From) *ir.FromMore {
	if f.More == nil {
		f.More = a.fromMore.One()
	}
	return f.More
}

// clauses gives the clauses that few SELECTs have, to add to.
func (a *arena) clauses(s *ir.Select) *ir.SelectMore {
	if s.More == nil {
		s.More = a.selectMore.One()
	}
	return s.More
}

func listBytes[T any](list []T) int {
	var one T
	return cap(list) * int(unsafe.Sizeof(one))
}

// keep makes what was handed out so far stay when back takes back the rest.
func (a *arena) keep() {
	a.slabs.Keep()
	a.keptHeap = a.heap
}

// back takes back what was handed out since keep was called.
func (a *arena) back() {
	a.slabs.Back()
	a.heap, a.growing = a.keptHeap, 0
	a.emptyStacks()
}

// reset takes back everything that was handed out.
func (a *arena) reset() {
	a.slabs.Reset()
	a.heap, a.keptHeap, a.growing = 0, 0, 0
	a.emptyStacks()
}

// emptyStacks leaves no trace of what was gathered. Few lists are longer than a
// statement needs; those are given up.
func (a *arena) emptyStacks() {
	a.argStack, a.identStack, a.itemStack = emptied(a.argStack), emptied(a.identStack), emptied(a.itemStack)
}

func emptied[T any](list []T) []T {
	if cap(list) > maxStack {
		return nil
	}
	clear(list[:cap(list)])
	return list[:0]
}

// maxStack is the length of a stack up to which it is kept for the next statement.
const maxStack = 1 << 10

// Lists are gathered on a stack: mark it, push, and take what was pushed. A list that
// is as long as this and is all of its stack takes the stack instead of a copy.
const wholeStack = 16 << 10

func (a *arena) takeArgs(mark int) []*ir.Expr {
	if mark == 0 && len(a.argStack) >= wholeStack {
		out := a.argStack
		a.heap += listBytes(out)
		a.argStack = nil
		return out
	}
	out := a.args.Copy(a.argStack[mark:])
	a.argStack = a.argStack[:mark]
	return out
}

func (a *arena) takeIdents(mark int) []ir.Ident {
	out := a.idents.Copy(a.identStack[mark:])
	a.identStack = a.identStack[:mark]
	return out
}

func (a *arena) takeItems(mark int) []ir.Item {
	if mark == 0 && len(a.itemStack) >= wholeStack {
		out := a.itemStack
		a.heap += listBytes(out)
		a.itemStack = nil
		return out
	}
	out := a.items.Copy(a.itemStack[mark:])
	a.itemStack = a.itemStack[:mark]
	return out
}
