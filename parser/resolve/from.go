package resolve

import (
	"slices"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// fromList brings the elements of a FROM list into scope, one after the other,
// with the joins between them.
func (r *resolver) fromList(items []*ir.From, s *scope) {
	start := len(s.sources)
	for _, f := range items {
		if r.stop() {
			return
		}
		if f.Join == ir.JoinComma {
			start = len(s.sources)
		}
		r.joinItem(f, s, start)
	}
}

// joinItem brings one element in and joins it to those from `start` on.
func (r *resolver) joinItem(f *ir.From, s *scope, start int) {
	before := len(s.sources)
	r.fromItem(f, s)
	if f.Join == ir.JoinComma {
		return
	}
	join := flow{conds: &s.rel.conds, steering: true, kind: steerJoin}
	left, right := s.sources[start:before], s.sources[before:]
	switch {
	case f.Natural:
		r.mergeNatural(f, s, left, right)
	case len(f.Using) > 0:
		for _, id := range f.Using {
			r.merge(id, f.Join, s, left, right, true)
		}
		if f.Rare().UsingAlias.Set() {
			r.nameMerged(f, s)
		}
	}
	if f.On != nil {
		was := s.useAliases
		s.useAliases = r.d.aliasAnywhere && r.d.aliasInWhere
		r.walk(f.On, s, join)
		s.useAliases = was
	}
	switch f.Join {
	case ir.JoinLeftSemi:
		hide(right)
	case ir.JoinRightSemi:
		hide(left)
	}
}

// nameMerged lets the merged columns of USING be meant by the alias of the join. Stars
// and names without it have them already.
func (r *resolver) nameMerged(f *ir.From, s *scope) {
	rel := &relation{}
	for _, id := range f.Using {
		key := r.identKey(id)
		for i := range s.merged {
			if s.merged[i].key == key {
				rel.cols = append(rel.cols, s.merged[i].value)
			}
		}
	}
	s.addSource(&source{rel: rel, alias: r.aliasKey(f.Rare().UsingAlias), at: f.Start, hidden: true})
}

func hide(sources []*source) {
	for _, x := range sources {
		x.hidden = true
	}
}

// mergeNatural merges the columns that both sides are known to have.
func (r *resolver) mergeNatural(f *ir.From, s *scope, left, right []*source) {
	done := map[string]bool{}
	for _, l := range left {
		for _, c := range l.rel.cols {
			if c.star != nil || done[c.key] {
				continue
			}
			done[c.key] = true
			for _, x := range right {
				if x.rel.holds(c.key) == holdsYes {
					r.merge(ir.Ident{Name: c.name, Start: f.Start, Quote: '"'}, f.Join, s, left, right, false)
					break
				}
			}
		}
	}
}

// merge makes one column of both sides' columns of a name. Of an outer join only
// the kept side gives the value.
func (r *resolver) merge(id ir.Ident, kind ir.JoinKind, s *scope, left, right []*source, report bool) {
	key := r.identKey(id)
	lv, at := r.mergedLeft(id, key, s, left)
	rv := r.sideColumn(id, key, right)
	if report && lv == nil && rv == nil {
		r.failf(ir.ErrorUnresolved, id.Start, "neither side of the join has a column %q", id.Name)
		return
	}
	addCondition(&s.rel.conds, lv, steerJoin)
	addCondition(&s.rel.conds, rv, steerJoin)
	if kind == ir.JoinLeftSemi || kind == ir.JoinRightSemi {
		return
	}
	shown := r.shown(id)
	if lv != nil {
		shown = lv.name
	}
	v := r.newValue(shown, key, id.Start)
	if kind != ir.JoinRight {
		v.direct(lv, passIdentity)
	}
	if kind != ir.JoinLeft {
		v.direct(rv, passIdentity)
	}
	for _, side := range [][]*source{left, right} {
		for _, x := range side {
			if x.rel.holds(key) == holdsNo {
				continue
			}
			if x.merged == nil {
				x.merged = map[string]bool{}
			}
			x.merged[key] = true
		}
	}
	if at >= 0 {
		s.merged[at].value = v
		return
	}
	s.merged = append(s.merged, mergedColumn{key, v})
}

// mergedLeft is the left side's column: one that an earlier join merged, else the
// column of the source that has it.
func (r *resolver) mergedLeft(id ir.Ident, key string, s *scope, left []*source) (*value, int) {
	for i := range s.merged {
		if s.merged[i].key == key {
			return s.merged[i].value, i
		}
	}
	return r.sideColumn(id, key, left), -1
}

// sideColumn is the column of a name on one side of a join: the surest owner's, of
// several unsure ones the last.
func (r *resolver) sideColumn(id ir.Ident, key string, side []*source) *value {
	var best *source
	sure := holdsNo
	for _, x := range side {
		if x.hidden {
			continue
		}
		if h := x.rel.holds(key); h != holdsNo && h >= sure {
			best, sure = x, h
		}
	}
	if best == nil {
		return nil
	}
	return r.columnOf(best.rel, id, key)
}

// fromItem brings one element into scope and returns its source (the last one of a
// group).
func (r *resolver) fromItem(f *ir.From, s *scope) *source {
	more := f.Rare()
	for _, e := range more.AsOf {
		r.walk(e, s, flow{conds: &s.rel.conds, steering: true, kind: steerFilter})
	}
	if f.Kind == ir.FromGroup {
		return r.fromGroup(f, s)
	}
	if f.Kind == ir.FromArrayJoin {
		return r.arrayJoin(f, s)
	}
	src := r.elementOf(f, s)
	if src == nil {
		return nil
	}
	r.depend(s, src.rel)
	src = r.applyOps(f, src, s)
	if more.Offset.Set() {
		src = r.withOffset(f, src, s)
	}
	s.addSource(src)
	return src
}

// fromGroup is a parenthesised join, whose elements are seen outside unless it has
// an alias of its own.
func (r *resolver) fromGroup(f *ir.From, s *scope) *source {
	if !f.Alias.Set() && len(f.Rare().Ops) == 0 {
		inner := &scope{parent: s.parent, ctes: s.ctes, rel: s.rel}
		if f.Lateral {
			inner.parent = s
		}
		r.fromList(f.Rare().Group, inner)
		for _, x := range inner.sources {
			s.addSource(x)
		}
		s.merged = append(s.merged, inner.merged...)
		if n := len(inner.sources); n > 0 {
			return inner.sources[n-1]
		}
		return nil
	}
	rel := &relation{}
	inner := &scope{parent: s.parent, ctes: s.ctes, rel: rel}
	r.fromList(f.Rare().Group, inner)
	rel.cols = r.starOfAll(inner)
	src := &source{rel: r.renamed(rel, f.Columns), alias: r.aliasKey(f.Alias), at: f.Start}
	r.depend(s, src.rel)
	src = r.applyOps(f, src, s)
	s.addSource(src)
	return src
}

// elementOf evaluates a table, derived table or function.
func (r *resolver) elementOf(f *ir.From, s *scope) *source {
	switch f.Kind {
	case ir.FromTable:
		return r.fromTable(f, s)
	case ir.FromQuery:
		outer := s.parent
		if f.Lateral {
			outer = s
		}
		if outer == nil && s.ctes != nil {
			outer = &scope{ctes: s.ctes}
		}
		rel := r.query(f.Query, outer)
		src := r.mem.sources.One()
		src.rel, src.alias, src.at = r.renamed(rel, f.Columns), r.aliasOr(f.Alias, "\x00"), f.Start
		return src
	case ir.FromFunc:
		return r.fromFunc(f, s)
	case ir.FromUnnest:
		return r.unnest(f, s)
	case ir.FromLateralView:
		return r.lateralView(f, s)
	}
	return nil
}

// aliasOr is an alias as compared; a derived table without one gets a name that
// nobody can write.
func (r *resolver) aliasOr(id ir.Ident, other string) string {
	if id.Set() {
		return r.aliasKey(id)
	}
	return other
}

// fromTable is a name in FROM: a CTE, a correlated path, a session table, a file,
// or a table.
func (r *resolver) fromTable(f *ir.From, s *scope) *source {
	src := r.mem.sources.One()
	src.at = f.Start
	if f.Alias.Set() {
		src.alias = r.aliasKey(f.Alias)
	}
	if f.Rare().Path != "" {
		src.rel = r.renamed(r.content(r.catalog.place(r.placeName(f.Rare().Path))), f.Columns)
		return src
	}
	if !f.Name.Set() {
		return nil
	}
	parts := f.Name.Parts
	if len(parts) == 1 {
		if rel := r.oneName(parts[0], s); rel != nil {
			src.rel = r.renamed(rel, f.Columns)
			if src.alias == "" {
				src.alias = r.aliasKey(parts[0])
			}
			return src
		}
		if isDual(r.d.name, parts[0]) {
			shown := r.shown(ir.Ident{Name: "dummy"})
			src.rel = &relation{cols: []*value{r.newValue(shown, r.columnKey(shown), f.Start)}}
			if src.alias == "" {
				src.alias = r.aliasKey(parts[0])
			}
			return src
		}
	}
	if r.d.correlatedPath && len(parts) > 1 {
		if x := r.correlated(f, s); x != nil {
			return x
		}
	}
	if r.d.nestedPath && len(parts) > 2 {
		return r.nestedRows(f, s)
	}
	t := r.catalog.lookup(f.Name)
	src.table = t
	src.rel = r.renamed(r.content(t), f.Columns)
	if src.alias == "" {
		for _, p := range t.parts {
			src.path = append(src.path, r.aliasKey(ir.Ident{Name: p, Quote: '"'}))
		}
	}
	return src
}

// maxForward bounds how deep CTEs that stand later are evaluated from earlier ones.
const maxForward = 1000

// oneName finds what a bare table name means before tables are asked: a CTE, the
// rows of a trigger, a table variable.
func (r *resolver) oneName(id ir.Ident, s *scope) *relation {
	key := r.aliasKey(id)
	if c := s.ctes.find(key); c != nil {
		if c.rel == nil && !c.running && r.depth < maxForward {
			r.evaluate(c, c.scope.ctes, key)
		}
		if c.rel != nil {
			return c.rel
		}
	}
	return r.vars.rows(key)
}

// isDual reports one-row tables that hold nothing.
func isDual(dialect string, id ir.Ident) bool {
	switch strings.ToLower(id.Name) {
	case "dual":
		return id.Quote == 0 || dialect != "postgres"
	case "sysdummy1":
		return true
	}
	return false
}

// correlated is FROM t, t.arr: the elements of a column of an earlier element.
func (r *resolver) correlated(f *ir.From, s *scope) *source {
	parts := f.Name.Parts
	if r.d.splitQuoted && parts[0].Quote == '`' && strings.Contains(parts[0].Name, ".") {
		return nil
	}
	found := false
	for sc := s; sc != nil && !found; sc = sc.parent {
		found = sc.sourceOf(r.aliasKey(parts[0])) != nil || r.d.nestedPath && len(parts) > 2 && sc.sourceOfPath([]string{r.aliasKey(parts[0]), r.aliasKey(parts[1])}) != nil
	}
	if !found {
		return nil
	}
	e := &ir.Expr{Kind: ir.ExprColumn, Name: parts, Span: f.Name.Span}
	alias := f.Alias
	if !alias.Set() {
		alias = parts[len(parts)-1]
	}
	return r.unnest(&ir.From{Kind: ir.FromUnnest, Span: f.Span, Alias: alias, Columns: f.Columns, More: &ir.FromMore{Args: []*ir.Expr{e}}}, s)
}

// nestedRows is Impala's FROM db.t.arr: the elements of a column of a table that stands
// nowhere else.
func (r *resolver) nestedRows(f *ir.From, s *scope) *source {
	in := &scope{parent: s.parent, ctes: s.ctes, rel: &relation{}}
	table := ir.Name{Parts: f.Name.Parts[:2], Span: f.Name.Span}
	r.fromItem(&ir.From{Kind: ir.FromTable, Span: f.Span, Name: table}, in)
	src := r.correlated(f, in)
	if src == nil {
		return nil
	}
	rel := *src.rel
	rel.deps = append(slices.Clip(rel.deps), in.rel)
	src.rel = &rel
	return src
}

// applyOps applies PIVOT, UNPIVOT and MATCH_RECOGNIZE.
func (r *resolver) applyOps(f *ir.From, src *source, s *scope) *source {
	for _, op := range f.Rare().Ops {
		var rel *relation
		switch op.Kind {
		case ir.OpPivot:
			rel = r.pivot(op, src, s)
		case ir.OpUnpivot:
			rel = r.unpivot(op, src, s)
		case ir.OpMatch:
			rel = r.match(op, src, s)
		}
		next := &source{rel: r.renamed(rel, op.Columns), at: op.Start, alias: src.alias, path: src.path}
		if op.Alias.Set() {
			next.alias, next.path = r.aliasKey(op.Alias), nil
		}
		r.depend(s, next.rel)
		src = next
	}
	return src
}
