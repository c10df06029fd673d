package parser_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tributary-data/tributary/parser"
)

// TestExtractTogether reads all golden cases one by one and then, several times, all
// at once: the memory that scripts leave to each other shows in no result, whether it
// was released or not, nor in the steps that are asked for when others have used it
// again.
func TestExtractTogether(t *testing.T) {
	type answer struct {
		lineage goldenLineage
		steps   *parser.Graph
	}
	extract := func(sql string, s goldenSetting, explain bool) parser.Result {
		o := s.options()
		o.Explain = explain
		return parser.Extract(context.Background(), []byte(sql), o)
	}
	dirs := goldenCases(t)
	want := make([]answer, len(dirs))
	for i, dir := range dirs {
		sql, s := readGolden(t, dir)
		res := extract(sql, s, true)
		want[i] = answer{lineageOf(res), res.Steps()}
	}
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			results, early := make([]parser.Result, len(dirs)), make([]*parser.Graph, len(dirs))
			for n := range dirs {
				i := (n + worker*len(dirs)/4) % len(dirs)
				sql, s := readGolden(t, dirs[i])
				results[i] = extract(sql, s, i%2 == worker%2)
				if i%4 == worker {
					early[i] = results[i].Steps()
					results[i].Release()
				}
			}
			for i, res := range results {
				got := answer{lineageOf(res), want[i].steps}
				switch {
				case early[i] != nil:
					got.steps = early[i]
				case i%2 == worker%2:
					got.steps = res.Steps()
				}
				assert.Equal(t, want[i], got, dirs[i])
			}
		})
	}
	all.Wait()
}
