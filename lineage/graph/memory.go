package graph

import "unsafe"

// Memory is what a snapshot takes, in bytes, by what for.
type Memory struct {
	// Adjacency is the edges in both directions, with who contributes them.
	Adjacency int
	// Owners are the owners with their own lists of edges, which retraction
	// needs.
	Owners int
	// Names are the texts and what finds them.
	Names int
}

// Edges is the number of edges of all levels on master.
func (s *Snapshot) Edges() int {
	n := 0
	for l := range s.edges {
		n += s.edges[l].edges
	}
	return n
}

// Memory tells what the snapshot takes. It goes over everything.
func (s *Snapshot) Memory() Memory {
	var m Memory
	for l := range s.edges {
		m.Adjacency += s.edges[l].out.bytes() + s.edges[l].in.bytes()
	}
	s.owners.each(func(_ uint32, o *owner) {
		m.Owners += int(unsafe.Sizeof(*o)) + cap(o.edges)*int(unsafe.Sizeof(contribution{}))
	})
	n := int(s.g.owners.len())
	m.Owners += n * (int(unsafe.Sizeof(ownerName{})) + int(unsafe.Sizeof(&owner{}))*(radixWidth+1)/radixWidth)
	m.Owners += indexBytes(&s.g.ownerIDs)
	for i := range s.g.owners.len() {
		m.Names += len(s.g.owners.at(i).task)
	}
	for i := range s.g.names.keys.len() {
		m.Names += len(*s.g.names.keys.at(i))
	}
	nodes, columns := int(s.g.names.keys.len()), int(s.g.names.columns.len())
	for i := range s.g.names.texts.len() {
		m.Names += len(*s.g.names.texts.at(i)) + int(unsafe.Sizeof(""))
	}
	m.Names += nodes*(int(unsafe.Sizeof(""))+8+4+4) + columns*int(unsafe.Sizeof(column{}))
	m.Names += indexBytes(&s.g.names.byHash) + indexBytes(&s.g.names.colByID) + indexBytes(&s.g.names.textIDs)
	for i := range s.search {
		m.Names += cap(s.search[i].text) + 4*cap(s.search[i].start)
	}
	return m
}

func (h *half) bytes() int {
	b := h.base
	return 4*(cap(b.off)+cap(b.to)+cap(b.owner)+cap(b.multiOff)+cap(b.multi)) + 8*cap(b.dirty)
}

func indexBytes(h *hashIndex) int {
	if p := h.slots.Load(); p != nil {
		return 4 * len(*p)
	}
	return 0
}
