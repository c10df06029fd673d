package resolve

import (
	"strconv"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// structure keeps what is known of a struct's parts with the value.
func (r *resolver) structure(v *value, e *ir.Expr, s *scope) {
	switch e.Kind {
	case ir.ExprStruct, ir.ExprCall, ir.ExprSubquery, ir.ExprTuple, ir.ExprColumn, ir.ExprIndex, ir.ExprField,
		ir.ExprArray, ir.ExprCast, ir.ExprAlias, ir.ExprParam, ir.ExprOp, ir.ExprCase:
		if shape := r.shapeOfValue(e, s); !shape.empty() {
			kept := shape // only what is kept is to be allocated
			v.parts = &kept
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
	case ir.ExprTuple:
		if r.d.dottedColumns {
			return parts{fields: r.structFields(e, s)}
		}
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
	case ir.ExprCase:
		return r.anyOf(results(e), s)
	}
	return parts{}
}

// results are what a CASE may give.
func results(e *ir.Expr) []*ir.Expr {
	c, ok := e.More.(*ir.Case)
	if !ok {
		return nil
	}
	list := make([]*ir.Expr, 0, len(c.Whens)+1)
	for _, w := range c.Whens {
		list = append(list, w.Then)
	}
	return append(list, c.Else)
}

// anyOf is the shape of a value that is one of several: a field comes from that field
// of each. It is known only where it is known of all, but for constants.
func (r *resolver) anyOf(list []*ir.Expr, s *scope) parts {
	var shapes [][]*value
	for _, e := range list {
		if e == nil || e.Kind == ir.ExprLiteral {
			continue
		}
		p := r.shapeOfValue(e, s)
		if len(list) == 1 {
			return p
		}
		fields := p.fields
		if fields == nil && p.row != nil && !p.row.open() {
			fields = p.row.cols
		}
		if len(fields) == 0 {
			return parts{}
		}
		shapes = append(shapes, fields)
	}
	var out []*value
	at := map[string]*value{}
	for _, fields := range shapes {
		for _, f := range fields {
			v := at[f.key]
			if v == nil {
				v = r.newValue(f.name, f.key, f.at)
				at[f.key] = v
				out = append(out, v)
			}
			v.direct(f, passIdentity)
		}
	}
	return parts{fields: out}
}

// rowOf is what is known of a subquery's value: that of its only column.
func rowOf(rel *relation) parts {
	if rel.asRow {
		return parts{row: rel}
	}
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
	r.forget(n)
	r.reported = rep
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
			id = r.fieldName(a, i)
		}
		if a.Kind == ir.ExprAlias {
			a = a.Args[0]
		}
		shown := r.shown(id)
		out = append(out, r.expression(a, s, shown, r.columnKey(shown)))
	}
	return out
}

// fieldName is the name of a field that its constructor does not name.
func (r *resolver) fieldName(e *ir.Expr, i int) ir.Ident {
	switch {
	case r.d.dottedColumns && e.Kind != ir.ExprAlias: // ClickHouse: t.1
		return ir.Ident{Name: strconv.Itoa(i + 1)}
	case r.platform.Name == "postgres":
		return ir.Ident{Name: "f" + strconv.Itoa(i+1)}
	}
	return nameOf(e)
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
	return e.Kind == ir.ExprCall && len(e.Name) == 1 && (strings.EqualFold(e.Name[0].Name, "row") || strings.EqualFold(e.Name[0].Name, "struct") || strings.EqualFold(e.Name[0].Name, "tuple"))
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
	case "STRUCT", "ROW", "TUPLE":
		return parts{fields: r.builtFields(e, s)}
	case "ARRAYS_ZIP":
		return parts{fields: r.structFields(e, s)}
	case "COALESCE", "NVL", "IFNULL", "ISNULL":
		return r.anyOf(e.Args, s)
	case "IF", "IIF", "IFF":
		if len(e.Args) > 1 {
			return r.anyOf(e.Args[1:], s)
		}
	case "ARRAY_AGG", "ANY_VALUE", "COLLECT_LIST", "COLLECT_SET", "LIST", "MAX_BY", "MIN_BY", "ARG_MAX", "ARG_MIN",
		"FIRST_VALUE", "LAST_VALUE", "FIRST", "LAST", "ELEMENT_AT", "ARRAY", "ANY", "TO_JSON_STRING",
		"ARRAY_CONCAT", "ARRAY_CONCAT_AGG", "ROW_TO_JSON", "TO_JSON", "TO_JSONB", "OBJECT_AGG":
		if len(e.Args) > 0 {
			return r.shapeOfValue(e.Args[0], s)
		}
	case "CONCAT", "QUOTENAME", "QUOTE_IDENT", "QUOTE_LITERAL":
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

// constantOp joins constants: 'a' || x || 'b' where x is a constant too.
func (r *resolver) constantOp(e *ir.Expr, s *scope) *string {
	if e.Text != "||" && e.Text != "+" && e.Text != "&" {
		return nil
	}
	return r.join(e.Args, s)
}

func (r *resolver) constantCall(e *ir.Expr, s *scope, name string) *string {
	t := r.join(e.Args, s)
	if t == nil {
		return nil
	}
	text := *t
	switch name {
	case "QUOTENAME":
		text = "[" + text + "]"
	case "QUOTE_IDENT":
		text = enclosed(text, `"`)
	case "QUOTE_LITERAL", "QUOTE_NULLABLE":
		text = enclosed(text, "'")
	case "UPPER":
		text = strings.ToUpper(text)
	case "LOWER":
		text = strings.ToLower(text)
	case "TRIM":
		text = strings.TrimSpace(text)
	}
	return &text
}

// enclosed is a text in quotes; those in it are doubled.
func enclosed(text, quote string) string {
	return quote + strings.ReplaceAll(text, quote, quote+quote) + quote
}

// constantReplace is REPLACE(text, old, new) of constants.
func (r *resolver) constantReplace(args []*ir.Expr, s *scope) *string {
	if len(args) != 3 {
		return nil
	}
	var c [3]string
	for i, a := range args {
		t := r.constant(a, s)
		if t == nil {
			return nil
		}
		c[i] = *t
	}
	if c[1] == "" || len(c[2]) > len(c[1]) && len(c[0]) > maxReplaced {
		return nil
	}
	text := strings.ReplaceAll(c[0], c[1], c[2])
	return &text
}

// maxReplaced bounds the text in which something is replaced by something longer.
const maxReplaced = 1 << 14

// constantFormat is FORMAT('.. %s', ..) of PostgreSQL and BigQuery, with its plain
// directives.
func (r *resolver) constantFormat(args []*ir.Expr, s *scope) *string {
	if len(args) == 0 {
		return nil
	}
	f := r.constant(args[0], s)
	if f == nil {
		return nil
	}
	var b strings.Builder
	rest := args[1:]
	for text := *f; text != ""; {
		plain, directive, found := strings.Cut(text, "%")
		b.WriteString(plain)
		if !found {
			break
		}
		if directive == "" {
			return nil
		}
		text = directive[1:]
		if directive[0] == '%' {
			b.WriteByte('%')
			continue
		}
		if len(rest) == 0 {
			return nil
		}
		value := r.constant(rest[0], s)
		rest = rest[1:]
		if value == nil {
			return nil
		}
		switch directive[0] {
		case 's', 'd', 't':
			b.WriteString(*value)
		case 'I':
			b.WriteString(enclosed(*value, `"`))
		case 'L', 'T':
			b.WriteString(enclosed(*value, "'"))
		default:
			return nil
		}
	}
	out := b.String()
	return &out
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
		case "CONCAT", "QUOTENAME", "QUOTE_IDENT", "QUOTE_LITERAL", "QUOTE_NULLABLE", "TO_CHAR", "UPPER", "LOWER", "TRIM":
			return r.constantCall(e, s, name)
		case "FORMAT":
			return r.constantFormat(e.Args, s)
		case "REPLACE":
			return r.constantReplace(e.Args, s)
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
