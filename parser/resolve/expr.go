package resolve

import (
	"strconv"
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
	} else if n == 0 {
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
	r.structure(v, e, s)
	r.walk(e, s, flow{out: v, conds: &v.conds})
	return v
}

// structure keeps what is known of a struct's parts with the value.
func (r *resolver) structure(v *value, e *ir.Expr, s *scope) {
	switch e.Kind {
	case ir.ExprStruct, ir.ExprCall, ir.ExprSubquery, ir.ExprTuple, ir.ExprColumn, ir.ExprIndex, ir.ExprField,
		ir.ExprArray, ir.ExprCast, ir.ExprAlias, ir.ExprParam, ir.ExprOp:
		if shape := r.shapeOfValue(e, s); !shape.empty() {
			v.parts = &shape
		}
	}
}

// shapeOfValue finds the fields, the row or the constant of an expression's value.
// Arrays are seen as their elements.
func (r *resolver) shapeOfValue(e *ir.Expr, s *scope) parts {
	if e == nil || r.depth > 200 {
		return parts{}
	}
	switch e.Kind {
	case ir.ExprLiteral:
		if e.IsString {
			t := e.Text
			return parts{text: &t}
		}
	case ir.ExprStruct:
		return parts{fields: r.builtFields(e, s)}
	case ir.ExprSubquery:
		return rowOf(r.subquery(e.Query, s))
	case ir.ExprColumn, ir.ExprField, ir.ExprParam:
		if v := r.quietly(e, s); v != nil {
			return *v.parts
		}
	case ir.ExprIndex, ir.ExprAlias:
		return r.shapeOfValue(e.Args[0], s)
	case ir.ExprCast:
		return r.castShape(e, s)
	case ir.ExprArray:
		if e.Query != nil {
			return rowOf(r.subquery(e.Query, s))
		}
		if len(e.Args) > 0 && !plain(e.Args[0]) {
			return r.shapeOfValue(e.Args[0], s)
		}
	case ir.ExprOp:
		return parts{text: r.constantOp(e, s)}
	case ir.ExprCall:
		return r.callShape(e, s)
	}
	return parts{}
}

// rowOf is what is known of a subquery's value: that of its only column.
func rowOf(rel *relation) parts {
	if len(rel.cols) == 1 && rel.cols[0].star == nil {
		return *rel.cols[0].parts
	}
	return parts{}
}

// exprKey names an evaluation: the same text in the same scope.
type exprKey struct {
	e *ir.Expr
	s *scope
}

// builtFields makes the fields of a constructor once for each scope.
func (r *resolver) builtFields(e *ir.Expr, s *scope) []*value {
	key := exprKey{e, s}
	if got, ok := r.structs[key]; ok {
		return got
	}
	var fields []*value
	switch {
	case e.Kind == ir.ExprStruct || isRowCall(e):
		fields = r.structFields(e, s)
	default:
		fields = r.pairFields(e, s)
	}
	if r.structs == nil {
		r.structs = map[exprKey][]*value{}
	}
	r.structs[key] = fields
	return fields
}

// plain reports whether an expression surely has no parts worth knowing.
func plain(e *ir.Expr) bool { return e.Kind == ir.ExprLiteral || e.Kind == ir.ExprOp }

// quietly finds the value of a name without reporting what fails: the walk over
// the same expression reports it.
func (r *resolver) quietly(e *ir.Expr, s *scope) *value {
	if e.Kind == ir.ExprColumn && r.ordinary(e, s) {
		return nil
	}
	n, rep := len(r.errors), r.reported
	r.reported = nil
	v := r.reference(e, s)
	r.errors, r.reported = r.errors[:n], rep
	return v
}

// ordinary is a quick check for columns that surely have no parts: it saves
// looking names up twice where there is no struct, row or variable at all.
func (r *resolver) ordinary(_ *ir.Expr, s *scope) bool {
	if r.vars.any() {
		return false
	}
	for sc := s; sc != nil; sc = sc.parent {
		if sc.lambda || sc.useAliases {
			return false
		}
		for _, src := range sc.sources {
			if src.rel.table == nil || src.rel.make != nil {
				return false
			}
		}
		if r.d.aliasIsRow {
			return false
		}
	}
	return true
}

// structFields makes the fields of a struct constructor.
func (r *resolver) structFields(e *ir.Expr, s *scope) []*value {
	names, _ := e.More.(ir.Fields)
	out := make([]*value, 0, len(e.Args))
	for i, a := range e.Args {
		var id ir.Ident
		if i < len(names) {
			id = names[i]
		}
		if !id.Set() {
			id = nameOf(a)
		}
		if a.Kind == ir.ExprAlias {
			a = a.Args[0]
		}
		shown := r.shown(id)
		out = append(out, r.expression(a, s, shown, r.columnKey(shown)))
	}
	return out
}

// nameOf is the name that an expression gives to a field or column by itself.
func nameOf(e *ir.Expr) ir.Ident {
	switch e.Kind {
	case ir.ExprColumn, ir.ExprField:
		if len(e.Name) > 0 {
			return e.Name[len(e.Name)-1]
		}
	case ir.ExprAlias, ir.ExprNamedArg:
		return e.Name[0]
	}
	return ir.Ident{}
}

// castShape names the fields of a row by the type that it is cast to.
func (r *resolver) castShape(e *ir.Expr, s *scope) parts {
	p := r.shapeOfValue(e.Args[0], s)
	inner := e.Args[0]
	if inner.Kind != ir.ExprStruct && inner.Kind != ir.ExprTuple && !isRowCall(inner) {
		return p
	}
	if inner.Kind == ir.ExprTuple || inner.Kind == ir.ExprCall {
		p.fields = nil
		for _, a := range inner.Args {
			p.fields = append(p.fields, r.expression(a, s, "", ""))
		}
	}
	var renamed []*value
	for i, n := range typeFields(e.Text) {
		if i < len(p.fields) {
			f := *p.fields[i]
			f.name, f.key = n, r.columnKey(r.platform.Column(n, false))
			renamed = append(renamed, &f)
		}
	}
	if len(renamed) > 0 {
		p.fields = renamed
	}
	return p
}

func isRowCall(e *ir.Expr) bool {
	return e.Kind == ir.ExprCall && len(e.Name) == 1 && (strings.EqualFold(e.Name[0].Name, "row") || strings.EqualFold(e.Name[0].Name, "struct"))
}

// typeFields reads the field names of ROW(a int, b text) or STRUCT<a: int, b: text>.
func typeFields(t string) []string {
	open := strings.IndexAny(t, "(<")
	if open < 0 {
		return nil
	}
	switch strings.ToUpper(strings.TrimSpace(t[:open])) {
	case "ROW", "STRUCT", "TUPLE":
	default:
		return nil
	}
	var out []string
	depth, start := 0, open+1
	for i := open + 1; i < len(t); i++ {
		switch t[i] {
		case '(', '<':
			depth++
		case ')', '>':
			if depth == 0 {
				return append(out, firstWord(t[start:i]))
			}
			depth--
		case ',':
			if depth == 0 {
				out = append(out, firstWord(t[start:i]))
				start = i + 1
			}
		}
	}
	return out
}

func firstWord(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexAny(s, " :\t\n"); i >= 0 {
		s = s[:i]
	}
	return strings.Trim(s, "`\"")
}

// callShape finds the parts of a struct that a function builds or hands on.
func (r *resolver) callShape(e *ir.Expr, s *scope) parts {
	switch name := callName(e); name {
	case "NAMED_STRUCT", "OBJECT_CONSTRUCT", "OBJECT_CONSTRUCT_KEEP_NULL", "JSON_BUILD_OBJECT", "JSONB_BUILD_OBJECT", "STRUCT_PACK":
		return parts{fields: r.builtFields(e, s)}
	case "STRUCT", "ROW":
		return parts{fields: r.builtFields(e, s)}
	case "ARRAY_AGG", "ANY_VALUE", "COLLECT_LIST", "COLLECT_SET", "LIST", "MAX_BY", "MIN_BY", "ARG_MAX", "ARG_MIN",
		"FIRST_VALUE", "LAST_VALUE", "FIRST", "LAST", "COALESCE", "NVL", "IFNULL", "ELEMENT_AT", "ARRAY", "ANY", "TO_JSON_STRING",
		"ARRAY_CONCAT", "ARRAY_CONCAT_AGG", "ROW_TO_JSON", "TO_JSON", "TO_JSONB", "OBJECT_AGG":
		if len(e.Args) > 0 {
			return r.shapeOfValue(e.Args[0], s)
		}
	case "CONCAT", "QUOTENAME":
		return parts{text: r.constantCall(e, s, name)}
	}
	return parts{}
}

// pairFields makes the fields of f('name', value, 'name', value …).
func (r *resolver) pairFields(e *ir.Expr, s *scope) []*value {
	var out []*value
	for i := 0; i < len(e.Args); i++ {
		a := e.Args[i]
		if a.Kind == ir.ExprNamedArg {
			shown := r.shown(a.Name[0])
			out = append(out, r.expression(a.Args[0], s, shown, r.columnKey(shown)))
			continue
		}
		if i+1 >= len(e.Args) {
			break
		}
		if a.Kind == ir.ExprLiteral && a.IsString {
			out = append(out, r.expression(e.Args[i+1], s, a.Text, r.columnKey(a.Text)))
		}
		i++
	}
	return out
}

// callName is a function's name in upper case, without its schema.
func callName(e *ir.Expr) string {
	if len(e.Name) == 0 {
		return ""
	}
	return upperASCII(e.Name[len(e.Name)-1].Name)
}

// reference finds the value that a name, variable or field access means.
func (r *resolver) reference(e *ir.Expr, s *scope) *value {
	switch e.Kind {
	case ir.ExprColumn:
		return r.resolveColumn(e, s)
	case ir.ExprParam:
		return r.parameter(e, s)
	case ir.ExprField:
		if a := e.Args[0]; a.Kind == ir.ExprCall && len(a.Name) == 1 && r.vars.any() {
			// tab(i).field
			if v := r.variable(s, a.Name[0]); v != nil && v.row != nil {
				return r.follow(v, e.Name)
			}
		}
		p := r.shapeOfValue(e.Args[0], s)
		v := &value{parts: &p}
		if got := r.follow(v, e.Name); got != v {
			return got
		}
	}
	return nil
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
	for _, a := range e.Args {
		r.walk(a, s, f)
	}
	if e.Query == nil {
		return
	}
	rel := r.subquery(e.Query, s)
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
	if quietFunction(name) {
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
	if strings.HasPrefix(name, "DICTGET") {
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

// constantOp joins constants: 'a' || x || 'b' where x is a constant too.
func (r *resolver) constantOp(e *ir.Expr, s *scope) *string {
	if e.Text != "||" && e.Text != "+" && e.Text != "&" {
		return nil
	}
	return r.join(e.Args, s)
}

func (r *resolver) constantCall(e *ir.Expr, s *scope, name string) *string {
	t := r.join(e.Args, s)
	if t != nil && name == "QUOTENAME" {
		q := "[" + *t + "]"
		return &q
	}
	return t
}

func (r *resolver) join(args []*ir.Expr, s *scope) *string {
	var b strings.Builder
	for _, a := range args {
		t := r.constant(a, s)
		if t == nil {
			return nil
		}
		b.WriteString(*t)
	}
	out := b.String()
	return &out
}

// constant is the text of an expression that is one whatever the data is, or nil.
func (r *resolver) constant(e *ir.Expr, s *scope) *string {
	if e == nil {
		return nil
	}
	switch e.Kind {
	case ir.ExprLiteral:
		t := e.Text
		if e.IsString {
			return &t
		}
		if _, err := strconv.ParseFloat(t, 64); err == nil {
			return &t
		}
		return nil
	case ir.ExprCast, ir.ExprAlias:
		return r.constant(e.Args[0], s)
	case ir.ExprOp:
		return r.constantOp(e, s)
	case ir.ExprCall:
		switch name := callName(e); name {
		case "CONCAT", "QUOTENAME", "TO_CHAR", "UPPER", "LOWER", "TRIM":
			return r.constantCall(e, s, name)
		}
	case ir.ExprColumn, ir.ExprParam:
		if v := r.variableOf(e, nil); v != nil {
			if t, ok := v.constText(); ok {
				return &t
			}
		}
	}
	return nil
}
