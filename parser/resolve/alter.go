package resolve

import (
	"slices"

	"github.com/tributary-data/tributary/parser/ir"
)

// copyAll writes all columns of one table to another, by name.
func (r *resolver) copyAll(from, to *Table) {
	to.created = true
	rows := r.content(from)
	rel := &relation{cols: rows.cols, deps: []*relation{rows}}
	pairs := r.byOutput(rel)
	if to.temp && !r.o.KeepTemporary {
		r.createdFrom(to, rel, nil)
		return
	}
	r.emit(to, pairs, rel, false)
	if from.known && !to.known {
		r.knowColumns(to, pairs, nil)
	}
}

// moveRows is a table edge with its columns: partitions moved or exchanged.
func (r *resolver) moveRows(from, to *Table) {
	rows := r.content(from)
	rel := &relation{deps: []*relation{rows}}
	if from.known && to.known {
		r.emit(to, r.moveByPosition(from, to), rel, false)
		return
	}
	r.emit(to, r.byOutput(rows), rel, false)
}

func (r *resolver) moveByPosition(from, to *Table) []pair {
	var names []ir.Ident
	for _, c := range to.rows.cols {
		names = append(names, ir.Ident{Name: c.name, Quote: '"'})
	}
	return r.byPosition(from.rows, names)
}

// rename resolves RENAME and SWAP: edges carry the names that tables have at the
// end of the script.
func (r *resolver) rename(n *ir.RenameStmt) {
	switch n.Object {
	case ir.ObjectFunction, ir.ObjectProcedure, ir.ObjectSchema, ir.ObjectCatalog, ir.ObjectTask, ir.ObjectStage:
		return
	}
	for _, p := range n.Pairs {
		from, to := r.catalog.path(p.From), r.renamedPath(p)
		if n.Swap {
			r.catalog.swap(from, r.catalog.path(p.To))
			continue
		}
		if t := r.catalog.temp(p.From); t != nil {
			r.renameTemp(t, p.To)
			continue
		}
		r.catalog.rename(from, to)
	}
}

// renamedPath is the new name: a bare one stays in the old one's schema.
func (r *resolver) renamedPath(p ir.RenamePair) []string {
	if len(p.To.Parts) == 1 && len(p.From.Parts) > 1 {
		from := r.catalog.path(p.From)
		last := p.To.Last()
		return append(append([]string(nil), from[:len(from)-1]...), r.platform.Table(last.Name, last.Quote != 0))
	}
	return r.catalog.path(p.To)
}

func (r *resolver) renameTemp(t *Table, to ir.Name) {
	last := to.Last()
	part := r.platform.Table(last.Name, last.Quote != 0)
	delete(r.catalog.temps, r.catalog.tempKey(t.parts[len(t.parts)-1]))
	t.parts[len(t.parts)-1] = part
	r.catalog.temps[r.catalog.tempKey(part)] = t
}

// alter resolves what ALTER does to rows and columns.
func (r *resolver) alter(n *ir.Alter) {
	if !n.Name.Set() {
		return
	}
	for i := range n.Actions {
		r.alterAction(n, &n.Actions[i])
	}
}

func (r *resolver) alterAction(n *ir.Alter, a *ir.AlterAction) {
	t := r.catalog.lookup(n.Name)
	switch a.Kind {
	case ir.AlterAddColumn, ir.AlterDropColumn, ir.AlterRenameColumn:
		r.alterColumn(t, a)
	case ir.AlterMoveTo:
		r.moveRows(t, r.catalog.lookup(a.Table))
	case ir.AlterTakeFrom:
		r.moveRows(r.catalog.lookup(a.Table), t)
	case ir.AlterExchange:
		other := r.catalog.lookup(a.Table)
		r.moveRows(other, t)
		if r.d.name != "hive" && r.d.name != "impala" && r.d.name != "spark" {
			r.moveRows(t, other)
		}
	case ir.AlterQuery:
		rel := r.query(a.Query, nil)
		r.createdFrom(t, rel, nil)
	case ir.AlterLocation:
		if a.Path != "" {
			t.physical = appendPlace(t.physical, a.Path)
		}
	}
}

func appendPlace(list []string, p string) []string {
	if slices.Contains(list, p) {
		return list
	}
	return append(list, p)
}

// alterColumn changes the known columns of a table.
func (r *resolver) alterColumn(t *Table, a *ir.AlterAction) {
	if t.temp && !r.o.KeepTemporary {
		r.alterTemp(t, a)
		return
	}
	key := r.identKey(a.Column)
	if a.Kind == ir.AlterRenameColumn {
		r.renameColumn(t, key, r.shown(a.NewColumn))
		return
	}
	if !t.known {
		return
	}
	var names []string
	for _, c := range t.rows.cols {
		if c.key != key || a.Kind == ir.AlterAddColumn {
			names = append(names, c.name)
		}
	}
	if a.Kind == ir.AlterAddColumn && t.rows.find(key) < 0 {
		names = append(names, r.shown(a.Column))
	}
	r.catalog.setColumns(t, names)
}

// renameColumn gives a table's column another name: as with tables, edges carry the
// one that it has at the end of the script.
func (r *resolver) renameColumn(t *Table, key, shown string) {
	v := t.column(key)
	if v == nil || t.column(r.columnKey(shown)) != nil {
		return
	}
	v.name, v.key = shown, r.columnKey(shown)
	if t.colIndex != nil {
		delete(t.colIndex, key)
		t.colIndex[v.key] = v
	}
	if t.rows != nil {
		t.rows.index = nil
	}
}

func (r *resolver) alterTemp(t *Table, a *ir.AlterAction) {
	key := r.identKey(a.Column)
	next := &relation{deps: []*relation{t.rows}}
	for _, c := range t.rows.cols {
		switch {
		case c.key != key || c.star != nil || a.Kind == ir.AlterAddColumn:
			next.add(c)
		case a.Kind == ir.AlterRenameColumn:
			shown := r.shown(a.NewColumn)
			v := r.newValue(shown, r.columnKey(shown), a.NewColumn.Start)
			v.direct(c, passIdentity)
			next.add(v)
		}
	}
	if a.Kind == ir.AlterAddColumn && next.find(key) < 0 {
		next.add(r.newValue(r.shown(a.Column), key, a.Column.Start))
	}
	t.rows = next
}

// drop frees names.
func (r *resolver) drop(n *ir.Drop) {
	switch n.Object {
	case ir.ObjectTable, ir.ObjectView, ir.ObjectMaterializedView, ir.ObjectDictionary, "":
		for _, x := range n.Names {
			r.catalog.drop(x)
		}
	}
}

// truncate empties tables; nothing is read.
func (r *resolver) truncate(n *ir.Truncate) {
	for _, x := range n.Names {
		t := r.catalog.lookup(x)
		if t.temp && !r.o.KeepTemporary {
			if r.conditional == 0 && t.rows != nil {
				empty := &relation{}
				for _, c := range t.rows.cols {
					if c.star == nil {
						empty.add(r.newValue(c.name, c.key, c.at))
					}
				}
				t.rows = empty
			}
			continue
		}
		r.wrote(t)
	}
}
