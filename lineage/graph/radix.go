package graph

// Shape of the persistent map: 32-way nodes, six levels, so 30 bits of key.
const (
	radixBits  = 5
	radixWidth = 1 << radixBits
	radixDepth = 6
	maxID      = 1 << (radixBits * radixDepth)
)

// radix is a persistent map from small integers to values: a copy is one
// pointer, and a change copies the few nodes on its way only. A node that was
// made under the current edit token is changed in place, so that a batch of
// changes copies each node at most once.
type radix[T any] struct {
	root *radixNode[T]
}

// editToken marks the nodes that one batch of changes owns.
type editToken struct{ _ byte }

// radixNode has kids, or at the last level vals.
type radixNode[T any] struct {
	edit *editToken
	kids *[radixWidth]*radixNode[T]
	vals *[radixWidth]*T
}

// get returns the value under key, nil if there is none.
func (r radix[T]) get(key uint32) *T {
	n := r.root
	for shift := radixBits * (radixDepth - 1); shift > 0; shift -= radixBits {
		if n == nil {
			return nil
		}
		n = n.kids[key>>shift&(radixWidth-1)]
	}
	if n == nil {
		return nil
	}
	return n.vals[key&(radixWidth-1)]
}

// set puts v under key; nil takes it away.
func (r *radix[T]) set(key uint32, v *T, edit *editToken) {
	r.root = r.root.with(key, v, radixBits*(radixDepth-1), edit)
}

func (n *radixNode[T]) with(key uint32, v *T, shift int, edit *editToken) *radixNode[T] {
	n = n.owned(shift == 0, edit)
	i := key >> shift & (radixWidth - 1)
	if shift == 0 {
		n.vals[i] = v
		return n
	}
	n.kids[i] = n.kids[i].with(key, v, shift-radixBits, edit)
	return n
}

// owned returns n itself if the batch made it, else a copy that it owns.
func (n *radixNode[T]) owned(leaf bool, edit *editToken) *radixNode[T] {
	if n != nil && n.edit == edit {
		return n
	}
	c := &radixNode[T]{edit: edit}
	if leaf {
		c.vals = new([radixWidth]*T)
		if n != nil {
			*c.vals = *n.vals
		}
		return c
	}
	c.kids = new([radixWidth]*radixNode[T])
	if n != nil {
		*c.kids = *n.kids
	}
	return c
}

// each calls f for every key in ascending order.
func (r radix[T]) each(f func(key uint32, v *T)) {
	r.root.each(0, radixBits*(radixDepth-1), f)
}

func (n *radixNode[T]) each(prefix uint32, shift int, f func(uint32, *T)) {
	if n == nil {
		return
	}
	for i := range uint32(radixWidth) {
		key := prefix | i<<shift
		if shift == 0 {
			if v := n.vals[i]; v != nil {
				f(key, v)
			}
			continue
		}
		n.kids[i].each(key, shift-radixBits, f)
	}
}
