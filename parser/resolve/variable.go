package resolve

import (
	"strconv"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// variable is a script's or body's variable: a value, the rows of a record or
// cursor, or a table variable.
type variable struct {
	v *value
	// rel is what was read to give the value: who uses the variable depends on it.
	rel *relation
	// table marks rows that can stand in FROM (a trigger's transition tables).
	table *relation
	// target is the table whose new row the variable is: what is assigned to a field
	// goes into the table.
	target *Table
	// resultSet marks those that hold rows that are assigned.
	resultSet bool
}

// variables are those of one body, inside those around it.
type variables struct {
	parent *variables
	byName map[string]*variable
	// touched: one of them was found or set.
	touched bool
}

func newVariables(parent *variables) *variables { return &variables{parent: parent} }

// any reports whether any variable is known.
func (v *variables) any() bool {
	for ; v != nil; v = v.parent {
		if len(v.byName) > 0 {
			return true
		}
	}
	return false
}

func varKey(name string) string { return strings.ToLower(strings.Trim(name, "`\"")) }

func (v *variables) find(name string) *variable {
	if !v.any() {
		return nil
	}
	key := varKey(name)
	for ; v != nil; v = v.parent {
		if x := v.byName[key]; x != nil {
			v.touched = true
			return x
		}
	}
	return nil
}

func (v *variables) set(name string, x *variable) {
	if v.byName == nil {
		v.byName = map[string]*variable{}
	}
	v.byName[varKey(name)] = x
	v.touched = true
}

// rows gives the rows that a name stands for in FROM.
func (v *variables) rows(key string) *relation {
	if x := v.find(key); x != nil && x.table != nil {
		return x.table
	}
	return nil
}

// variable gives the value of a variable of that name, and makes what is built
// depend on what the variable was read from.
func (r *resolver) variable(s *scope, id ir.Ident) *value {
	if id.Quote != 0 && id.Quote != '`' && id.Quote != '"' {
		return nil
	}
	return r.useVariable(s, r.vars.find(id.Name), id.Start)
}

func (r *resolver) useVariable(s *scope, x *variable, at int32) *value {
	if x == nil || x.table != nil && x.v == nil {
		return nil
	}
	if x.rel != nil {
		r.depend(s, x.rel)
	}
	if x.v == nil {
		return r.newValue("", "", at)
	}
	return x.v
}

// variableOf is the variable that an expression names, if it names one.
func (r *resolver) variableOf(e *ir.Expr, s *scope) *value {
	switch {
	case e.Kind == ir.ExprParam:
		if x := r.vars.find(paramName(e.Text)); x != nil {
			return r.useVariable(s, x, e.Start)
		}
	case e.Kind == ir.ExprColumn && len(e.Name) == 1:
		return r.variable(s, e.Name[0])
	}
	return nil
}

// paramName takes the sign off a placeholder: `:x`, `$x`, `${x}` and `{{ x }}` name
// x; `@x` keeps its sign.
func paramName(text string) string {
	switch {
	case strings.HasPrefix(text, "@"):
		return text
	case strings.HasPrefix(text, "${"), strings.HasPrefix(text, "{{"):
		return strings.TrimSpace(strings.Trim(text, "${}"))
	}
	return strings.TrimLeft(text, ":$&")
}

// parameter is a placeholder used as a value: a variable of the script, the row of
// a trigger, a field of a staged file, or something from outside, without source.
func (r *resolver) parameter(e *ir.Expr, s *scope) *value {
	text := e.Text
	if x := r.boundValue(e); x != nil {
		return r.useVariable(s, x, e.Start)
	}
	if strings.HasPrefix(text, "$") && len(text) > 1 && text[1] >= '0' && text[1] <= '9' {
		return r.fileField(e, s)
	}
	name := paramName(text)
	if base, field, ok := strings.Cut(name, "."); ok && r.vars.find(base) != nil {
		v := r.useVariable(s, r.vars.find(base), e.Start)
		return r.follow(v, []ir.Ident{{Name: field, Start: e.Start}})
	}
	return r.variableOf(e, s)
}

// boundValue is what USING puts in the place of a placeholder without a name.
func (r *resolver) boundValue(e *ir.Expr) *variable {
	switch {
	case !r.vars.any() || e.Text == "":
		return nil
	case e.Text == "?":
		return r.vars.find(placeName(e.Start))
	case e.Text[0] == '$':
		return r.vars.find(e.Text)
	}
	return nil
}

// fileField is Snowflake's $1: a column by its position. A field of a staged file
// has no name, so it is no source.
func (r *resolver) fileField(e *ir.Expr, s *scope) *value {
	n, err := strconv.Atoi(e.Text[1:])
	if err != nil || n < 1 {
		return nil
	}
	for sc := s; sc != nil; sc = sc.parent {
		if len(sc.sources) != 1 || sc.lambda {
			continue
		}
		rel := sc.sources[0].rel
		if rel.table == nil && n <= len(rel.cols) && firstStar(rel) >= n {
			return rel.cols[n-1]
		}
	}
	return nil
}

// assign gives a variable a value. Under a condition or in a loop the old value may
// stay, so both are kept.
func (r *resolver) assign(name string, v *value, rel *relation) {
	key := paramName(name)
	if base, field, ok := strings.Cut(key, "."); ok {
		if x := r.vars.find(base); x != nil && x.target != nil {
			r.assignField(x, field, v, rel)
			return
		}
	}
	old := r.vars.find(key)
	if old == nil {
		old = &variable{}
		r.session().set(key, old)
	}
	if r.conditional > 0 && old.v != nil {
		merged := r.newValue(v.name, v.key, v.at)
		merged.direct(old.v, passIdentity)
		merged.direct(v, passIdentity)
		merged.parts = v.parts
		v = merged
	}
	if rel != nil && r.conditional > 0 && old.rel != nil {
		rel = &relation{deps: []*relation{old.rel, rel}}
	}
	if rel == nil && r.conditional > 0 {
		rel = old.rel
	}
	old.v, old.rel = v, rel
}

// assignField writes a value to a column of the row that a trigger is about to store.
// The row itself is no source of the table. A constant moves nothing.
func (r *resolver) assignField(x *variable, field string, v *value, rel *relation) {
	out := &relation{}
	if rel != nil {
		out.conds = rel.conds
		for _, d := range rel.deps {
			if d != x.rel {
				out.deps = append(out.deps, d)
			}
		}
	}
	if len(out.deps) == 0 && len(v.inputs) == 0 {
		return
	}
	shown := r.shown(nameFromText(field).Last())
	r.emit(x.target, []pair{{v: v, shown: shown, key: r.columnKey(shown)}}, out, false)
}

// assignAll fills INTO variables with the columns of a row. A single record takes
// the whole row.
func (r *resolver) assignAll(into []*ir.Expr, rel *relation, _ *scope) {
	if len(into) == 1 && len(rel.cols) > 1 {
		r.assign(targetName(into[0]), r.row(rel, into[0].Start), rel)
		return
	}
	for i, e := range into {
		if i < len(rel.cols) && rel.cols[i].star == nil {
			r.assign(targetName(e), rel.cols[i], rel)
			continue
		}
		r.assign(targetName(e), r.row(rel, e.Start), rel)
	}
}

// targetName is the name of a variable that is assigned to.
func targetName(e *ir.Expr) string {
	if e.Kind == ir.ExprColumn {
		return ir.Name{Parts: e.Name}.String()
	}
	return e.Text
}

// set assigns variables and understands the settings that move defaults.
func (r *resolver) set(n *ir.Set) {
	for i := range n.Items {
		it := &n.Items[i]
		if len(it.Names) == 1 && r.setting(it) {
			continue
		}
		r.setVariables(it)
	}
}
