package grammar

import (
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

	toks       []token // room for the tokens of the next parse
	argStack   []*ir.Expr
	identStack []ir.Ident
	itemStack  []ir.Item
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

// reset takes back everything that was handed out.
func (a *arena) reset() {
	a.exprs.Reset()
	a.args.Reset()
	a.idents.Reset()
	a.items.Reset()
	a.columns.Reset()
	a.froms.Reset()
	a.tables.Reset()
	a.query.Reset()
	a.selcts.Reset()
	clear(a.argStack[:cap(a.argStack)])
	clear(a.identStack[:cap(a.identStack)])
	clear(a.itemStack[:cap(a.itemStack)])
	a.argStack, a.identStack, a.itemStack = a.argStack[:0], a.identStack[:0], a.itemStack[:0]
}

// Lists are gathered on a stack: mark it, push, and take what was pushed. A list that
// is as long as this and is all of its stack takes the stack instead of a copy.
const wholeStack = 16 << 10

func (a *arena) takeArgs(mark int) []*ir.Expr {
	if mark == 0 && len(a.argStack) >= wholeStack {
		out := a.argStack
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
		a.itemStack = nil
		return out
	}
	out := a.items.Copy(a.itemStack[mark:])
	a.itemStack = a.itemStack[:mark]
	return out
}
