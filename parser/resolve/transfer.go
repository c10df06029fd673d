package resolve

import (
	"github.com/tributary-data/tributary/parser/ir"
)

// transfer resolves COPY, LOAD, UNLOAD, EXPORT and IMPORT.
func (r *resolver) transfer(n *ir.Transfer) {
	var rel *relation
	fromPlace := false
	if n.Query != nil {
		rel = r.query(n.Query, nil)
	} else {
		from := r.target(&n.From, nil)
		if from == nil {
			if to := r.target(&n.To, nil); to != nil {
				r.wrote(to)
			}
			return
		}
		fromPlace = from.place
		rows := r.content(from)
		rel = &relation{cols: rows.cols, deps: []*relation{rows}}
	}
	to := r.target(&n.To, nil)
	if to == nil {
		r.noteAll(rel)
		return
	}
	r.emit(to, r.transferPairs(n, to, rel, fromPlace), rel, false)
}

// transferPairs pairs the columns of a load or an unload. The fields of a file have
// no names that lineage could carry: from a place only assignments can give columns,
// out of what else they read.
func (r *resolver) transferPairs(n *ir.Transfer, to *Table, rel *relation, fromPlace bool) []pair {
	if n.Query != nil {
		return r.targetColumns(to, &ir.InsertInto{Columns: n.Columns}, rel)
	}
	if !fromPlace {
		return r.unloadPairs(n, rel)
	}
	in := &scope{rel: rel}
	in.addSource(&source{rel: r.unknownRows(), alias: "\x00"})
	var out []pair
	for i := range n.Set {
		out = append(out, r.assignment(&n.Set[i], in)...)
	}
	return out
}

// unloadPairs are the listed columns of a table that is written out, or all.
func (r *resolver) unloadPairs(n *ir.Transfer, rel *relation) []pair {
	if len(n.Columns) == 0 {
		return r.byOutput(rel)
	}
	var out []pair
	for i := range n.Columns {
		id := n.Columns[i].Name.Last()
		if !id.Set() {
			continue
		}
		shown := r.shown(id)
		out = append(out, pair{shown: shown, key: r.columnKey(shown), at: id.Start, v: r.columnOf(rel, id, r.columnKey(shown))})
	}
	return out
}

// use moves the defaults.
func (r *resolver) use(n *ir.Use) {
	parts := n.Name.Parts
	if len(parts) == 1 && r.d.quotedUse && (parts[0].Quote == '\'' || parts[0].Quote == '"') {
		parts = nameFromText(parts[0].Name).Parts
	}
	if len(parts) == 0 {
		return
	}
	fold := func(id ir.Ident) string { return r.platform.Table(id.Name, id.Quote != 0) }
	last := fold(parts[len(parts)-1])
	switch {
	case len(parts) > 1:
		r.catalogName, r.schemaName = fold(parts[len(parts)-2]), last
	case n.Object == ir.ObjectCatalog, n.Object == "" && r.d.useIsCatalog:
		r.catalogName = last
		if r.d.name == "snowflake" {
			r.schemaName = "PUBLIC"
		}
	default:
		r.schemaName = last
	}
}
