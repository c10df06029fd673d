package grammar

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// dump writes a tree as indented text: the fields that are set, without positions.
func dump(v any) string {
	var b strings.Builder
	dumpValue(&b, reflect.ValueOf(v), 0)
	return strings.TrimLeft(b.String(), " ")
}

var (
	identType = reflect.TypeFor[ir.Ident]()
	nameType  = reflect.TypeFor[ir.Name]()
	exprType  = reflect.TypeFor[ir.Expr]()
	spanType  = reflect.TypeFor[ir.Span]()
)

func dumpValue(b *strings.Builder, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.Kind() == reflect.Pointer && v.Elem().Type() == exprType {
			dumpExpr(b, v.Interface().(*ir.Expr), depth)
			return
		}
		dumpValue(b, v.Elem(), depth)
	case reflect.Struct:
		dumpStruct(b, v, depth)
	case reflect.Slice:
		for i := range v.Len() {
			b.WriteString("\n" + strings.Repeat("  ", depth) + "- ")
			dumpValue(b, v.Index(i), depth+1)
		}
	case reflect.String:
		fmt.Fprintf(b, "%s", v.String())
	default:
		fmt.Fprintf(b, "%v", v.Interface())
	}
}

func dumpStruct(b *strings.Builder, v reflect.Value, depth int) {
	switch v.Type() {
	case identType:
		b.WriteString(dumpIdent(v.Interface().(ir.Ident)))
		return
	case nameType:
		n := v.Interface().(ir.Name)
		b.WriteString(dumpIdents(n.Parts))
		if n.Link != "" {
			b.WriteString(" @" + n.Link)
		}
		return
	}
	b.WriteString(strings.TrimPrefix(v.Type().String(), "ir."))
	for i := range v.NumField() {
		f, field := v.Field(i), v.Type().Field(i)
		if f.IsZero() && !(field.Name == "Kind" && v.Type() != exprType) || field.Type == spanType || field.Name == "Start" || field.Name == "At" {
			continue
		}
		if f.Kind() == reflect.Slice && f.Len() == 0 {
			continue
		}
		b.WriteString("\n" + strings.Repeat("  ", depth) + field.Name + ": ")
		dumpValue(b, f, depth+1)
	}
}

func dumpIdent(id ir.Ident) string {
	if id.Quote != 0 {
		return string(id.Quote) + id.Name + string(id.Quote)
	}
	return id.Name
}

func dumpIdents(ids []ir.Ident) string {
	parts := make([]string, len(ids))
	for i, id := range ids {
		parts[i] = dumpIdent(id)
	}
	return strings.Join(parts, ".")
}

var exprKindNames = []string{"literal", "column", "param", "star", "call", "case", "cast", "subquery", "exists", "in", "quantified",
	"op", "lambda", "struct", "array", "map", "field", "index", "tuple", "alias", "namedarg", "assign", "tablearg"}

// dumpExpr writes an expression as kind name text (args).
func dumpExpr(b *strings.Builder, e *ir.Expr, depth int) {
	b.WriteString(exprKindNames[e.Kind])
	if len(e.Name) > 0 {
		b.WriteString(" " + dumpIdents(e.Name))
	}
	switch {
	case e.IsString:
		fmt.Fprintf(b, " %q", e.Text)
	case e.Text != "":
		b.WriteString(" " + e.Text)
	}
	if len(e.Args) > 0 {
		b.WriteString(" (")
		for i, a := range e.Args {
			if i > 0 {
				b.WriteString(", ")
			}
			dumpExpr(b, a, depth)
		}
		b.WriteString(")")
	}
	if e.Query != nil {
		b.WriteString(" ")
		dumpValue(b, reflect.ValueOf(e.Query), depth+1)
	}
	if e.More == nil {
		return
	}
	if f, ok := e.More.(ir.Fields); ok {
		b.WriteString(" fields " + strings.ReplaceAll(dumpIdents(f), ".", ","))
		return
	}
	b.WriteString(" ")
	dumpValue(b, reflect.ValueOf(e.More), depth+1)
}
