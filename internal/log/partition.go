package log

import "encoding/binary"

// PartitionOf returns the partition, from 0 to n-1, in which records of this
// key stand: murmur2 as the Java clients compute it, so that records of any
// client that follows Kafka's default stay in one order. A key that is nil
// counts as an empty one. n must be positive.
func PartitionOf(key []byte, n int) int {
	return int((murmur2(key) & 0x7fffffff) % uint32(n))
}

// murmur2 is Austin Appleby's MurmurHash2 with the seed that Kafka fixed.
func murmur2(data []byte) uint32 {
	const (
		seed  uint32 = 0x9747b28c
		mult  uint32 = 0x5bd1e995
		shift        = 24
	)
	h := seed ^ uint32(len(data))
	for len(data) >= 4 {
		k := binary.LittleEndian.Uint32(data) * mult
		k ^= k >> shift
		h = h*mult ^ k*mult
		data = data[4:]
	}
	switch len(data) {
	case 3:
		h ^= uint32(data[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(data[1]) << 8
		fallthrough
	case 1:
		h = (h ^ uint32(data[0])) * mult
	}
	h = (h ^ h>>13) * mult
	return h ^ h>>15
}
