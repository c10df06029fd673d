package resolve

import (
	"strconv"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// cteScope is the chain of CTEs in scope. Each is evaluated once.
type cteScope struct {
	parent *cteScope
	byName map[string]*cte
	// exprs are ClickHouse's WITH expr AS name.
	exprs []*ir.CTE
}

type cte struct {
	def     *ir.CTE
	rel     *relation
	running bool
	scope   *scope
	// recursive: the CTE may refer to itself.
	recursive bool
}

func (c *cteScope) find(key string) *cte {
	for ; c != nil; c = c.parent {
		if x := c.byName[key]; x != nil {
			return x
		}
	}
	return nil
}

// queryKey names an evaluation of a subquery.
type queryKey struct {
	q *ir.Query
	s *scope
}

// subquery evaluates a query inside an expression, once for each scope.
func (r *resolver) subquery(q *ir.Query, s *scope) *relation {
	key := queryKey{q, s}
	if rel := r.queries[key]; rel != nil {
		return rel
	}
	rel := r.query(q, s)
	if r.queries == nil {
		r.queries = map[queryKey]*relation{}
	}
	r.queries[key] = rel
	return rel
}

// depend records that the relation under construction reads another.
func (r *resolver) depend(s *scope, rel *relation) {
	if s == nil || s.rel == nil || rel == nil {
		return
	}
	if n := len(s.rel.deps); n > 0 && s.rel.deps[n-1] == rel {
		return
	}
	s.rel.deps = append(s.rel.deps, rel)
}

// query evaluates a query expression. outer is the scope around it: nil for a
// statement's own query without CTEs around.
func (r *resolver) query(q *ir.Query, outer *scope) *relation {
	if q == nil || r.stop() {
		return &relation{}
	}
	r.depth++
	defer func() { r.depth-- }()
	if q.With != nil {
		outer = r.with(q.With, outer)
	}
	rel, inner := r.body(q, outer)
	rel = r.tail(q, rel, inner, outer)
	return rel
}

// body evaluates what a query is made of, and returns the scope that ORDER BY sees.
func (r *resolver) body(q *ir.Query, outer *scope) (*relation, *scope) {
	switch {
	case q.Select != nil:
		return r.selects(q.Select, outer)
	case q.SetOp != nil:
		return r.setOp(q.SetOp, outer), nil
	case q.Values != nil:
		return r.valuesList(q.Values, outer), nil
	case q.Nested != nil:
		return r.query(q.Nested, outer), nil
	case q.Table != nil:
		s := &scope{parent: outer, rel: &relation{}}
		if outer != nil {
			s.ctes = outer.ctes
		}
		if src := r.fromItem(q.Table, s); src != nil {
			return src.rel, nil
		}
	case q.DML != nil:
		return r.dmlQuery(q.DML, outer), nil
	}
	return &relation{}, nil
}

// tail adds ORDER BY and LIMIT, which only steer.
func (r *resolver) tail(q *ir.Query, rel *relation, inner, outer *scope) *relation {
	if len(q.OrderBy) == 0 && len(q.Limit) == 0 && len(q.LimitBy) == 0 {
		return rel
	}
	if inner == nil {
		// Behind a set operation names are output columns. The relation may be shared,
		// so it gets a wrapper of its own.
		wrapped := &relation{cols: rel.cols, deps: []*relation{rel}, make: rel.make, weak: rel.weak, scalar: rel.scalar}
		inner = &scope{parent: outer, rel: wrapped, outputs: rel.cols}
		if outer != nil {
			inner.ctes = outer.ctes
		}
		inner.addSource(&source{rel: rel, alias: "\x00"})
		rel = wrapped
	}
	steerBy := flow{conds: &rel.conds, steering: true, kind: steerSort}
	for _, o := range q.OrderBy {
		r.orderKey(o.Expr, inner, steerBy)
	}
	for _, e := range q.Limit {
		r.walk(e, inner, flow{conds: &rel.conds, steering: true, kind: steerFilter})
	}
	for _, e := range q.LimitBy {
		r.orderKey(e, inner, flow{conds: &rel.conds, steering: true, kind: steerGroup})
	}
	return rel
}

// orderKey is a sort or group key: a position, an output's name, or an expression.
func (r *resolver) orderKey(e *ir.Expr, s *scope, f flow) {
	if e == nil {
		return
	}
	if n, ok := ordinal(e); ok {
		if n >= 1 && n <= len(s.outputs) && s.outputs[n-1].star == nil {
			f.take(s.outputs[n-1])
		}
		return
	}
	if e.Kind == ir.ExprColumn && len(e.Name) == 1 && f.kind == steerSort {
		key := r.identKey(e.Name[0])
		for _, o := range s.outputs {
			if o.star == nil && o.key == key {
				f.take(o)
				return
			}
		}
	}
	was := s.useAliases
	s.useAliases = true
	r.walk(e, s, f)
	s.useAliases = was
}

// ordinal reads a literal position.
func ordinal(e *ir.Expr) (int, bool) {
	if e.Kind != ir.ExprLiteral || e.IsString {
		return 0, false
	}
	n, err := strconv.Atoi(e.Text)
	return n, err == nil
}

// with brings CTEs into scope, evaluating each once, in order.
func (r *resolver) with(w *ir.With, outer *scope) *scope {
	s := &scope{parent: outer, rel: nil}
	var above *cteScope
	if outer != nil {
		above, s.rel = outer.ctes, outer.rel
	}
	all := &cteScope{parent: above, byName: make(map[string]*cte, len(w.CTEs))}
	s.ctes = all
	// With RECURSIVE a CTE may use one that is defined after it.
	forward := w.Recursive && len(w.CTEs) > 1
	for _, def := range w.CTEs {
		if r.stop() {
			break
		}
		key := r.aliasKey(def.Name)
		c := &cte{def: def, recursive: w.Recursive || r.d.implicitRecursion}
		if def.Expr != nil {
			// ClickHouse: a name for an expression over the columns of whatever uses it.
			all.exprs = append(all.exprs, def)
			continue
		}
		c.scope = &scope{parent: outer, ctes: all, rel: s.rel}
		if forward {
			all.byName[key] = c
			continue
		}
		r.evaluate(c, all, key)
		// The next ones see this one; this one saw only those before.
		all.byName[key] = c
	}
	for _, def := range w.CTEs {
		key := r.aliasKey(def.Name)
		if c := all.byName[key]; forward && c != nil && c.rel == nil && !c.running {
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
	c.rel = r.renamed(c.rel, c.def.Columns, c.def.Start)
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
	inner := &scope{parent: c.scope.parent, rel: c.scope.rel,
		ctes: &cteScope{parent: all, byName: map[string]*cte{key: {rel: rel, def: c.def}}}}
	for _, b := range branches[1:] {
		step := r.query(b.Query, inner)
		rel.deps = append(rel.deps, step)
		r.mergeBranch(rel, step, b)
	}
}

// mergeBranch adds one more branch of a set operation to the columns so far.
func (r *resolver) mergeBranch(rel, branch *relation, b ir.SetBranch) {
	if b.Op == ir.SetExcept {
		for _, v := range branch.cols {
			if v.star != nil {
				v = r.wholeOf(v.star)
			}
			addCondition(&rel.conds, v, steerFilter)
		}
		return
	}
	for i, v := range branch.cols {
		if i >= len(rel.cols) {
			break
		}
		if v.star != nil {
			v = r.wholeOf(v.star)
		}
		if rel.cols[i].star != nil {
			r.wholeOf(rel.cols[i].star).direct(v, passIdentity)
			continue
		}
		rel.cols[i].direct(v, passIdentity)
	}
}

// renamed gives a relation's columns other names, by position.
func (r *resolver) renamed(rel *relation, names []ir.Ident, at int32) *relation {
	if len(names) == 0 {
		return rel
	}
	out := &relation{deps: []*relation{rel}, scalar: rel.scalar}
	closed := !rel.open()
	for i, id := range names {
		shown := r.shown(id)
		v := r.newValue(shown, r.columnKey(shown), id.Start)
		switch {
		case i < len(rel.cols) && (closed || firstStar(rel) > i):
			v.direct(rel.cols[i], passIdentity)
			v.parts = rel.cols[i].parts
		case rel.make != nil:
			v.direct(r.columnOf(rel, id, v.key), passIdentity)
		case !closed:
			// The position falls into a star of unknown width: any of it may be meant.
			for _, c := range rel.cols {
				if c.star != nil {
					v.direct(r.wholeOf(c.star), passIdentity)
				}
			}
		}
		out.cols = append(out.cols, v)
	}
	for i := len(names); closed && i < len(rel.cols); i++ {
		out.cols = append(out.cols, rel.cols[i])
	}
	return out
}

// firstStar is the position of the first symbolic star.
func firstStar(rel *relation) int {
	for i, c := range rel.cols {
		if c.star != nil {
			return i
		}
	}
	return len(rel.cols)
}

// extended is a relation with one more column; the original is not changed.
func extended(rel *relation, v *value) *relation {
	cols := make([]*value, 0, len(rel.cols)+1)
	cols = append(append(cols, rel.cols...), v)
	return &relation{cols: cols, deps: []*relation{rel}, base: rel.base}
}

// valuesList is VALUES: rows by position.
func (r *resolver) valuesList(v *ir.Values, outer *scope) *relation {
	rel := &relation{}
	s := &scope{parent: outer, rel: rel}
	if outer != nil {
		s.ctes = outer.ctes
	}
	for _, row := range v.Rows {
		if len(row) == 1 && row[0] != nil {
			if record := r.record(row[0], s); record != nil {
				r.addRow(rel, record)
				continue
			}
		}
		for i, e := range row {
			if i >= len(rel.cols) {
				shown := r.valuesName(i)
				rel.add(r.newValue(shown, r.columnKey(shown), place(e)))
			}
			col := rel.cols[i]
			if e == nil || e.Kind == ir.ExprLiteral {
				continue
			}
			r.walk(e, s, flow{out: col, conds: &col.conds})
			if p := r.shapeOfValue(e, s); p.fields != nil {
				col.parts = &p
			}
		}
	}
	return rel
}

// record gives the columns of a row that is given as a whole: VALUES rec, VALUES
// tab(i), VALUES (NEW.*).
func (r *resolver) record(e *ir.Expr, s *scope) []*value {
	switch e.Kind {
	case ir.ExprStar:
		return r.expandStar(e, s)
	case ir.ExprColumn, ir.ExprParam:
		if v := r.variableOf(e, s); v != nil && v.row != nil {
			return v.row.cols
		}
	case ir.ExprCall:
		if len(e.Name) == 1 && len(e.Args) == 1 {
			if v := r.variable(s, e.Name[0]); v != nil && v.row != nil {
				return v.row.cols
			}
		}
	}
	return nil
}

// addRow adds a row's columns to those of a VALUES list, by position.
func (r *resolver) addRow(rel *relation, row []*value) {
	for i, v := range row {
		if i >= len(rel.cols) {
			if v.star != nil {
				rel.cols = append(rel.cols, v)
				continue
			}
			rel.add(r.newValue(v.name, v.key, v.at))
		}
		if v.star == nil && rel.cols[i].star == nil {
			rel.cols[i].direct(v, passIdentity)
		}
	}
}

// valuesName is the dialect's own name of a VALUES column.
func (r *resolver) valuesName(i int) string {
	n := strconv.Itoa(i + 1)
	switch r.d.name {
	case "mysql", "tidb":
		return "column_" + strconv.Itoa(i)
	case "spark", "databricks", "duckdb":
		if r.d.name == "duckdb" {
			return "col" + strconv.Itoa(i)
		}
		return "col" + n
	case "snowflake", "oracle":
		return "COLUMN" + n
	case "clickhouse":
		return "c" + n
	case "trino", "presto":
		return "_col" + strconv.Itoa(i)
	case "flink":
		return "EXPR$" + strconv.Itoa(i)
	}
	return "column" + n
}

// setOp evaluates a flat chain of set operations.
func (r *resolver) setOp(op *ir.SetOp, outer *scope) *relation {
	rels := make([]*relation, len(op.Branches))
	byName, open := false, false
	for i, b := range op.Branches {
		if r.stop() {
			return &relation{}
		}
		rels[i] = r.query(b.Query, outer)
		byName = byName || b.ByName
		open = open || firstStar(rels[i]) < len(rels[i].cols) || rels[i].make != nil
	}
	rel := &relation{deps: distinctRelations(rels)}
	if byName {
		r.unionByName(rel, rels, op)
		return rel
	}
	if open {
		r.openUnion(rel, rels, op)
		return rel
	}
	r.closedUnion(rel, rels, op)
	return rel
}

// closedUnion matches columns by position where all are known. Branches with the
// very same columns count once.
func (r *resolver) closedUnion(rel *relation, rels []*relation, op *ir.SetOp) {
	first := rels[0]
	for _, c := range first.cols {
		v := r.newValue(c.name, c.key, c.at)
		v.direct(c, passIdentity)
		v.parts = c.parts
		rel.cols = append(rel.cols, v)
	}
	seen := map[*value]bool{}
	if len(first.cols) > 0 {
		seen[first.cols[0]] = true
	}
	for i, b := range rels[1:] {
		if r.stop() {
			return
		}
		if op.Branches[i+1].Op != ir.SetExcept && len(b.cols) == len(first.cols) && sameColumns(b, rels[:i+1], seen) {
			continue
		}
		r.steps += len(b.cols) / 8
		r.mergeBranch(rel, b, op.Branches[i+1])
	}
}

// sameColumns reports whether a branch has exactly the columns of an earlier one.
func sameColumns(b *relation, before []*relation, seen map[*value]bool) bool {
	if len(b.cols) == 0 {
		return false
	}
	if !seen[b.cols[0]] {
		seen[b.cols[0]] = true
		return false
	}
	for _, o := range before {
		if len(o.cols) == len(b.cols) && &o.cols[0] == &b.cols[0] {
			return true
		}
	}
	return false
}

// openUnion is a union where some branch has a symbolic star: names pass through
// it, to each branch by name.
func (r *resolver) openUnion(rel *relation, rels []*relation, op *ir.SetOp) {
	if rels[0].make == nil && firstStar(rels[0]) == len(rels[0].cols) {
		// The first branch names all columns; what stars hold reaches any of them.
		for _, c := range rels[0].cols {
			v := r.newValue(c.name, c.key, c.at)
			v.direct(c, passIdentity)
			rel.cols = append(rel.cols, v)
		}
		for i, b := range rels[1:] {
			r.mergeNamed(rel, b, op.Branches[i+1])
		}
		return
	}
	whole := r.newValue("*", "*", 0)
	union := &relation{}
	union.make = func(id ir.Ident, key string) *value {
		shown := r.shown(id)
		v := r.newValue(shown, key, id.Start)
		for i, b := range rels {
			if i > 0 && op.Branches[i].Op == ir.SetExcept {
				continue
			}
			v.direct(r.columnOf(b, id, key), passIdentity)
		}
		return v
	}
	for i, b := range rels {
		except := i > 0 && op.Branches[i].Op == ir.SetExcept
		for _, c := range b.cols {
			if c.star != nil {
				c = r.wholeOf(c.star)
			}
			if except {
				addCondition(&rel.conds, c, steerFilter)
			} else {
				whole.direct(c, passIdentity)
			}
		}
	}
	rel.cols = []*value{r.newStar(&star{of: union, whole: whole})}
}

// mergeNamed adds a branch with a star to columns that are named.
func (r *resolver) mergeNamed(rel, b *relation, branch ir.SetBranch) {
	at := firstStar(b)
	if at == len(b.cols) && b.make == nil {
		r.mergeBranch(rel, b, branch)
		return
	}
	for i, v := range rel.cols {
		if i < at {
			v.direct(b.cols[i], passIdentity)
			continue
		}
		if c := r.columnOf(b, ir.Ident{Name: v.name, Quote: '"'}, v.key); c != nil {
			v.direct(c, passIdentity)
		}
	}
}

// unionByName matches columns by name.
func (r *resolver) unionByName(rel *relation, rels []*relation, op *ir.SetOp) {
	for i, b := range rels {
		except := i > 0 && op.Branches[i].Op == ir.SetExcept
		for _, c := range b.cols {
			if c.star != nil {
				if at := firstStar(rel); at < len(rel.cols) {
					r.wholeOf(rel.cols[at].star).direct(r.wholeOf(c.star), passIdentity)
				} else {
					rel.cols = append(rel.cols, r.newStar(&star{of: b, whole: r.wholeOf(c.star)}))
				}
				continue
			}
			if except {
				addCondition(&rel.conds, c, steerFilter)
				continue
			}
			at := rel.find(c.key)
			if at < 0 {
				at = len(rel.cols)
				rel.add(r.newValue(c.name, c.key, c.at))
			}
			rel.cols[at].direct(c, passIdentity)
		}
	}
}

// distinctRelations drops repeats that follow one another.
func distinctRelations(rels []*relation) []*relation {
	out := rels[:0:0]
	for i, x := range rels {
		if i > 0 && rels[i-1] == x {
			continue
		}
		out = append(out, x)
	}
	return out
}

// outputName is the name that a select item gives its column by itself.
func (r *resolver) outputName(e *ir.Expr, i int) (shown string) {
	if id := nameOf(e); id.Set() && (e.Kind != ir.ExprField || r.d.name != "snowflake") {
		return r.shown(id)
	}
	switch r.d.name {
	case "postgres", "redshift", "greenplum":
		return postgresName(e)
	case "hive", "impala":
		return "_c" + strconv.Itoa(i)
	case "trino", "presto":
		return "_col" + strconv.Itoa(i)
	case "bigquery":
		return "f" + strconv.Itoa(i) + "_"
	case "flink":
		return "EXPR$" + strconv.Itoa(i)
	case "snowflake", "oracle":
		return strings.ToUpper(r.text(e.Span))
	}
	if t := r.text(e.Span); t != "" {
		return strings.Join(strings.Fields(t), " ")
	}
	return "_c" + strconv.Itoa(i)
}

// postgresName follows PostgreSQL: a cast keeps the name of a column, a call has
// the function's name.
func postgresName(e *ir.Expr) string {
	switch e.Kind {
	case ir.ExprCast:
		if n := postgresName(e.Args[0]); n != "?column?" {
			return n
		}
		return strings.ToLower(firstWord(e.Text))
	case ir.ExprCall:
		if len(e.Name) > 0 {
			return strings.ToLower(e.Name[len(e.Name)-1].Name)
		}
	case ir.ExprColumn, ir.ExprField:
		return strings.ToLower(e.Name[len(e.Name)-1].Name)
	case ir.ExprCase:
		return "case"
	case ir.ExprArray:
		return "array"
	case ir.ExprExists:
		return "exists"
	case ir.ExprIndex:
		return postgresName(e.Args[0])
	case ir.ExprStruct, ir.ExprTuple:
		return "row"
	case ir.ExprSubquery:
		if q := unwrap(e.Query); q != nil && q.Select != nil && len(q.Select.Items) == 1 {
			it := q.Select.Items[0]
			if it.Alias.Set() {
				return strings.ToLower(it.Alias.Name)
			}
			return postgresName(it.Expr)
		}
	}
	return "?column?"
}
