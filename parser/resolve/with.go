package resolve

import (
	"github.com/tributary-data/tributary/parser/ir"
)

// cteScope is the chain of CTEs in scope. Each is evaluated once.
type cteScope struct {
	parent *cteScope
	byName names[*cte]
	// exprs are ClickHouse's WITH expr AS name.
	exprs []*ir.CTE
}

// find looks a CTE up, in the innermost WITH first.
func (c *cteScope) find(key string) *cte {
	for ; c != nil; c = c.parent {
		if x := c.byName.get(key); x != nil {
			return x
		}
	}
	return nil
}

type cte struct {
	def     *ir.CTE
	rel     *relation
	running bool
	scope   *scope
	// recursive: the CTE may refer to itself.
	recursive bool
}

// with brings CTEs into scope, evaluating each once, in order.
func (r *resolver) with(w *ir.With, outer *scope) *scope {
	s := r.mem.scopes.One()
	s.parent = outer
	var above *cteScope
	if outer != nil {
		above, s.rel = outer.ctes, outer.rel
	}
	all := r.mem.cteScopes.One()
	all.parent, s.ctes = above, all
	// With RECURSIVE a CTE may use one that is defined after it.
	forward := w.Recursive && len(w.CTEs) > 1
	for _, def := range w.CTEs {
		if r.stop() {
			break
		}
		key := r.aliasKey(def.Name)
		c := r.mem.ctes.One()
		c.def, c.recursive = def, w.Recursive || r.d.implicitRecursion
		if def.Expr != nil {
			// ClickHouse: a name for an expression over the columns of whatever uses it.
			all.exprs = append(all.exprs, def)
			continue
		}
		c.scope = r.newScope(outer, s.rel)
		c.scope.ctes = all
		if forward {
			all.byName.add(&r.mem.cteNames, key, c)
			continue
		}
		r.evaluate(c, all, key)
		// The next ones see this one; this one saw only those before.
		all.byName.add(&r.mem.cteNames, key, c)
	}
	for _, def := range w.CTEs {
		key := r.aliasKey(def.Name)
		if c := all.byName.get(key); forward && c != nil && c.rel == nil && !c.running {
			r.evaluate(c, all, key)
		}
	}
	return s
}

// evaluate finds a CTE's relation.
func (r *resolver) evaluate(c *cte, all *cteScope, key string) {
	c.running = true
	defer func() { c.running = false }()
	q := unwrap(c.def.Query)
	if c.recursive && q != nil && q.SetOp != nil && len(q.SetOp.Branches) > 1 && q.With == nil {
		r.evaluateRecursive(c, q, all, key)
	} else {
		c.rel = r.query(c.def.Query, c.scope)
	}
	c.rel = r.renamed(c.rel, c.def.Columns)
	for _, x := range c.def.Extra {
		shown := r.shown(x)
		c.rel = extended(c.rel, r.newValue(shown, r.columnKey(shown), x.Start))
	}
}

// unwrap takes parentheses off a query.
func unwrap(q *ir.Query) *ir.Query {
	for q != nil && q.Nested != nil && q.With == nil && len(q.OrderBy) == 0 && !q.Limited {
		q = q.Nested
	}
	return q
}

// evaluateRecursive evaluates the first branch, makes the CTE's columns from it,
// and adds the other branches, which may refer to these columns: a cycle in the
// graph of values, which is its fixpoint.
func (r *resolver) evaluateRecursive(c *cte, q *ir.Query, all *cteScope, key string) {
	branches := q.SetOp.Branches
	anchor := r.query(branches[0].Query, c.scope)
	rel := &relation{deps: []*relation{anchor}}
	for i, a := range anchor.cols {
		shown, k := a.name, a.key
		if i < len(c.def.Columns) {
			shown = r.shown(c.def.Columns[i])
			k = r.columnKey(shown)
		}
		if a.star != nil {
			rel.cols = append(rel.cols, r.newStar(&star{of: anchor}))
			continue
		}
		v := r.newValue(shown, k, a.at)
		v.direct(a, passIdentity)
		v.parts = a.parts
		rel.cols = append(rel.cols, v)
	}
	c.rel = rel
	inner := &scope{parent: c.scope.parent, rel: c.scope.rel, ctes: &cteScope{parent: all}}
	inner.ctes.byName.add(&r.mem.cteNames, key, &cte{rel: rel, def: c.def})
	for _, b := range branches[1:] {
		step := r.query(b.Query, inner)
		rel.deps = append(rel.deps, step)
		r.mergeBranch(rel, step, b)
	}
}
