package projector

import "math/bits"

// filter tells ids that were never added from those that may have been: a
// Bloom filter in layers, each twice as large as the one before, so that it
// grows with what is added. All places of an id are in one bucket, which is
// what the processor fetches from memory at once.
type filter struct{ layers []layer }

type layer struct {
	buckets []bucket
	room    uint64 // ids that it takes yet
}

// bucket has a place for each of its ids in each of its words.
type bucket [8]uint64

const (
	// filterBits is the number of bits for each id: with them and a place in
	// each word one id in 4,000 that is new is looked up in vain.
	filterBits = 20
	// filterLeast is the least number of ids that a layer has room for.
	filterLeast = 1 << 20
	bucketBits  = 8 * 64
)

func newFilter() *filter {
	f := &filter{}
	f.grow(filterLeast)
	return f
}

func (f *filter) grow(ids uint64) {
	f.layers = append(f.layers, layer{buckets: make([]bucket, ids*filterBits/bucketBits+1), room: ids})
}

// add adds an id, which is a good hash itself.
func (f *filter) add(id uint64) {
	last := &f.layers[len(f.layers)-1]
	if last.room == 0 {
		f.grow(2 * uint64(len(last.buckets)) * bucketBits / filterBits)
		last = &f.layers[len(f.layers)-1]
	}
	last.room--
	b := last.of(id)
	for word := range b {
		b[word] |= bitOf(id, word)
	}
}

// has is false for an id that was never added.
func (f *filter) has(id uint64) bool {
	for i := range f.layers {
		if f.layers[i].of(id).has(id) {
			return true
		}
	}
	return false
}

// of gives the bucket of an id, by its high bits.
func (l *layer) of(id uint64) *bucket {
	n, _ := bits.Mul64(id, uint64(len(l.buckets)))
	return &l.buckets[n]
}

func (b *bucket) has(id uint64) bool {
	for word := range b {
		if b[word]&bitOf(id, word) == 0 {
			return false
		}
	}
	return true
}

// bitOf gives the bit of an id in a word, by six of its low 48 bits.
func bitOf(id uint64, word int) uint64 { return 1 << (id >> (6 * word) & 63) }
