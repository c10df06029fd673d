// Package tidb lowers the AST of TiDB's MySQL parser into package ir. It reads one
// statement at a time; where it returns false, TiDB's parser refused the statement
// or has no tree that lineage could be read from (stored programs), and our own
// grammar is to be asked.
package tidb

import (
	"sync"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // makes values of literals

	"github.com/tributary-data/tributary/parser/ir"
	"github.com/tributary-data/tributary/parser/slab"
)

// MaxBytes is the length of a statement above which TiDB's parser is not asked: it
// takes some 200 times the text in memory.
const MaxBytes = 256 << 10

// parsers keeps parsers between statements: making one costs more than parsing.
var parsers = sync.Pool{New: func() any { return parser.New() }}

// Room is the memory that statements are lowered into. It goes from one statement to
// the next, and from one script to the next: much of the time of lowering a short one
// would else go into allocating.
type Room struct {
	exprs  slab.Of[ir.Expr]
	args   slab.Of[*ir.Expr]
	idents slab.Of[ir.Ident]
	items  slab.Of[ir.Item]
	froms  slab.Of[ir.From]
	tables slab.Of[*ir.From]

	queries slab.Of[ir.Query]
	selects slab.Of[ir.Select]
	calls   slab.Of[ir.Call]
	columns slab.Of[ir.InsertColumn]
	slabs   slab.Group
}

// rooms are those that were released.
var rooms = sync.Pool{New: func() any {
	r := &Room{}
	r.slabs = slab.Group{&r.exprs, &r.args, &r.idents, &r.items, &r.froms, &r.tables, &r.queries, &r.selects, &r.calls, &r.columns}
	return r
}}

// Borrow gives an empty room.
func Borrow() *Room {
	r, _ := rooms.Get().(*Room)
	return r
}

// Keep makes the statements read so far stay when Back is called.
func (r *Room) Keep() { r.slabs.Keep() }

// Back takes back the memory of the statements read since Keep was called. Nobody may
// look at them again; strings of them stay good.
func (r *Room) Back() { r.slabs.Back() }

// Release gives the memory of all statements to a later Borrow.
func (r *Room) Release() {
	r.slabs.Reset()
	rooms.Put(r)
}

// Parse reads one statement into the room, or into memory of its own if that is nil.
// The caller has bounded its nesting: TiDB's parser recurses over its tree. base is the
// offset of the text in its script.
func Parse(text string, base int32, room *Room) (st *ir.Statement, ok bool) {
	if len(text) > MaxBytes {
		return nil, false
	}
	defer func() {
		if recover() != nil {
			st, ok = nil, false
		}
	}()
	p, isParser := parsers.Get().(*parser.Parser)
	if !isParser {
		p = parser.New()
	}
	nodes, _, err := p.ParseSQL(text)
	if err != nil || len(nodes) != 1 {
		parsers.Put(p)
		return nil, false
	}
	l := &lowering{base: base, room: room}
	node, ok := l.statement(nodes[0])
	// Only now: the parser keeps nodes, and writes to them when it reads the next text.
	parsers.Put(p)
	if !ok {
		return nil, false
	}
	return &ir.Statement{Span: ir.Span{Start: base, End: base + int32(len(text))}, Node: node}, true
}

// lowering turns one statement's AST into the IR. after is the last place seen: what
// has no place of its own in the AST is explained with it.
type lowering struct {
	base, after int32
	room        *Room
}

func (l *lowering) newQuery(q ir.Query) (at *ir.Query) {
	if l.room == nil {
		at = new(ir.Query)
	} else {
		at = l.room.queries.One()
	}
	*at = q
	return at
}

func (l *lowering) newSelect(s ir.Select) (at *ir.Select) {
	if l.room == nil {
		at = new(ir.Select)
	} else {
		at = l.room.selects.One()
	}
	*at = s
	return at
}

func (l *lowering) newCall(c ir.Call) (at *ir.Call) {
	if l.room == nil {
		at = new(ir.Call)
	} else {
		at = l.room.calls.One()
	}
	*at = c
	return at
}

func (l *lowering) columnsRoom(n int) []ir.InsertColumn {
	if l.room == nil {
		return make([]ir.InsertColumn, 0, n)
	}
	return l.room.columns.Room(n)
}

func (l *lowering) newExpr(e ir.Expr) (at *ir.Expr) {
	if l.room == nil {
		at = new(ir.Expr)
	} else {
		at = l.room.exprs.One()
	}
	*at = e
	return at
}

func (l *lowering) newFrom(f ir.From) (at *ir.From) {
	if l.room == nil {
		at = new(ir.From)
	} else {
		at = l.room.froms.One()
	}
	*at = f
	return at
}

func (l *lowering) argsRoom(n int) []*ir.Expr {
	if l.room == nil {
		return make([]*ir.Expr, 0, n)
	}
	return l.room.args.Room(n)
}

func (l *lowering) identsRoom(n int) []ir.Ident {
	if l.room == nil {
		return make([]ir.Ident, 0, n)
	}
	return l.room.idents.Room(n)
}

func (l *lowering) itemsRoom(n int) []ir.Item {
	if l.room == nil {
		return make([]ir.Item, 0, n)
	}
	return l.room.items.Room(n)
}

func (l *lowering) tablesRoom(n int) []*ir.From {
	if l.room == nil {
		return make([]*ir.From, 0, n)
	}
	return l.room.tables.Room(n)
}

// alone gives a list of one element.
func (l *lowering) alone(f *ir.From) []*ir.From { return append(l.tablesRoom(1), f) }

// at is the place of a node that knows its own, else of the one before.
func (l *lowering) at(n ast.Node) int32 {
	if p := int32(n.OriginTextPosition()); p > 0 {
		l.after = l.base + p
		return l.after
	}
	return max(l.after, l.base)
}

func (l *lowering) span(n ast.Node) ir.Span {
	at := l.at(n)
	return ir.Span{Start: at, End: at}
}

func (l *lowering) ident(c ast.CIStr) ir.Ident {
	return ir.Ident{Name: c.O, Start: max(l.after, l.base)}
}

func (l *lowering) name(t *ast.TableName) ir.Name {
	n := ir.Name{Span: l.span(t), Parts: l.identsRoom(2)}
	if t.Schema.O != "" {
		n.Parts = append(n.Parts, l.ident(t.Schema))
	}
	n.Parts = append(n.Parts, l.ident(t.Name))
	return n
}

func (l *lowering) names(list []*ast.TableName) []ir.Name {
	out := make([]ir.Name, len(list))
	for i, t := range list {
		out[i] = l.name(t)
	}
	return out
}

func columnParts(c *ast.ColumnName) int {
	switch {
	case c.Schema.O != "":
		return 3
	case c.Table.O != "":
		return 2
	}
	return 1
}

func (l *lowering) columnName(c *ast.ColumnName) ir.Name {
	n := ir.Name{Span: l.span(c), Parts: l.identsRoom(columnParts(c))}
	if c.Schema.O != "" {
		n.Parts = append(n.Parts, l.ident(c.Schema))
	}
	if c.Table.O != "" {
		n.Parts = append(n.Parts, l.ident(c.Table))
	}
	n.Parts = append(n.Parts, l.ident(c.Name))
	return n
}
