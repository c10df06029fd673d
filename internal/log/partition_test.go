package log

import (
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPartitionOfIsTheJavaClientsChoice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SliceOf(rapid.Byte()).Draw(t, "key")
		n := rapid.IntRange(1, 64).Draw(t, "n")
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		want := kafka.Murmur2Balancer{Consistent: true}.Balance(kafka.Message{Key: key}, all...)
		require.Equal(t, want, PartitionOf(key, n))
	})
}

// Hashes that the Java client's own tests name.
func TestMurmur2OfKnownKeys(t *testing.T) {
	for key, want := range map[string]int32{
		"21":                         -973932308,
		"foobar":                     -790332482,
		"a-little-bit-long-string":   -985981536,
		"a-little-bit-longer-string": -1486304829,
		"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
	} {
		require.Equal(t, want, int32(murmur2([]byte(key))), key)
	}
	require.Equal(t, PartitionOf(nil, 7), PartitionOf([]byte{}, 7))
}
