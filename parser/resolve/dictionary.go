package resolve

import (
	"strings"

	"github.com/tributary-data/tributary/parser/ir"
)

// createDictionary is a ClickHouse dictionary: it loads the same-named columns of
// its source.
func (r *resolver) createDictionary(n *ir.CreateTable) {
	t := r.catalog.lookupParts(r.catalog.path(n.Name))
	t.created = true
	r.describe(t, n)
	r.declareColumns(t, &ir.CreateTable{Name: n.Name, Columns: plainColumns(n.Columns)})
	from := r.dictionarySource(t)
	if from == nil {
		return
	}
	rel := &relation{deps: []*relation{from}}
	in := &scope{rel: rel}
	in.addSource(&source{rel: from, alias: "\x00"})
	var pairs []pair
	for i := range n.Columns {
		d := &n.Columns[i]
		shown := r.shown(d.Name)
		p := pair{shown: shown, key: r.columnKey(shown), at: d.Name.Start}
		if d.Computed != nil {
			p.v = r.expression(d.Computed, in, shown, p.key)
		} else {
			p.v = r.columnOf(from, d.Name, p.key)
		}
		pairs = append(pairs, p)
	}
	r.emit(t, pairs, rel, false)
}

// plainColumns are columns without their expressions, which belong to the source.
func plainColumns(defs []ir.ColumnDef) []ir.ColumnDef {
	out := make([]ir.ColumnDef, len(defs))
	copy(out, defs)
	for i := range out {
		out[i].Computed = nil
	}
	return out
}

// dictionarySource finds what a dictionary loads from.
func (r *resolver) dictionarySource(t *Table) *relation {
	get := func(engine string, names ...string) string {
		for _, n := range names {
			if v := t.options["source."+engine+"."+n]; v != "" {
				return v
			}
		}
		return ""
	}
	has := func(engine string) bool {
		for k := range t.options {
			if strings.HasPrefix(k, "source."+engine) {
				return true
			}
		}
		return false
	}
	switch {
	case has("clickhouse"):
		if q := get("clickhouse", "query"); q != "" {
			return r.dictionaryQuery(q)
		}
		host := get("clickhouse", "host")
		table := dotted(firstSet(get("clickhouse", "db", "database"), r.schemaName), get("clickhouse", "table"))
		if host == "" || isLocal(host) {
			return r.byText(table)
		}
		return r.content(r.catalog.place(joinPlace(host+":"+firstSet(get("clickhouse", "port"), "9000"), table, "clickhouse")))
	case has("mysql"):
		host := firstSet(get("mysql", "host", "replica.host"), "localhost") + ":" + firstSet(get("mysql", "port"), "3306")
		return r.content(r.catalog.place(joinPlace(host, dotted(get("mysql", "db", "database"), get("mysql", "table")), "mysql")))
	case has("postgresql"):
		host := firstSet(get("postgresql", "host"), "localhost") + ":" + firstSet(get("postgresql", "port"), "5432")
		name := dotted(get("postgresql", "db", "database"), firstSet(get("postgresql", "schema"), "public"), get("postgresql", "table"))
		return r.content(r.catalog.place(joinPlace(host, name, "postgres")))
	case has("mongodb"):
		host := firstSet(get("mongodb", "host"), "localhost") + ":" + firstSet(get("mongodb", "port"), "27017")
		return r.content(r.catalog.place(joinPlace(host, dotted(get("mongodb", "db"), get("mongodb", "collection")), "mongodb")))
	}
	if p := firstSet(get("http", "url"), get("file", "path"), get("executable", "command")); p != "" {
		return r.content(r.catalog.place(p))
	}
	return nil
}

func (r *resolver) dictionaryQuery(q string) *relation {
	rel, ok := r.dynamicRows(&ir.Expr{Kind: ir.ExprLiteral, IsString: true, Text: q}, nil)
	if !ok {
		return nil
	}
	return rel
}

func isLocal(host string) bool {
	switch strings.ToLower(host) {
	case "localhost", "127.0.0.1", "::1":
		return true
	}
	return false
}

// dictionaryValue is the attribute that a dictGet, or the column that a joinGet,
// hands on.
func (r *resolver) dictionaryValue(e *ir.Expr, s *scope, f flow) {
	if len(e.Args) < 2 {
		return
	}
	dict := textArgs(e.Args[:1])[0]
	if dict == "" {
		return
	}
	rel := r.byText(dict)
	r.depend(s, rel)
	names := e.Args[1:2]
	if names[0].Kind == ir.ExprTuple {
		names = names[0].Args
	}
	for _, n := range names {
		if n.Kind != ir.ExprLiteral || !n.IsString {
			continue
		}
		f.take(r.columnOf(rel, ir.Ident{Name: n.Text, Start: n.Start}, r.columnKey(n.Text)))
	}
}
