package heap

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAHeapGrowsToItsRoomOrByAPartOfItOrLikeGoItself(t *testing.T) {
	for live, want := range map[uint64]uint64{
		4 << 20:          heapRoom,
		100 << 20:        heapRoom,
		heapRoom / 2:     heapRoom,
		heapRoom * 3 / 4: heapRoom * 9 / 8,
		heapRoom:         heapRoom * 11 / 8,
		10 * heapRoom:    20*heapRoom - heapRoom*7/8,
	} {
		goal := live + live*uint64(percentFor(live))/100
		require.InEpsilon(t, want, goal, 0.02, "with %d bytes alive", live)
	}
	require.Equal(t, percentFor(4<<20), percentFor(0))
}

// The goal follows what lives, and is Go's own again in the end.
func TestTheRoomIsSettledAfterEachCollection(t *testing.T) {
	goal := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	stop := Room()
	held := make([]byte, 100<<20)
	require.Eventually(t, func() bool {
		runtime.GC()
		return goal() > heapRoom*9/10 && goal() < heapRoom*11/10
	}, time.Minute, time.Millisecond)
	stop()
	require.Eventually(t, func() bool {
		runtime.GC()
		return goal() < heapRoom/2
	}, time.Minute, time.Millisecond)
	runtime.KeepAlive(held)
}
