package resolve

import (
	"strconv"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// columnOf gives a relation's column by name, nil if it has none. It makes steps
// for what is found through a star once.
func (r *resolver) columnOf(rel *relation, id ir.Ident, key string) *value {
	if i := rel.find(key); i >= 0 {
		return rel.cols[i]
	}
	if rel.table != nil && len(rel.cols) == 1 && rel.cols[0].star != nil && rel.cols[0].star.of == rel {
		// A table of unknown columns keeps them itself.
		return r.catalog.column(rel.table, r.shown(id), key)
	}
	if v := rel.derived.get(key); v != nil {
		return v
	}
	v := r.derive(rel, id, key)
	if v == nil {
		return nil
	}
	r.kept = r.kept || rel.table != nil // it stays, with what it derives
	rel.derived.add(&r.mem.derived, key, v)
	return v
}

func (r *resolver) derive(rel *relation, id ir.Ident, key string) *value {
	if rel.make != nil {
		return rel.make(id, key)
	}
	var only *star
	best := holdsNo
	for _, c := range rel.cols {
		if c.star == nil {
			continue
		}
		switch h := c.star.holds(key); {
		case h > best:
			best, only = h, c.star
		case h == best && h != holdsNo:
			only = nil
		}
	}
	if only == nil {
		return nil
	}
	return r.throughStar(only, id, key)
}

// throughStar follows a named column through a star.
func (r *resolver) throughStar(s *star, id ir.Ident, key string) *value {
	if old, ok := s.rename[key]; ok {
		id, key = ir.Ident{Name: old}, r.columnKey(old)
	}
	if t := s.of.table; t != nil {
		return r.catalog.column(t, r.shown(id), key)
	}
	return r.columnOf(s.of, id, key)
}

// proposedColumn is MySQL's VALUES(column) in ON DUPLICATE KEY UPDATE.
func (r *resolver) proposedColumn(e *ir.Expr, s *scope) *value {
	if len(e.Args) != 1 || e.Args[0].Kind != ir.ExprColumn {
		return nil
	}
	id := e.Args[0].Name[len(e.Args[0].Name)-1]
	for ; s != nil; s = s.parent {
		if s.proposed != nil {
			return r.columnOf(s.proposed, id, r.identKey(id))
		}
	}
	return nil
}

// maxPseudo is the length of the longest name of a pseudo column.
const maxPseudo = 32

// quiet gives a value without source for the pseudo columns of the dialect.
func (r *resolver) quiet(id ir.Ident) *value {
	if id.Quote != 0 && id.Quote != '"' {
		return nil
	}
	var upper [maxPseudo]byte
	if len(id.Name) > maxPseudo {
		return nil
	}
	n := copy(upper[:], id.Name)
	for i, c := range upper[:n] {
		if c-'a' < 26 {
			upper[i] = c - 'a' + 'A'
		}
	}
	if !pseudo(r.d.name, string(upper[:n])) {
		return nil
	}
	return r.newValue(id.Name, id.Name, id.Start)
}

// resolveColumn finds what a dotted name means. It returns nil after reporting
// what is wrong; quiet names (pseudo columns, variables without a source) give a
// value without inputs.
func (r *resolver) resolveColumn(e *ir.Expr, s *scope) *value {
	if len(e.Name) == 0 {
		return nil
	}
	parts := e.Name
	if r.d.splitQuoted {
		parts = splitParts(parts)
	}
	if len(parts) == 1 {
		return r.resolveBare(parts[0], s)
	}
	return r.resolveDotted(e, parts, s)
}

// splitParts splits backticked `p.d.t` into parts.
func splitParts(parts []ir.Ident) []ir.Ident {
	for i, p := range parts {
		if p.Quote == '`' && strings.Contains(p.Name, ".") {
			out := append([]ir.Ident(nil), parts[:i]...)
			for _, q := range parts[i:] {
				if q.Quote != '`' {
					out = append(out, q)
					continue
				}
				for n := range strings.SplitSeq(q.Name, ".") {
					out = append(out, ir.Ident{Name: n, Start: q.Start, Quote: '`'})
				}
			}
			return out
		}
	}
	return parts
}

// found is the outcome of looking for a bare name in one scope.
type found struct {
	merged *value // a column that a join merged
	sure   holds
	clash  bool // several could own it
	source *source
}

// value gives the column that was found. It is made only here, so that looking does
// not leave traces.
func (f *found) value(r *resolver, id ir.Ident, key string) *value {
	switch {
	case f.merged != nil:
		return f.merged
	case f.source != nil && !f.clash:
		return r.columnOf(f.source.rel, id, key)
	}
	return nil
}

// inSources looks a bare name up in the FROM elements of one scope.
func (r *resolver) inSources(s *scope, key string) found {
	for i := range s.merged {
		if s.merged[i].key == key {
			return found{merged: s.merged[i].value, sure: holdsYes}
		}
	}
	var best found
	for _, src := range s.sources {
		if src.hidden || src.merged[key] {
			continue
		}
		h := src.rel.holds(key)
		if h == holdsMaybe && src.proven[key] {
			h = holdsYes
		}
		if h == holdsNo || h < best.sure {
			continue
		}
		if h == best.sure {
			best.clash = true
			continue
		}
		best = found{sure: h, source: src}
	}
	return best
}

// resolveBare finds what an unqualified name means: in the innermost scope that may
// have it.
func (r *resolver) resolveBare(id ir.Ident, s *scope) *value {
	key := r.identKey(id)
	var weak found
	for sc := s; sc != nil; sc = sc.parent {
		if sc.lambda {
			if v := lambdaParam(sc.params, key); v != nil {
				return v
			}
			continue
		}
		if v := r.beforeColumns(sc, s, id, key); v != nil {
			return v
		}
		f := r.inSources(sc, key)
		if f.sure == holdsYes {
			return r.sureColumn(f, sc, id, key)
		}
		if v := r.beforeUnsure(f, sc, s, id, key); v != nil {
			return v
		}
		switch {
		case f.sure == holdsNo:
		case weak.source != nil && weak.source.unnamed && !weak.clash:
			// Elements without a name can only be meant by their fields.
			return weak.value(r, id, key)
		case f.sure == holdsWeak && !f.clash && r.isElement(id):
			return f.value(r, id, key)
		case f.sure == holdsWeak && (f.clash || sc.parent != nil):
			weak = f
		case f.clash:
			r.failf(ir.ErrorUnresolved, id.Start, "column %q could be of %s, and not enough of their columns are known", id.Name, owners(sc, key))
			return nil
		default:
			return r.unsureColumn(f, id, key)
		}
	}
	if v := weak.value(r, id, key); v != nil {
		return v
	}
	return r.unknownBare(id, s)
}

// isElement reports Oracle's name for the elements of a collection: it can only mean
// what is unnested nearest.
func (r *resolver) isElement(id ir.Ident) bool {
	return r.d.name == "oracle" && strings.EqualFold(id.Name, "column_value")
}

// beforeColumns finds what hides columns in a scope: aliases in ClickHouse, variables
// in MySQL.
func (r *resolver) beforeColumns(sc, s *scope, id ir.Ident, key string) *value {
	if sc.aliasFirst {
		if v := r.aliasValue(sc, key); v != nil {
			return v
		}
	}
	if r.d.variablesFirst && sc == s {
		return r.variable(sc, id)
	}
	return nil
}

// sureColumn is a column that a known owner has; two such owners are an error of the
// script.
func (r *resolver) sureColumn(f found, sc *scope, id ir.Ident, key string) *value {
	if f.clash {
		r.failf(ir.ErrorAmbiguous, id.Start, "column %q could be of %s", id.Name, owners(sc, key))
		return nil
	}
	return f.value(r, id, key)
}

// unsureColumn is a column that one element of FROM may have; inside it, several stars
// may.
func (r *resolver) unsureColumn(f found, id ir.Ident, key string) *value {
	v := f.value(r, id, key)
	if v == nil {
		r.failf(ir.ErrorUnresolved, id.Start, "column %q could be of several tables whose columns are not known", id.Name)
	}
	return v
}

// beforeUnsure finds what comes before a column that a table of unknown columns may
// have: an alias (unless the script has taken the column from that table already), a
// whole row, a variable, a pseudo column.
func (r *resolver) beforeUnsure(f found, sc, s *scope, id ir.Ident, key string) *value {
	taken := f.source != nil && !f.clash && f.source.rel.used(key)
	if sc.useAliases && !sc.aliasFirst && !taken {
		if v := r.aliasValue(sc, key); v != nil {
			return v
		}
	}
	if v := r.rowValue(sc, id); v != nil {
		return v
	}
	if v := r.variable(s, id); v != nil {
		return v
	}
	if f.sure != holdsNo {
		return r.quiet(id)
	}
	return nil
}

// unknownBare gives up on a bare name: it may be a variable or a pseudo column,
// else it is reported.
func (r *resolver) unknownBare(id ir.Ident, s *scope) *value {
	if v := r.variable(s, id); v != nil {
		return v
	}
	if v := r.quiet(id); v != nil {
		return v
	}
	if v := r.nested(id, s); v != nil {
		return v
	}
	if v := r.earlierAlias(id, s); v != nil {
		return v
	}
	if !hasSources(s) {
		// A name where there is nothing to take it from: a constant of the dialect, a
		// label, a unit. Nothing flows.
		return r.newValue(id.Name, id.Name, id.Start)
	}
	r.failf(ir.ErrorUnresolved, id.Start, "column %q is in none of the tables read here", id.Name)
	return nil
}

// earlierAlias is an alias of the select list where nothing else has the name: in the
// dialect that stands for any, an engine may allow that.
func (r *resolver) earlierAlias(id ir.Ident, s *scope) *value {
	if r.d.name != "ansi" {
		return nil
	}
	for key := r.identKey(id); s != nil; s = s.parent {
		if v := r.aliasValue(s, key); v != nil {
			return v
		}
	}
	return nil
}

// nested is a ClickHouse Nested column as a whole: those columns whose names begin
// with it.
func (r *resolver) nested(id ir.Ident, s *scope) *value {
	if !r.d.dottedColumns {
		return nil
	}
	prefix := r.identKey(id) + "."
	for ; s != nil; s = s.parent {
		for _, src := range s.sources {
			var fields []*value
			for _, c := range src.rel.cols {
				if part, ok := strings.CutPrefix(c.key, prefix); ok && c.star == nil {
					f := r.newValue(part, part, id.Start)
					f.direct(c, passIdentity)
					fields = append(fields, f)
				}
			}
			if len(fields) == 0 {
				continue
			}
			v := r.newValue(id.Name, r.identKey(id), id.Start)
			for _, f := range fields {
				v.direct(f, passIdentity)
			}
			v.parts = &parts{fields: fields}
			return v
		}
	}
	return nil
}

func hasSources(s *scope) bool {
	for ; s != nil; s = s.parent {
		if len(s.sources) > 0 {
			return true
		}
	}
	return false
}

// owners names the tables that could own a column, for messages.
func owners(s *scope, key string) string {
	var names []string
	for _, src := range s.sources {
		if src.rel.holds(key) != holdsNo && !src.hidden {
			n := src.alias
			if n == "" && len(src.path) > 0 {
				n = src.path[len(src.path)-1]
			}
			if n == "\x00" {
				n = "a query without a name"
			}
			names = append(names, n)
		}
		if len(names) == 4 {
			names = append(names, "others")
			break
		}
	}
	return strings.Join(names, ", ")
}

func lambdaParam(params []*value, key string) *value {
	for _, p := range params {
		if p.key == key {
			return p
		}
	}
	return nil
}

// rowValue gives the whole row of a source whose alias is used as a value.
func (r *resolver) rowValue(s *scope, id ir.Ident) *value {
	src := s.sourceOf(r.aliasKey(id))
	if src == nil || src.hidden {
		return nil
	}
	if src.rel.scalar {
		if len(src.rel.cols) > 0 {
			return src.rel.cols[0]
		}
		if src.rel.make != nil {
			return r.columnOf(src.rel, id, r.identKey(id))
		}
	}
	if !r.d.aliasIsRow {
		return nil
	}
	return r.row(src.rel, id.Start)
}

// row makes a relation's whole row a value.
func (r *resolver) row(rel *relation, at int32) *value {
	v := r.newValue("row", "row", at)
	v.parts = &parts{row: rel}
	for _, c := range rel.cols {
		if c.star != nil {
			v.direct(r.wholeOf(c.star), passIdentity)
			continue
		}
		v.direct(c, passIdentity)
	}
	return v
}

// wholeOf is the value of a star as a whole.
func (r *resolver) wholeOf(s *star) *value {
	if s.whole != nil {
		return s.whole
	}
	if s.of.make != nil {
		s.whole = s.of.make(ir.Ident{Name: "*"}, "*")
		if s.whole != nil {
			return s.whole
		}
	}
	if t := s.of.table; t != nil && len(s.of.cols) == 1 && s.of.cols[0].star == s {
		s.whole = r.catalog.newColumn(t, "*", "*")
		return s.whole
	}
	s.whole = r.newValue("*", "*", 0)
	for _, c := range s.of.cols {
		if c.star != nil {
			s.whole.direct(r.wholeOf(c.star), passIdentity)
		} else {
			s.whole.direct(c, passIdentity)
		}
	}
	return s.whole
}

// resolveDotted finds what a qualified name means.
func (r *resolver) resolveDotted(e *ir.Expr, parts []ir.Ident, s *scope) *value {
	var room [4]string
	keys := room[:0]
	for _, p := range parts {
		keys = append(keys, r.aliasKey(p))
	}
	first := r.identKey(parts[0])
	short := len(parts) == 2 && !r.d.dottedColumns // the first part alone says which scope
	for sc, far := s, 0; sc != nil; far++ {
		if v, ok := r.dottedIn(sc, parts, keys, first); ok {
			if short && far > farOut {
				s.above = &outerName{keys[0], first, sc}
			}
			return v
		}
		if short {
			sc = sc.next(keys[0], first)
		} else {
			sc = sc.parent
		}
	}
	if v := r.dottedElsewhere(parts, s, e); v != nil {
		return v
	}
	if src, n := r.hiddenSource(parts[:len(parts)-1], s); src != nil {
		return r.follow(r.columnOf(src.rel, parts[n], r.identKey(parts[n])), parts[n+1:])
	}
	return r.structOfUnknown(e, parts, first, s)
}

// dottedIn looks a qualified name up in one scope.
func (r *resolver) dottedIn(sc *scope, parts []ir.Ident, keys []string, first string) (*value, bool) {
	if sc.lambda {
		v := lambdaParam(sc.params, first)
		return r.follow(v, parts[1:]), v != nil
	}
	if v, ok := r.qualified(sc, parts, keys); ok {
		return v, true
	}
	if r.d.dottedColumns {
		if v := r.dottedBare(sc, parts); v != nil {
			return v, true
		}
	}
	if f := r.inSources(sc, first); f.sure == holdsYes && !f.clash {
		return r.follow(f.value(r, parts[0], first), parts[1:]), true
	}
	if sc.useAliases {
		if v := r.aliasValue(sc, first); v != nil {
			return r.follow(v, parts[1:]), true
		}
	}
	return nil, false
}

// dottedElsewhere tries sequences, variables and the rows of triggers.
func (r *resolver) dottedElsewhere(parts []ir.Ident, s *scope, e *ir.Expr) *value {
	last := parts[len(parts)-1]
	if last.Quote == 0 {
		switch strings.ToUpper(last.Name) {
		case "NEXTVAL", "CURRVAL":
			return r.newValue(last.Name, last.Name, e.Start)
		}
	}
	if v := r.variable(s, parts[0]); v != nil {
		return r.follow(v, parts[1:])
	}
	return nil
}

// hiddenSource finds the only table that the start of a qualifier names although it has
// an alias, and how many parts the name has. Most engines refuse that; people write it.
func (r *resolver) hiddenSource(qualifier []ir.Ident, s *scope) (*source, int) {
	if !r.d.hiddenNames {
		return nil, 0
	}
	for sc := s; sc != nil; sc = sc.parent {
		for n := min(len(qualifier), maxNameParts); n > 0; n-- {
			var only *source
			for _, x := range sc.sources {
				if x.table == nil || x.alias == "" || !r.endsIn(x.table.parts, qualifier[:n]) {
					continue
				}
				if only != nil {
					return nil, 0
				}
				only = x
			}
			if only != nil {
				return only, n
			}
		}
	}
	return nil, 0
}

// maxNameParts is the most parts that a table's name has.
const maxNameParts = 4

// endsIn reports whether a table's name ends in the written parts.
func (r *resolver) endsIn(parts []string, written []ir.Ident) bool {
	if len(written) > len(parts) {
		return false
	}
	for i, p := range parts[len(parts)-len(written):] {
		if r.aliasKey(ir.Ident{Name: p, Quote: '"'}) != r.aliasKey(written[i]) {
			return false
		}
	}
	return true
}

// structOfUnknown takes a dotted name without a matching alias as a field of a
// column of the only table that could have it.
func (r *resolver) structOfUnknown(e *ir.Expr, parts []ir.Ident, first string, s *scope) *value {
	if v := r.quiet(parts[0]); v != nil && r.d.pseudoStructs {
		return v
	}
	for sc := s; sc != nil; sc = sc.parent {
		if sc.lambda {
			continue
		}
		f := r.inSources(sc, first)
		if f.sure == holdsNo || f.clash {
			continue
		}
		return r.follow(f.value(r, parts[0], first), parts[1:])
	}
	if !hasSources(s) {
		return r.newValue(parts[0].Name, parts[0].Name, e.Start)
	}
	name := make([]string, len(parts))
	for i, p := range parts {
		name[i] = p.Name
	}
	r.failf(ir.ErrorUnresolved, e.Start, "nothing read here is called %q in %q", parts[0].Name, strings.Join(name, "."))
	return nil
}

// qualified tries the parts as `[db.][schema.]table.column.field…` in one scope.
func (r *resolver) qualified(s *scope, parts []ir.Ident, keys []string) (*value, bool) {
	src := s.sourceOf(keys[0])
	n := 1
	if src == nil && s.symbols != nil && symbol(s, keys[0]) {
		src = s.symbols
	}
	if src == nil && len(parts) > 2 {
		for k := min(len(parts)-1, maxNameParts); k >= 2; k-- {
			if src = s.sourceOfPath(keys[:k]); src != nil {
				n = k
				break
			}
		}
	}
	if src == nil && len(parts) > 2 && r.catalog.tempQualifier(parts[:1]) {
		src, n = s.sourceOf(keys[1]), 2 // pg_temp.t.c
	}
	if src == nil {
		return nil, false
	}
	if n == 1 && src.alias == "" && s.twice(keys[0]) {
		r.failf(ir.ErrorAmbiguous, parts[0].Start, "two tables read here are called %q", parts[0].Name)
		return nil, true
	}
	if src.rel.scalar && len(src.rel.cols) > 0 && src.rel.find(r.identKey(parts[n])) < 0 {
		return r.ofElement(src.rel.cols[0], parts[n:]), true
	}
	if r.d.dottedColumns && len(parts) > n+1 {
		if v := r.dottedColumn(src.rel, parts[n:]); v != nil {
			return v, true
		}
	}
	key := r.identKey(parts[n])
	if filePosition(parts[n]) && (src.rel.table != nil || r.d.name == "snowflake") {
		return r.byNumber(src.rel, parts[n:]), true
	}
	if i := src.rel.find(key); i >= 0 {
		return r.follow(src.rel.cols[i], parts[n+1:]), true
	}
	if src.rel.holds(key) == holdsMaybe {
		if q := r.quiet(parts[n]); q != nil {
			return q, true
		}
	}
	v := r.columnOf(src.rel, parts[n], key)
	if v == nil {
		if q := r.quiet(parts[n]); q != nil {
			return q, true
		}
		if len(src.rel.cols) > 0 || src.rel.make != nil {
			message := "%s has no column %q"
			if src.rel.holds(key) != holdsNo {
				message = "%s has several tables of unknown columns, of which any may have %q"
			}
			r.failf(ir.ErrorUnresolved, parts[n].Start, message, parts[n-1].Name, parts[n].Name)
		}
		return nil, true
	}
	return r.follow(v, parts[n+1:]), true
}

// byNumber is t.$2: a field of a staged file, which has no name, or a column by its
// position.
func (r *resolver) byNumber(rel *relation, parts []ir.Ident) *value {
	id := parts[0]
	if at, _ := strconv.Atoi(id.Name[1:]); at > 0 && at <= len(rel.cols) && firstStar(rel) >= at {
		return r.follow(rel.cols[at-1], parts[1:])
	}
	return r.newValue(id.Name, id.Name, id.Start)
}

// ofElement are fields of an element of an array. Impala counts the elements too.
func (r *resolver) ofElement(element *value, parts []ir.Ident) *value {
	if r.d.nestedPath && counter(parts[0].Name) {
		return r.newValue(parts[0].Name, parts[0].Name, parts[0].Start)
	}
	return r.follow(element, parts)
}

// filePosition reports Snowflake's $1.
func filePosition(id ir.Ident) bool {
	return len(id.Name) > 1 && id.Name[0] == '$' && id.Name[1] >= '0' && id.Name[1] <= '9'
}

func symbol(s *scope, key string) bool {
	return s.symbols != nil && s.symbols.merged[key]
}

// dottedColumn finds a known column whose own name holds dots.
func (r *resolver) dottedColumn(rel *relation, parts []ir.Ident) *value {
	for k := len(parts); k >= 2; k-- {
		names := make([]string, k)
		for i, p := range parts[:k] {
			names[i] = p.Name
		}
		if i := rel.find(r.columnKey(strings.Join(names, "."))); i >= 0 {
			return r.follow(rel.cols[i], parts[k:])
		}
	}
	return nil
}

// dottedBare finds such a column without its table's name before it.
func (r *resolver) dottedBare(s *scope, parts []ir.Ident) *value {
	for _, src := range s.sources {
		if v := r.dottedColumn(src.rel, parts); v != nil {
			return v
		}
	}
	return nil
}

// follow takes fields of a struct value as far as they are known; beyond that the
// whole value stands for its parts.
func (r *resolver) follow(v *value, fields []ir.Ident) *value {
	for _, f := range fields {
		if v == nil {
			return nil
		}
		key := r.identKey(f)
		if part := v.field(key, f.Name); part != nil {
			v = part
			continue
		}
		if n, err := strconv.Atoi(f.Name); err == nil && n > 0 && n <= len(v.fields) {
			v = v.fields[n-1] // ClickHouse counts the elements of tuples
			continue
		}
		if v.row == nil {
			return v
		}
		c := r.columnOf(v.row, f, key)
		if c == nil {
			return v
		}
		v = c
	}
	return v
}

// aliasValue gives the value of a select item's alias, evaluating it if the clause
// that uses it stands before it.
func (r *resolver) aliasValue(s *scope, key string) *value {
	a := s.aliases.get(key)
	if a == nil || a.busy || a.item && !a.ready && !r.d.aliasAnywhere {
		return nil
	}
	if a.v == nil {
		a.busy = true
		a.v = r.expression(a.expr, s, key, key)
		a.busy = false
	}
	return a.v
}
