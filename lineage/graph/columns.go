package graph

import (
	"cmp"
	"slices"

	"github.com/tributary-data/tributary/schemas/event"
)

// isLive reports whether a canonical column is there in the view: some edge
// touches it, or the definition that counts has it.
func (v *View) isLive(c ColumnID) bool {
	id := uint32(c)
	if v.edges[levelDirect].out.degree(id) > 0 || v.edges[levelDirect].in.degree(id) > 0 || v.edges[levelIndirect].out.degree(id) > 0 {
		return true
	}
	node := v.g.names.nodeOf(c)
	for _, m := range v.Members(node) {
		d := v.info.get(uint32(m)).definition(v.chain)
		if d == nil {
			continue
		}
		for _, col := range d.columns() {
			if own := v.g.names.findColumn(m, col.Name); own != ColumnID(NoID) && v.canonicalColumn(own) == c {
				return true
			}
		}
	}
	return false
}

// columnsOf gives the columns of a canonical node that are there in the view,
// by id.
func (v *View) columnsOf(node NodeID) []ColumnID {
	var out []ColumnID
	add := func(c ColumnID) {
		if uint32(c) < v.columns {
			out = append(out, v.canonicalColumn(c))
		}
	}
	for _, m := range v.Members(node) {
		v.g.names.eachColumn(m, add)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	defined := v.definedColumns(node)
	return slices.DeleteFunc(out, func(c ColumnID) bool {
		id := uint32(c)
		_, ok := defined[c]
		return !ok && v.edges[levelDirect].out.degree(id) == 0 && v.edges[levelDirect].in.degree(id) == 0 && v.edges[levelIndirect].out.degree(id) == 0
	})
}

// definedColumn is a column as a definition has it, with its place.
type definedColumn struct {
	event.Column
	place int
}

// definedColumns gives the columns that definitions of a canonical node have
// in the view; where two of its names are defined, the canonical one counts.
func (v *View) definedColumns(node NodeID) map[ColumnID]definedColumn {
	var out map[ColumnID]definedColumn
	for _, m := range v.Members(node) {
		d := v.info.get(uint32(m)).definition(v.chain)
		if d == nil {
			continue
		}
		for i, col := range d.columns() {
			c := v.g.names.findColumn(m, col.Name)
			if c == ColumnID(NoID) || uint32(c) >= v.columns {
				continue
			}
			c = v.canonicalColumn(c)
			if _, known := out[c]; !known {
				if out == nil {
					out = make(map[ColumnID]definedColumn, len(d.columns()))
				}
				out[c] = definedColumn{Column: col, place: i}
			}
		}
	}
	return out
}

// sortColumns orders columns of one node as its definition does, those that it
// does not have after them by name.
func (v *View) sortColumns(columns []ColumnID, defined map[ColumnID]definedColumn) {
	place := func(c ColumnID) int {
		if d, ok := defined[c]; ok {
			return d.place
		}
		return len(columns) + 1<<20
	}
	slices.SortFunc(columns, func(a, b ColumnID) int {
		_, x := v.g.names.column(a)
		_, y := v.g.names.column(b)
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(x, y))
	})
}
