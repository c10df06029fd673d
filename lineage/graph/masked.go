package graph

import (
	"slices"

	"github.com/tributary-data/tributary/schemas/event"
)

// maskedColumns are the columns that a view declares masked, and those that
// direct edges bring their values to.
type maskedColumns struct{ declared, reached map[ColumnID]bool }

// findMasked walks downstream from every masked column once.
func (v *View) findMasked() *maskedColumns {
	m := &maskedColumns{declared: map[ColumnID]bool{}, reached: map[ColumnID]bool{}}
	var queue []ColumnID
	for _, col := range v.Snapshot.masked {
		if !v.declaredMasked(col) {
			continue
		}
		c := v.canonicalColumn(col)
		if !m.declared[c] {
			m.declared[c], m.reached[c] = true, true
			queue = append(queue, c)
		}
	}
	var buf []uint32
	for len(queue) > 0 {
		c := queue[0]
		queue = queue[1:]
		for _, to := range v.edges[levelDirect].out.neighbours(uint32(c), &buf) {
			if !m.reached[ColumnID(to)] {
				m.reached[ColumnID(to)] = true
				queue = append(queue, ColumnID(to))
			}
		}
	}
	return m
}

// declaredMasked reports whether the definition that counts masks a column.
func (v *View) declaredMasked(col ColumnID) bool {
	node := v.g.names.nodeOf(col)
	d := v.info.get(uint32(node)).definition(v.chain)
	if d == nil {
		return false
	}
	i := slices.IndexFunc(d.columns(), func(c event.Column) bool { return v.g.names.findColumn(node, c.Name) == col })
	return i >= 0 && d.columns()[i].Masked
}
