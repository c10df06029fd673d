package projector

// filter tells ids that were never added from those that may have been: a
// Bloom filter in layers, each twice as large as the one before, so that it
// grows with what is added.
type filter struct{ layers []layer }

type layer struct {
	bits []uint64
	room uint64 // ids that it takes yet
}

const (
	// filterBits is the number of bits for each id: with filterProbes probes one
	// id in 400 that is new is looked up in vain.
	filterBits   = 12
	filterProbes = 8
	// filterLeast is the least number of ids that a layer has room for.
	filterLeast = 1 << 20
)

func newFilter() *filter {
	f := &filter{}
	f.grow(filterLeast)
	return f
}

func (f *filter) grow(ids uint64) {
	f.layers = append(f.layers, layer{bits: make([]uint64, ids*filterBits/64+1), room: ids})
}

// add adds an id, which is a good hash itself.
func (f *filter) add(id uint64) {
	last := &f.layers[len(f.layers)-1]
	if last.room == 0 {
		f.grow(2 * uint64(len(last.bits)) * 64 / filterBits)
		last = &f.layers[len(f.layers)-1]
	}
	last.room--
	last.probe(id, func(word *uint64, bit uint64) bool {
		*word |= bit
		return true
	})
}

// has is false for an id that was never added.
func (f *filter) has(id uint64) bool {
	for i := range f.layers {
		if f.layers[i].probe(id, func(word *uint64, bit uint64) bool { return *word&bit != 0 }) {
			return true
		}
	}
	return false
}

// probe calls with each place of an id until the call says no.
func (l *layer) probe(id uint64, call func(word *uint64, bit uint64) bool) bool {
	step := id>>32 | id<<32 | 1
	n := uint64(len(l.bits)) * 64
	for range filterProbes {
		at := id % n
		if !call(&l.bits[at/64], 1<<(at%64)) {
			return false
		}
		id += step
	}
	return true
}
