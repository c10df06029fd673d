package history

import "github.com/tributary-data/tributary/lineage/graph"

// ownerTable finds owners by how rows of edges name them. It is an open table
// of flat slots: one look for each of millions of rows.
type ownerTable struct {
	slots []ownerSlot
	used  int
}

type ownerSlot struct {
	id uint64
	// tag holds branch and source; 0 is a free slot.
	tag   uint32
	owner graph.OwnerID
}

func tagOf(row ownerRow) uint32 { return uint32(row.branch+1)<<4 | uint32(row.source) }

func (t *ownerTable) reserve(n int) {
	size := 1024
	for size < 2*n {
		size *= 2
	}
	t.slots = make([]ownerSlot, size)
}

// slot gives the slot of a row, or the free one where it would be.
func (t *ownerTable) slot(id uint64, tag uint32) *ownerSlot {
	mask := uint64(len(t.slots) - 1)
	for i := (id ^ uint64(tag)*0x9E3779B97F4A7C15) & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; s.tag == 0 || s.tag == tag && s.id == id {
			return s
		}
	}
}

func (t *ownerTable) put(row ownerRow, owner graph.OwnerID) {
	if 2*(t.used+1) > len(t.slots) {
		old := t.slots
		t.reserve(len(old))
		for _, s := range old {
			if s.tag != 0 {
				*t.slot(s.id, s.tag) = s
			}
		}
	}
	tag := tagOf(row)
	*t.slot(row.id, tag) = ownerSlot{row.id, tag, owner}
	t.used++
}

func (t *ownerTable) get(row ownerRow) (graph.OwnerID, bool) {
	s := t.slot(row.id, tagOf(row))
	return s.owner, s.tag != 0
}
