package resolve

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// flow says what the walk over an expression does with the values that it finds:
// they flow into a value, or they steer.
type flow struct {
	out *value
	// conds receives conditions: those of out, or of the relation in a clause.
	conds *[]condition
	// steering: everything found is a condition of kind.
	steering bool
	kind     steer
	pass     pass
}

func (f flow) through(p pass) flow {
	f.pass |= p
	return f
}

// as turns the flow into one that steers. Conditions inside a condition keep the
// outer kind.
func (f flow) as(kind steer) flow {
	if !f.steering {
		f.steering, f.kind = true, kind
	}
	return f
}

// take records that a value was found.
func (f flow) take(v *value) {
	if v == nil {
		return
	}
	if f.steering {
		addCondition(f.conds, v, f.kind)
		return
	}
	f.out.direct(v, f.pass)
}

func addCondition(conds *[]condition, v *value, kind steer) {
	if v == nil {
		return
	}
	if n := len(*conds); n > 0 && (*conds)[n-1] == (condition{v, kind}) {
		return
	} else if cap(*conds) == 0 {
		*conds = make([]condition, 0, 4)
	}
	*conds = append(*conds, condition{v, kind})
}

// expression makes the value of an expression. A plain column is returned as it is
// found only by column; here it becomes a step of its own with that name.
func (r *resolver) expression(e *ir.Expr, s *scope, shown, key string) *value {
	v := r.newValue(shown, key, place(e))
	if e == nil {
		return v
	}
	if e.More != nil {
		v.conds = r.mem.conds.Room(4) // CASE and windows have conditions
	}
	r.structure(v, e, s)
	r.walk(e, s, flow{out: v, conds: &v.conds})
	return v
}

// callName is a function's name in upper case, without its schema.
func callName(e *ir.Expr) string {
	if len(e.Name) == 0 {
		return ""
	}
	return upperASCII(e.Name[len(e.Name)-1].Name)
}

// walk goes over an expression and hands every value that it finds to f. Depth is
// bounded by the front ends.
func (r *resolver) walk(e *ir.Expr, s *scope, f flow) {
	if e == nil || r.stop() {
		return
	}
	switch e.Kind {
	case ir.ExprLiteral, ir.ExprLambda, ir.ExprTableArg:
	case ir.ExprColumn:
		f.take(r.resolveColumn(e, s))
	case ir.ExprParam:
		f.take(r.parameter(e, s))
	case ir.ExprStar:
		r.walkStar(e, s, f)
	case ir.ExprCall:
		r.walkCall(e, s, f)
	case ir.ExprCase:
		r.walkCase(e, s, f)
	case ir.ExprSubquery, ir.ExprExists:
		r.walkSubquery(e, s, f)
	case ir.ExprIn, ir.ExprQuantified:
		r.walkIn(e, s, f)
	case ir.ExprField:
		r.walkField(e, s, f)
	case ir.ExprIndex:
		r.walk(e.Args[0], s, f.through(passTransform))
		for _, a := range e.Args[1:] {
			r.walk(a, s, f.as(steerConditional))
		}
	case ir.ExprCast, ir.ExprAlias, ir.ExprNamedArg:
		r.walk(e.Args[0], s, f.through(castPass(e)))
	case ir.ExprAssign:
		r.walkAssign(e, s, f)
	case ir.ExprArray:
		r.walkArray(e, s, f)
	default: // operators, structs, maps, tuples
		f = f.through(passTransform)
		for _, a := range e.Args {
			r.walk(a, s, f)
		}
	}
}

// walkField takes one part of a struct that is known, with what decided about the
// whole; else the whole stands for the part.
func (r *resolver) walkField(e *ir.Expr, s *scope, f flow) {
	v := r.reference(e, s)
	if v == nil {
		r.walk(e.Args[0], s, f.through(passTransform))
		return
	}
	f.take(v)
	whole := r.newValue("", "", e.Start)
	r.walk(e.Args[0], s, flow{out: whole, conds: &whole.conds})
	for _, c := range whole.conds {
		if f.steering {
			c.kind = f.kind
		}
		addCondition(f.conds, c.from, c.kind)
	}
}

func castPass(e *ir.Expr) pass {
	if e.Kind == ir.ExprCast {
		return passTransform
	}
	return passIdentity
}

func (r *resolver) walkCase(e *ir.Expr, s *scope, f flow) {
	c, ok := e.More.(*ir.Case)
	if !ok {
		return
	}
	r.walk(c.Operand, s, f.as(steerConditional))
	for _, w := range c.Whens {
		r.walk(w.Cond, s, f.as(steerConditional))
		r.walk(w.Then, s, f)
	}
	r.walk(c.Else, s, f)
}

// walkStar is a star inside an expression: f(*), OBJECT_CONSTRUCT(*), COLUMNS(…).
func (r *resolver) walkStar(e *ir.Expr, s *scope, f flow) {
	for _, v := range r.expandStar(e, s) {
		if v.star != nil {
			f.take(r.wholeOf(v.star))
			continue
		}
		f.take(v)
	}
}

// walkSubquery is a scalar subquery, or EXISTS, whose rows only steer.
func (r *resolver) walkSubquery(e *ir.Expr, s *scope, f flow) {
	rel := r.subquery(e.Query, s)
	r.depend(s, rel)
	if e.Kind == ir.ExprExists {
		return
	}
	for _, c := range rel.cols {
		if c.star != nil {
			c = r.wholeOf(c.star)
		}
		f.take(c)
	}
}

func (r *resolver) walkArray(e *ir.Expr, s *scope, f flow) {
	if e.Query != nil {
		rel := r.subquery(e.Query, s)
		r.depend(s, rel)
		for _, c := range rel.cols {
			if c.star != nil {
				c = r.wholeOf(c.star)
			}
			f.take(c)
		}
		return
	}
	f = f.through(passTransform)
	for _, a := range e.Args {
		r.walk(a, s, f)
	}
}

// walkIn is `x IN (…)` and `x op ANY (…)`: as a value both sides flow into the
// answer's truth, as a condition both steer.
func (r *resolver) walkIn(e *ir.Expr, s *scope, f flow) {
	f = f.through(passTransform)
	args := e.Args
	var rel *relation
	switch {
	case e.Query != nil:
		rel = r.subquery(e.Query, s)
	case e.Text == ir.InName && !r.namesValue(e.Args[1].Name, s):
		rel = r.catalogOrCTE(ir.Name{Parts: e.Args[1].Name, Span: e.Args[1].Span}, s)
		args = args[:1]
	}
	for _, a := range args {
		r.walk(a, s, f)
	}
	if rel == nil {
		return
	}
	r.depend(s, rel)
	for _, c := range rel.cols {
		if c.star != nil {
			c = r.wholeOf(c.star)
		}
		if f.steering {
			f.take(c)
		} else {
			f.as(steerFilter).take(c)
		}
	}
}

// namesValue reports whether a name behind IN surely means a value: a column, an alias
// or a named expression. In ClickHouse it is a table otherwise.
func (r *resolver) namesValue(parts []ir.Ident, s *scope) bool {
	first := r.identKey(parts[0])
	for ; s != nil; s = s.parent {
		if s.lambda {
			if lambdaParam(s.params, first) != nil {
				return true
			}
			continue
		}
		if r.inSources(s, first).sure == holdsYes || s.aliases.get(first) != nil || len(parts) > 1 && s.sourceOf(r.aliasKey(parts[0])) != nil {
			return true
		}
	}
	return false
}

// walkAssign is a variable set inside a SELECT list.
func (r *resolver) walkAssign(e *ir.Expr, s *scope, f flow) {
	v := r.expression(e.Args[0], s, e.Text, e.Text)
	if len(v.inputs) == 0 {
		v.setText(r.constant(e.Args[0], s))
	}
	r.assign(e.Text, v, s.rel)
	f.take(v)
}

// walkCall is a function call with its clauses.
func (r *resolver) walkCall(e *ir.Expr, s *scope, f flow) {
	name := callName(e)
	if quietFunction(name) || name == "MATCH" && r.d.name == "tsql" { // MATCH(a-(edge)->b) names tables
		return
	}
	if name == "GETVARIABLE" && len(e.Args) == 1 && e.Args[0].IsString { // DuckDB
		f.take(r.useVariable(s, r.vars.find(e.Args[0].Text), e.Start))
		return
	}
	if len(e.Name) == 1 && r.vars.any() && r.collection(e, s, f) {
		return
	}
	if name == "VALUES" {
		f.take(r.proposedColumn(e, s))
		return
	}
	c := e.CallOf()
	sh := shapeOf(name)
	p := sh.pass
	if c.Over != nil && p&passAggregate == 0 {
		p |= passTransform
	}
	in := f.through(p)
	if c.Star && len(e.Args) == 0 && name != "COUNT" && name != "COUNTIF" && name != "COUNT_BIG" {
		r.walkStar(&ir.Expr{Kind: ir.ExprStar, Span: e.Span}, s, in)
	}
	for _, a := range c.Params {
		r.walk(a, s, in)
	}
	r.walkArgs(e, s, in, sh, name)
	if strings.HasPrefix(name, "DICTGET") || strings.HasPrefix(name, "JOINGET") {
		r.dictionaryValue(e, s, in)
	}
	r.walkClauses(c, s, in, sh)
}

// collection is PL/SQL's tab(i): an element of a collection variable.
func (r *resolver) collection(e *ir.Expr, s *scope, f flow) bool {
	if x := r.vars.find(e.Name[0].Name); x == nil || x.table != nil {
		return false
	}
	v := r.variable(s, e.Name[0])
	if v == nil || v.row == nil && len(v.inputs) == 0 {
		return false
	}
	f.take(v)
	return true
}

func (r *resolver) walkClauses(c *ir.Call, s *scope, f flow, sh shape) {
	for _, o := range c.OrderBy {
		r.walk(o.Expr, s, f.as(steerSort))
	}
	for _, o := range c.WithinGroup {
		if sh.ordered {
			r.walk(o.Expr, s, f)
			continue
		}
		r.walk(o.Expr, s, f.as(steerSort))
	}
	for _, o := range c.Keep {
		r.walk(o.Expr, s, f.as(steerSort))
	}
	if c.Having != nil {
		r.walk(c.Having, s, f.as(steerSort))
	}
	if c.Filter != nil {
		r.walk(c.Filter, s, f.as(steerConditional))
	}
	if c.Over != nil {
		r.walkWindow(c.Over, s, f.as(steerWindow), 0)
	}
}

// walkWindow steers by a window's keys and those of the window that it extends.
func (r *resolver) walkWindow(w *ir.Window, s *scope, f flow, depth int) {
	if w == nil || depth > 20 {
		return
	}
	for _, e := range w.PartitionBy {
		r.walk(e, s, f)
	}
	for _, o := range w.OrderBy {
		r.walk(o.Expr, s, f)
	}
	for _, e := range w.Frame {
		r.walk(e, s, f)
	}
	if !w.Base.Set() {
		return
	}
	for sc := s; sc != nil; sc = sc.parent {
		if base, ok := sc.windows[r.aliasKey(w.Base)]; ok {
			r.walkWindow(base, sc, f, depth+1)
			return
		}
	}
}

// walkArgs goes over a call's arguments by their roles; lambdas see the other
// arguments as their parameters.
func (r *resolver) walkArgs(e *ir.Expr, s *scope, f flow, sh shape, name string) {
	if hasLambda(e.Args) {
		r.walkLambdas(e, s, f, sh)
		return
	}
	n := len(e.Args)
	for i, a := range e.Args {
		act := flows
		if sh.roles != nil && sh.lambda == flows {
			act = sh.roles(i, n)
		}
		switch act {
		case steers:
			r.walk(a, s, f.as(roleKind(name)))
		case sorts:
			r.walk(a, s, f.as(steerSort))
		case flows:
			r.walk(a, s, f)
		}
	}
}

func hasLambda(args []*ir.Expr) bool {
	for _, a := range args {
		if a.Kind == ir.ExprLambda {
			return true
		}
	}
	return false
}

func roleKind(name string) steer {
	if name == "GROUPING" || name == "GROUPING_ID" {
		return steerGroup
	}
	return steerConditional
}

// walkLambdas goes over the arguments of a function of lambdas. Each array is
// evaluated once; a lambda's parameters stand for the arrays that the function runs
// over.
func (r *resolver) walkLambdas(e *ir.Expr, s *scope, f flow, sh shape) {
	var arrays []*value
	for _, a := range e.Args {
		if a.Kind == ir.ExprLambda {
			continue
		}
		v := r.expression(a, s, "", "")
		switch {
		case sh.roles == nil || sh.roles(len(arrays), len(e.Args)) == flows:
			f.take(v)
		case sh.lambda == sorts:
			f.as(steerSort).take(v)
		default:
			f.as(steerConditional).take(v)
		}
		arrays = append(arrays, v)
	}
	for _, l := range e.Args {
		if l.Kind != ir.ExprLambda || len(l.Args) == 0 {
			continue
		}
		in := &scope{parent: s, ctes: s.ctes, rel: s.rel, lambda: true}
		for i, p := range l.Name {
			in.params = append(in.params, r.param(p, arrays, i, len(l.Name)))
		}
		g := f
		switch sh.lambda {
		case steers:
			g = f.as(steerConditional)
		case sorts:
			g = f.as(steerSort)
		}
		r.walk(l.Args[0], in, g.through(passTransform))
	}
}

// param makes a lambda's parameter: its array by position where each has its own,
// else all of them.
func (r *resolver) param(p ir.Ident, arrays []*value, i, n int) *value {
	shown := r.shown(p)
	v := r.newValue(shown, r.columnKey(shown), p.Start)
	if n == len(arrays) && i < len(arrays) {
		v.direct(arrays[i], passIdentity)
		v.parts = arrays[i].parts
		return v
	}
	for _, a := range arrays {
		v.direct(a, passIdentity)
		if len(arrays) == 1 {
			v.parts = a.parts
		}
	}
	return v
}
