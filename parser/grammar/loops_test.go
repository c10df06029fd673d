package grammar

import (
	"fmt"
	"go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/parser/ir"
)

// consuming are the methods that take a token where they are true.
var consuming = map[string]bool{"accept": true, "word": true, "anyWord": true, "words": true, "turn": true}

// taking are the methods that take a token whatever it is; turn ends the statement if
// none is taken again and again, and the cursor then is where loops end.
var taking = map[string]bool{"next": true, "skipToken": true, "turn": true}

// TestEveryLoopGetsOn reads the grammar's own source: each round of a loop takes a token,
// as its condition or a statement of its body shows, or it counts to a bound, or it asks
// turn, which ends it where no token is taken.
func TestEveryLoopGetsOn(t *testing.T) {
	files := gotoken.NewFileSet()
	sources, err := filepath.Glob("*.go")
	require.NoError(t, err)
	loops := 0
	var loose []string
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		f, err := goparser.ParseFile(files, source, nil, 0)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			decl, ok := n.(*ast.FuncDecl)
			if ok {
				return receiver(decl) == "parser"
			}
			loop, ok := n.(*ast.ForStmt)
			if !ok {
				return true
			}
			if !usesTokens(loop) {
				return true
			}
			loops++
			if loop.Post == nil && !takes(loop.Cond) && !counts(loop) && !bodyTakes(loop.Body) {
				loose = append(loose, fmt.Sprint(files.Position(loop.Pos())))
			}
			return true
		})
	}
	require.Greater(t, loops, 100)
	require.Empty(t, loose)
}

func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	if star, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
		return star.X.(*ast.Ident).Name
	}
	return ""
}

// takes reports a condition that is true only if a token was taken or turn allows it.
func takes(cond ast.Expr) bool {
	switch e := cond.(type) {
	case *ast.ParenExpr:
		return takes(e.X)
	case *ast.BinaryExpr:
		if e.Op == gotoken.LAND {
			return takes(e.X) || takes(e.Y)
		}
		return e.Op == gotoken.LOR && takes(e.X) && takes(e.Y)
	case *ast.CallExpr:
		f, ok := e.Fun.(*ast.SelectorExpr)
		return ok && consuming[f.Sel.Name]
	}
	return false
}

// counts reports a loop over a number that its condition compares and its body changes.
func counts(loop *ast.ForStmt) bool {
	compared := map[string]bool{}
	if loop.Cond == nil {
		return false
	}
	ast.Inspect(loop.Cond, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			compared[id.Name] = true
		}
		return true
	})
	found := false
	for _, s := range loop.Body.List {
		if inc, ok := s.(*ast.IncDecStmt); ok {
			id, isName := inc.X.(*ast.Ident)
			found = found || isName && compared[id.Name]
		}
	}
	return found
}

// bodyTakes reports a body of which each round takes a token, or leaves the loop.
func bodyTakes(body *ast.BlockStmt) bool {
	found := false
	for _, s := range body.List {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); ok {
				f, ok := call.Fun.(*ast.SelectorExpr)
				found = found || ok && taking[f.Sel.Name]
			}
		case *ast.IfStmt:
			not, ok := s.Cond.(*ast.UnaryExpr)
			found = found || ok && not.Op == gotoken.NOT && takes(not.X) && leaves(s.Body)
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == gotoken.CONTINUE && !first(body, "turn") {
			found = false
		}
		_, inner := n.(*ast.ForStmt)
		return !inner
	})
	return found
}

// leaves reports a body that ends by leaving the loop.
func leaves(body *ast.BlockStmt) bool {
	switch last := body.List[len(body.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return last.Tok == gotoken.BREAK
	}
	return false
}

// first reports a body whose first statement calls a method.
func first(body *ast.BlockStmt, method string) bool {
	if e, ok := body.List[0].(*ast.ExprStmt); ok {
		call, ok := e.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		f, ok := call.Fun.(*ast.SelectorExpr)
		return ok && f.Sel.Name == method
	}
	return false
}

// usesTokens reports a loop that asks the parser anything.
func usesTokens(loop *ast.ForStmt) bool {
	uses := false
	ast.Inspect(loop, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		uses = uses || ok && id.Name == "p"
		return !uses
	})
	return uses
}

// TestLoopThatTakesNothingEnds puts faults into the grammar: a loop that takes no token
// fails its statement and the script goes on behind it; one that does not mind stops the
// reading.
func TestLoopThatTakesNothingEnds(t *testing.T) {
	const sql = "SELECT a FROM t; SELECT b FROM u"
	p := newParser([]byte(sql), Dialect{}.features(), Limits{}.withDefaults(), newArena())
	p.load(0, len(sql))
	p.next()
	for p.turn() && !p.ended() { // a clause that is always there
	}
	require.NotNil(t, p.bad)
	require.Contains(t, p.bad.Message, "a fault of the parser")
	require.Contains(t, p.bad.Message, "“a”")
	require.Equal(t, int32(7), p.bad.At)
	p.recover(0)
	require.True(t, p.atStatement())
	require.IsType(t, &ir.QueryStmt{}, p.nextStatement()[0].Node)

	p.fail(ir.ErrorSyntax, "ended")
	require.Panics(t, func() {
		for {
			p.turn()
		}
	})
}
