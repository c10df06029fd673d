package resolve

import (
	"github.com/tributary-data/tributary/parser/ir"
)

// given are the rows that a routine of the script hands to whoever reads from it: a
// function in FROM, a procedure whose result an INSERT takes.
type given struct {
	// all are the rows of each place that gives some, rows those of all places.
	all  []*relation
	rows *relation
	// params are the values of the parameters, by position, and names their names.
	params []*value
	names  []string
}

// parameter adds the next parameter.
func (g *given) parameter(x *variable, name string) {
	var v *value
	if x != nil {
		v = x.v
	}
	g.params, g.names = append(g.params, v), append(g.names, name)
}

// gives adds rows to those of the routine whose body is being read.
func (r *resolver) gives(rows *relation) {
	if r.giving != nil && len(rows.cols) > 0 {
		r.giving.all = append(r.giving.all, rows)
	}
}

// givesValue is RETURN NEXT of a record and PIPE ROW of an object: one row of many.
func (r *resolver) givesValue(e *ir.Expr) {
	if r.giving == nil || e == nil {
		return
	}
	rows := &relation{}
	in := &scope{rel: rows}
	if v := r.variableOf(e, in); v != nil {
		if v.row != nil {
			r.gives(v.row)
		}
		return
	}
	if e.Kind != ir.ExprCall {
		return
	}
	for i, a := range e.Args {
		shown := r.outputName(a, i)
		rows.add(r.expression(a, in, shown, r.columnKey(shown)))
	}
	r.gives(rows)
}

// keepGiven remembers what a routine gives, under its name.
func (r *resolver) keepGiven(n *ir.CreateRoutine, g *given) {
	for i := range n.Params {
		if p := &n.Params[i]; p.IsTable && n.Object == ir.ObjectFunction { // T-SQL: RETURNS @t TABLE
			if t := r.catalog.temps[r.catalog.tempKey(p.Name)]; t != nil && t.rows != nil {
				g.all = []*relation{t.rows}
			}
		}
	}
	if len(g.all) == 0 || !n.Name.Set() {
		return
	}
	g.rows = g.all[0]
	if len(g.all) > 1 {
		g.rows = r.combined(g.all, &ir.SetOp{Branches: make([]ir.SetBranch, len(g.all))})
	}
	names := make([]ir.Ident, 0, len(n.Returns))
	for i := range n.Returns {
		names = append(names, n.Returns[i].Name)
	}
	g.rows = r.renamed(g.rows, names)
	if r.routines == nil {
		r.routines = map[string]*given{}
	}
	r.routines[r.catalog.key(r.catalog.path(n.Name))] = g
}

// givenBy are the rows of a routine of the script, nil if the script has none of that
// name. What it is called with decides about its rows, and goes into the columns that a
// parameter goes into.
func (r *resolver) givenBy(name []ir.Ident, args []*ir.Expr, s *scope) *relation {
	if len(r.routines) == 0 || len(name) == 0 {
		return nil
	}
	g := r.routines[r.catalog.key(r.catalog.path(ir.Name{Parts: name}))]
	if g == nil {
		return nil
	}
	out := &relation{cols: g.rows.cols, deps: []*relation{g.rows}, make: g.rows.make}
	in := &scope{parent: s, rel: out}
	if s != nil {
		in.ctes = s.ctes
	}
	flows := map[*value]*value{}
	for i, a := range args {
		at := i
		if a.Kind == ir.ExprNamedArg {
			at = g.position(a.Name[0].Name)
			a = a.Args[0]
		}
		v := r.newValue("", "", a.Start)
		r.walk(a, in, flow{out: v, conds: &v.conds, pass: passTransform})
		if len(v.inputs) == 0 && len(v.conds) == 0 {
			continue
		}
		addCondition(&out.conds, v, steerFilter)
		if at < len(g.params) && g.params[at] != nil {
			flows[g.params[at]] = v
		}
	}
	out.cols = r.withArguments(out.cols, flows)
	return out
}

// position is the place of a parameter in the list, its length if it has none of that name.
func (g *given) position(name string) int {
	key := varKey(name)
	for i, n := range g.names {
		if varKey(n) == key {
			return i
		}
	}
	return len(g.names)
}

// argumentSteps bounds how far a column is followed back to a parameter. What a function
// makes of its parameters stands near its result; most only choose rows by them.
const argumentSteps = 64

// withArguments lets arguments flow into the columns that their parameters flow into.
func (r *resolver) withArguments(cols []*value, flows map[*value]*value) []*value {
	if len(flows) == 0 {
		return cols
	}
	out := make([]*value, len(cols))
	for i, c := range cols {
		out[i] = c
		var args []*value
		if c.star == nil {
			steps := argumentSteps
			args = arguments(c, flows, nil, &steps)
		}
		if len(args) == 0 {
			continue
		}
		v := r.newValue(c.name, c.key, c.at)
		v.direct(c, passIdentity)
		for _, a := range args {
			v.direct(a, passIdentity)
		}
		v.parts = c.parts
		out[i] = v
	}
	return out
}

// arguments adds the arguments that stand for what a value comes from, as far as the
// steps go.
func arguments(v *value, flows map[*value]*value, found []*value, steps *int) []*value {
	if a := flows[v]; a != nil {
		return append(found, a)
	}
	for i := range v.inputs {
		if *steps--; *steps < 0 {
			break
		}
		found = arguments(v.inputs[i].from, flows, found, steps)
	}
	return found
}
