package graph

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// starOf is an adjacency of edges from one id to many, merged into a base.
func starOf(size int) (a adjacency, changes []change) {
	for to := range size {
		changes = append(changes, change{from: 0, to: uint32(to), owner: 1})
	}
	a = adjacency{out: half{base: newBase(1)}, in: half{base: newBase(size)}}
	a = a.apply(changes, new(editToken))
	return a.merged(1, size), changes
}

// All edges of a hub go in one pass: as many copies of what is gone would take the
// square of its degree.
func TestAllEdgesOfAHubGoInOnePass(t *testing.T) {
	const size = 2000
	a, changes := starOf(size)
	for i := range changes {
		changes[i].gone = true
	}
	require.Less(t, testing.AllocsPerRun(1, func() {
		hub := a
		hub.patchOut(changes, make([]change, 0, size), new(editToken))
	}), float64(size/10))
	gone := a.apply(changes, new(editToken))
	require.Zero(t, gone.edges)
	require.Zero(t, gone.out.degree(0))
	require.False(t, gone.out.has(0, size/2))

	changes[1].gone = false
	one := gone.apply(changes[1:2], new(editToken))
	require.Equal(t, []uint32{1}, one.out.neighbours(0, new([]uint32)))
	require.Len(t, one.out.over.get(0).gone, size-1)
}

// What an edge's owners were before is let go with each change of them.
func TestFormerOwnersAreLetGo(t *testing.T) {
	a, _ := starOf(3)
	const owners = 50
	for owner := range uint32(owners) {
		a = a.apply([]change{{from: 0, to: 1, owner: 2 + owner}}, new(editToken))
	}
	require.Len(t, a.out.over.get(0).lists, 1)
	require.Len(t, a.out.owners(0, 1, nil), 1+owners)
	a = a.apply([]change{{from: 0, to: 2, owner: 9}}, new(editToken))
	require.Len(t, a.out.owners(0, 1, nil), 1+owners)
	require.Equal(t, []uint32{1, 9}, a.out.owners(0, 2, nil))
	for owner := range uint32(owners) {
		a = a.apply([]change{{from: 0, to: 1, owner: 2 + owner, gone: true}}, new(editToken))
	}
	require.Equal(t, []uint32{1}, a.out.owners(0, 1, nil))
	require.Len(t, a.out.over.get(0).lists, 1, "of the other edge")
}
