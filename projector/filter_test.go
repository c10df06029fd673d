package projector

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFilterForgetsNothingAndRarelyErrs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	f := newFilter()
	added := make([]uint64, 3*filterLeast)
	for i := range added {
		added[i] = random.Uint64()
		f.add(added[i])
	}
	require.Len(t, f.layers, 2, "it grows")
	for _, id := range added {
		require.True(t, f.has(id))
	}
	wrong := 0
	for range 100_000 {
		if f.has(random.Uint64()) {
			wrong++
		}
	}
	require.Less(t, wrong, 100)
}
