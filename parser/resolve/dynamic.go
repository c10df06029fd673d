package resolve

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// execute is dynamic SQL: constant text is resolved, other text reported.
func (r *resolver) execute(s *ir.Statement, n *ir.Execute) {
	if n.Prepared != "" {
		if p := r.prepared[varKey(n.Prepared)]; p != nil {
			r.runPrepared(s, p, n)
			return
		}
		if n.SQL == nil {
			return
		}
	}
	if n.SQL == nil {
		return
	}
	in := &scope{rel: &relation{}}
	text := r.constant(n.SQL, in)
	if text == nil {
		r.failf(ir.ErrorUnresolved, s.Start, "the text of the SQL is made at run time: %s", clip(r.text(n.SQL.Span)))
		return
	}
	if len(n.Into) > 0 {
		if rel, ok := r.dynamicRows(n.SQL, n.Using); ok {
			r.noteAll(rel)
			r.assignAll(n.Into, rel, nil)
		}
		return
	}
	r.runText(s, *text, n.Using)
}

func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}

// runPrepared runs a prepared statement with the values that EXECUTE gives it.
func (r *resolver) runPrepared(s *ir.Statement, p *ir.Prepare, n *ir.Execute) {
	if p.Body != nil {
		defer r.apart(r.bind("", n.Using))()
		r.statement(p.Body)
		return
	}
	r.execute(s, &ir.Execute{SQL: p.SQL, Using: n.Using})
}

// maxDynamic bounds dynamic SQL inside dynamic SQL.
const maxDynamic = 8

// runText resolves constant SQL at the place of the statement that runs it.
func (r *resolver) runText(s *ir.Statement, text string, using []*ir.Expr) {
	if r.o.Parse == nil || r.dynamic >= maxDynamic {
		r.failf(ir.ErrorUnresolved, s.Start, "dynamic SQL stands in dynamic SQL more than %d deep", maxDynamic)
		return
	}
	r.dynamic++
	r.inText(s.Start, text, using, func(stmts []*ir.Statement) {
		for _, x := range stmts {
			r.statement(x)
		}
	})
	r.dynamic--
}

// inText runs something over the statements of another text: their places are the
// place of the statement that holds it. It sees the variables of the session and what
// USING puts into it.
func (r *resolver) inText(at int32, text string, using []*ir.Expr, run func([]*ir.Statement)) {
	stmts := r.o.Parse(text)
	defer r.apart(r.bind(text, using))()
	src, was := r.src, r.at
	r.src = []byte(text)
	if r.at < 0 {
		r.at = at
	}
	run(stmts)
	r.src, r.at = src, was
}

// dynamicRows are the rows of a constant dynamic query.
func (r *resolver) dynamicRows(e *ir.Expr, using []*ir.Expr) (*relation, bool) {
	text := r.constant(e, &scope{rel: &relation{}})
	if text == nil || r.o.Parse == nil || r.dynamic >= maxDynamic {
		r.failf(ir.ErrorUnresolved, e.Start, "the text of the SQL is made at run time: %s", clip(r.text(e.Span)))
		return nil, false
	}
	var rel *relation
	r.dynamic++
	r.inText(e.Start, *text, using, func(stmts []*ir.Statement) {
		for _, x := range stmts {
			if q, ok := x.Node.(*ir.QueryStmt); ok {
				rel = r.query(q.Query, nil)
				return
			}
		}
	})
	r.dynamic--
	return rel, rel != nil
}

// executed gives the rows of a statement that an INSERT takes: a query in constant
// text, else not known.
func (r *resolver) executed(s *ir.Statement) *relation {
	switch n := s.Node.(type) {
	case *ir.Execute:
		if n.SQL != nil {
			if rel, ok := r.dynamicRows(n.SQL, n.Using); ok {
				return rel
			}
			return &relation{}
		}
		if p := r.prepared[varKey(n.Prepared)]; p != nil && p.Body != nil {
			if q, ok := p.Body.Node.(*ir.QueryStmt); ok {
				return r.query(q.Query, nil)
			}
		}
	case *ir.QueryStmt:
		return r.query(n.Query, nil)
	case *ir.CallStmt:
		if rel := r.givenBy(n.Name.Parts, n.Args, nil); rel != nil {
			return rel
		}
	case *ir.Block: // EXEC('SELECT ..')
		if len(n.Body) == 1 {
			return r.executed(n.Body[0])
		}
	}
	r.failf(ir.ErrorUnresolved, s.Start, "rows come from a procedure whose result is not known")
	return &relation{}
}
