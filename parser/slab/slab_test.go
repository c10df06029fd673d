package slab_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tributary-data/tributary/parser/slab"
)

// TestNothingIsHandedOutTwice compares with slices of their own, over several rounds in
// the same memory: what is handed out is empty and changes with nothing else.
func TestNothingIsHandedOutTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s slab.Of[int]
		s.Size(rapid.IntRange(0, 40).Draw(t, "size"))
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			var got, want [][]int
			stay, kept := 0, 0 // of the lists, those that Back leaves; the call of Keep
			for n := range rapid.IntRange(0, 60).Draw(t, "calls") {
				switch rapid.SampledFrom([]string{"one", "room", "copy", "append", "keep", "back"}).Draw(t, "call") {
				case "one":
					v := s.One()
					require.Zero(t, *v)
					*v = n + 1
				case "room":
					room := s.Room(rapid.IntRange(0, 700).Draw(t, "room"))
					require.Empty(t, room)
					require.Zero(t, slices.IndexFunc(append(room[:cap(room)], 1), func(v int) bool { return v != 0 })-cap(room))
					got, want = append(got, room), append(want, nil)
				case "copy":
					values := slices.Repeat([]int{n + 1}, rapid.IntRange(0, 5).Draw(t, "values"))
					got, want = append(got, s.Copy(values)), append(want, values)
				case "append":
					if len(got) > 0 {
						i := rapid.IntRange(0, len(got)-1).Draw(t, "list")
						got[i], want[i] = s.Append(got[i], n+1), append(slices.Clip(want[i]), n+1)
						if i < stay && n > kept { // it may have moved to what Back takes
							got, want = slices.Delete(got, i, i+1), slices.Delete(want, i, i+1)
							stay--
						}
					}
				case "keep":
					s.Keep()
					stay, kept = len(got), n
				case "back":
					s.Back()
					got, want = got[:stay], want[:stay]
				}
			}
			for i := range got {
				require.True(t, slices.Equal(want[i], got[i]), "%v is to be %v", got[i], want[i])
			}
			s.Reset()
			require.Zero(t, s.Bytes())
		}
	})
}

// TestLongListsAreCounted grows a list beyond any chunk, which Bytes says, until the
// list is taken back.
func TestLongListsAreCounted(t *testing.T) {
	const many = 10_000
	grow := func(s *slab.Of[int64], list []int64) []int64 {
		for range many {
			list = s.Append(list, 1)
		}
		return list
	}
	var s slab.Of[int64]
	grow(&s, s.Room(1))
	require.GreaterOrEqual(t, s.Bytes(), 8*many)
	s.Reset()
	require.Zero(t, s.Bytes())

	s.Keep()
	before := s.Bytes()
	grow(&s, make([]int64, many)) // a list from elsewhere takes no chunk
	require.GreaterOrEqual(t, s.Bytes(), 8*2*many)
	s.Back()
	require.Equal(t, before, s.Bytes())
}
