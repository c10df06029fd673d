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
)

// MaxBytes is the length of a statement above which TiDB's parser is not asked: it
// takes some 200 times the text in memory.
const MaxBytes = 256 << 10

// parsers keeps parsers between statements: making one costs more than parsing.
var parsers = sync.Pool{New: func() any { return parser.New() }}

// Parse reads one statement, whose nesting the caller has bounded: TiDB's parser
// recurses over its tree. base is the offset of the text in its script.
func Parse(text string, base int32) (st *ir.Statement, ok bool) {
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
	l := &lowering{base: base}
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
}

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
	n := ir.Name{Span: l.span(t)}
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

func (l *lowering) columnName(c *ast.ColumnName) ir.Name {
	n := ir.Name{Span: l.span(c)}
	if c.Schema.O != "" {
		n.Parts = append(n.Parts, l.ident(c.Schema))
	}
	if c.Table.O != "" {
		n.Parts = append(n.Parts, l.ident(c.Table))
	}
	n.Parts = append(n.Parts, l.ident(c.Name))
	return n
}
