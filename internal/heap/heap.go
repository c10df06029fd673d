// Package heap lets a long-lived process's heap grow to a room before garbage is collected.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// heapRoom is what Go's heap may grow to, in bytes, before garbage is collected
// however little of it lives.
const heapRoom = 512 << 20

// leastGrowth is what a heap grows by at least between two collections. With it
// and the room, a process with all roles stays below 1.5 GB while 100,000 tasks
// come in as fast as it takes them: 1.36 GB at the end, some 430 MB of it the engine.
const leastGrowth = heapRoom * 3 / 8

// likeGo is from where on a heap grows nearly as Go lets it: to twice of what lives.
const likeGo = heapRoom * 7 / 8

// goPercent is what a heap grows by between two collections, in percent of what
// lives, unless it is told otherwise.
const goPercent = 100

// Room has Go collect garbage only when the heap has come to its room.
// Collecting takes time for what lives, each time, so a small heap under load is
// collected a few times less. A heap of which most of the room lives grows by
// a part of the room, and one much larger than the room nearly to twice of what
// lives, which is Go's own rule. It does nothing when the user has set GOGC or
// GOMEMLIMIT. The setting from before is back after stop.
func Room() (stop func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(goPercent)
	r := &room{}
	r.settle()
	r.watch()
	return func() {
		r.stopped.Store(true)
		debug.SetGCPercent(before)
	}
}

type room struct{ stopped atomic.Bool }

// watch settles the room after each collection: the next one finds the object
// that nobody holds, and its finalizer makes another one.
func (r *room) watch() {
	type mark struct{ _ [16]byte }
	runtime.SetFinalizer(&mark{}, func(*mark) {
		if !r.stopped.Load() {
			r.settle()
			r.watch()
		}
	})
}

// settle sets the percentage with which the heap grows to its room.
func (r *room) settle() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(percentFor(live[0].Value.Uint64()))
}

// percentFor gives by how much, in percent, a heap may grow of which live bytes
// live.
func percentFor(live uint64) int {
	const leastLive = 4 << 20 // Go's own least heap
	live = max(live, leastLive)
	goal := max(heapRoom, live+leastGrowth, 2*live-min(2*live, likeGo))
	return int((goal - live) * 100 / live)
}
