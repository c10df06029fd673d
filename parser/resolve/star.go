package resolve

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// isColumnsCall reports DuckDB's and ClickHouse's COLUMNS(…) as a call.
func isColumnsCall(e *ir.Expr) bool {
	return e.Kind == ir.ExprCall && callName(e) == "COLUMNS" && len(e.Args) == 1
}

// expandStar lists what a star stands for. Unknown rests stay symbolic.
func (r *resolver) expandStar(e *ir.Expr, s *scope) []*value {
	mods, _ := e.More.(*ir.StarMods)
	if isColumnsCall(e) {
		mods = &ir.StarMods{}
		if a := e.Args[0]; a.Kind == ir.ExprLiteral {
			mods.Pattern = a.Text
		}
		return r.modify(r.starOf(nil, s, e.Start), mods, s)
	}
	var cols []*value
	switch {
	case len(e.Args) > 0:
		cols = r.starOfValue(e.Args[0], s)
	default:
		cols = r.starOf(e.Name, s, e.Start)
	}
	if mods != nil {
		return r.modify(cols, mods, s)
	}
	return cols
}

// starOfValue is `(expr).*`.
func (r *resolver) starOfValue(e *ir.Expr, s *scope) []*value {
	v := r.expression(e, s, "", "")
	return r.fieldsOf(v, nameOf(e))
}

// fieldsOf lists the parts of a struct value; an unknown struct is one star.
func (r *resolver) fieldsOf(v *value, id ir.Ident) []*value {
	var parts []*value
	if v.row != nil {
		parts = v.row.cols
	} else {
		parts = v.fields
	}
	if len(parts) == 0 {
		rest := &relation{make: func(ir.Ident, string) *value { return v }}
		return []*value{r.newStar(&star{of: rest, whole: v})}
	}
	if len(v.conds) == 0 {
		return parts
	}
	out := make([]*value, len(parts))
	for i, p := range parts {
		if p.star != nil {
			out[i] = p
			continue
		}
		out[i] = r.newValue(p.name, p.key, id.Start)
		out[i].direct(p, passIdentity)
		out[i].conds = slices.Clip(v.conds)
	}
	return out
}

// starOf is `*` or `t.*` without modifiers.
func (r *resolver) starOf(qualifier []ir.Ident, s *scope, at int32) []*value {
	if len(qualifier) == 0 {
		return r.starOfAll(s)
	}
	if r.d.splitQuoted {
		qualifier = splitParts(qualifier)
	}
	keys := make([]string, len(qualifier))
	for i, q := range qualifier {
		keys[i] = r.aliasKey(q)
	}
	for sc := s; sc != nil; sc = sc.parent {
		src := sc.sourceOf(keys[0])
		if len(keys) > 1 {
			if p := sc.sourceOfPath(keys); p != nil {
				src = p
			} else if src != nil {
				v := r.reference(&ir.Expr{Kind: ir.ExprColumn, Name: qualifier, Span: ir.Span{Start: at, End: at}}, s)
				if v == nil {
					return nil
				}
				return r.fieldsOf(v, qualifier[0])
			}
		}
		if src != nil {
			if src.rel.scalar && len(src.rel.cols) > 0 {
				return r.fieldsOf(src.rel.cols[0], qualifier[0])
			}
			return r.columnsOf(src, nil)
		}
	}
	if src, n := r.hiddenSource(qualifier, s); n == len(qualifier) && n > 0 {
		return r.columnsOf(src, nil)
	}
	v := r.reference(&ir.Expr{Kind: ir.ExprColumn, Name: qualifier, Span: ir.Span{Start: at, End: at}}, s)
	if v == nil {
		return nil
	}
	return r.fieldsOf(v, qualifier[len(qualifier)-1])
}

// starOfAll is a bare star: merged columns first, then each source's own.
func (r *resolver) starOfAll(s *scope) []*value {
	for s != nil && len(s.sources) == 0 {
		s = s.parent
	}
	if s == nil {
		return nil
	}
	var out []*value
	for i := range s.merged {
		out = append(out, s.merged[i].value)
	}
	for _, src := range s.sources {
		if src.hidden {
			continue
		}
		out = append(out, r.columnsOf(src, src.merged)...)
	}
	return out
}

// columnsOf lists a source's columns without those that a join merged.
func (r *resolver) columnsOf(src *source, merged map[string]bool) []*value {
	rel := src.rel
	if rel.make != nil && len(rel.cols) == 0 {
		return []*value{r.newStar(&star{of: rel, except: merged})}
	}
	if len(merged) == 0 && !hasHidden(rel) {
		return rel.cols
	}
	out := make([]*value, 0, len(rel.cols))
	for _, c := range rel.cols {
		switch {
		case c.hidden:
		case c.star != nil && len(merged) > 0:
			out = append(out, r.narrowed(c, merged))
		case c.star != nil || !merged[c.key]:
			out = append(out, c)
		}
	}
	return out
}

// narrowed is a star without some names.
func (r *resolver) narrowed(c *value, except map[string]bool) *value {
	return r.newStar(&star{of: &relation{cols: []*value{c}}, except: except, whole: r.wholeOf(c.star)})
}

// modify applies EXCEPT, REPLACE, RENAME, patterns and APPLY to a star's columns.
func (r *resolver) modify(cols []*value, m *ir.StarMods, s *scope) []*value {
	except := map[string]bool{}
	for _, x := range m.Except {
		except[r.identKey(x)] = true
	}
	rename := map[string]ir.Ident{}
	for _, x := range m.Rename {
		rename[r.identKey(x.From)] = x.To
	}
	replace := map[string]*ir.Item{}
	for i := range m.Replace {
		replace[r.identKey(m.Replace[i].Alias)] = &m.Replace[i]
	}
	keep := r.pattern(m)
	if len(m.Columns) > 0 {
		cols = r.pick(cols, m.Columns)
	}
	out := make([]*value, 0, len(cols))
	for _, c := range cols {
		if c.star != nil {
			out = append(out, r.modifyRest(c, m, except, rename, replace, s)...)
			continue
		}
		if except[c.key] || !keep(c.name) {
			continue
		}
		out = append(out, r.modifyOne(c, rename, replace, s))
	}
	return r.apply(out, m.Apply)
}

// pick selects columns by name out of a star's.
func (r *resolver) pick(cols []*value, names []ir.Ident) []*value {
	rel := &relation{cols: cols}
	var out []*value
	for _, n := range names {
		if v := r.columnOf(rel, n, r.identKey(n)); v != nil {
			out = append(out, v)
		} else {
			r.failf(ir.ErrorUnresolved, n.Start, "the star has no column %q", n.Name)
		}
	}
	return out
}

func (r *resolver) modifyOne(c *value, rename map[string]ir.Ident, replace map[string]*ir.Item, s *scope) *value {
	v := c
	if it := replace[c.key]; it != nil {
		v = r.expression(it.Expr, s, c.name, c.key)
	}
	if to, ok := rename[c.key]; ok {
		shown := r.shown(to)
		n := r.newValue(shown, r.columnKey(shown), to.Start)
		n.direct(v, passIdentity)
		n.parts = v.parts
		v = n
	}
	return v
}

// modifyRest narrows a symbolic star; what is replaced or renamed stands beside it, in
// the order written.
func (r *resolver) modifyRest(c *value, m *ir.StarMods, except map[string]bool, rename map[string]ir.Ident, replace map[string]*ir.Item, s *scope) []*value {
	gone := make(map[string]bool, len(except)+len(rename)+len(replace))
	for k := range except {
		gone[k] = true
	}
	inner := &relation{cols: []*value{c}}
	var out []*value
	for _, x := range m.Rename {
		k, to := r.identKey(x.From), x.To
		if rename[k] != to || c.star.holds(k) == holdsNo {
			continue
		}
		gone[k] = true
		shown := r.shown(to)
		n := r.newValue(shown, r.columnKey(shown), to.Start)
		n.direct(r.columnOf(inner, ir.Ident{Name: k, Quote: '"'}, k), passIdentity)
		out = append(out, n)
	}
	for i := range m.Replace {
		it := &m.Replace[i]
		k := r.identKey(it.Alias)
		if replace[k] != it || c.star.holds(k) == holdsNo {
			continue
		}
		gone[k] = true
		out = append(out, r.expression(it.Expr, s, r.shown(it.Alias), k))
	}
	if len(gone) == 0 {
		return []*value{c}
	}
	return append([]*value{r.newStar(&star{of: inner, except: gone, whole: r.wholeOf(c.star)})}, out...)
}

// pattern makes the filter of a star with a pattern.
func (r *resolver) pattern(m *ir.StarMods) func(string) bool {
	if m.Pattern == "" {
		return func(string) bool { return true }
	}
	text := m.Pattern
	if m.Like {
		text = likePattern(text)
	}
	if r.platform.ColumnsIgnoreCase || m.Like {
		text = "(?i)" + text
	}
	re, err := regexp.Compile(strings.ReplaceAll(text, "?+", "?"))
	if err != nil {
		return func(string) bool { return true }
	}
	if r.d.name == "hive" || r.d.name == "spark" {
		re.Longest()
		return func(s string) bool { return re.FindString(s) == s }
	}
	return re.MatchString
}

// likePattern turns a LIKE pattern into a regular expression.
func likePattern(p string) string {
	var b strings.Builder
	b.WriteByte('^')
	for _, c := range p {
		switch c {
		case '%':
			b.WriteString(".*")
		case '_':
			b.WriteByte('.')
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	b.WriteByte('$')
	return b.String()
}

// apply is ClickHouse's APPLY: each column goes through functions.
func (r *resolver) apply(cols []*value, functions []string) []*value {
	if len(functions) == 0 {
		return cols
	}
	p := passTransform
	for _, f := range functions {
		p |= shapeOf(upperASCII(f)).pass
	}
	out := make([]*value, len(cols))
	for i, c := range cols {
		if c.star != nil {
			out[i] = c
			continue
		}
		out[i] = r.newValue(c.name, c.key, c.at)
		out[i].direct(c, p)
	}
	return out
}
