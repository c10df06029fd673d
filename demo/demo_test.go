package demo_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/demo"
	"github.com/tributary-data/tributary/schemas/event"
)

func TestShopIsWholeAndValid(t *testing.T) {
	events, err := demo.Events(time.Unix(0, 0))
	require.NoError(t, err)
	count := map[string]int{}
	kinds := map[string]int{}
	ids := map[string]bool{}
	for _, e := range events {
		count[e.Type]++
		require.False(t, ids[e.ID], "%s stands twice", e.ID)
		ids[e.ID] = true
		_, err := event.KeyOf(e)
		require.NoError(t, err, e.ID)
		if c, ok := e.Data.(event.Checker); ok {
			require.NoError(t, c.Check(), e.ID)
		}
		if task, ok := e.Data.(*event.TaskDefined); ok {
			kinds[task.Kind]++
			require.NotEmpty(t, task.SQL)
		}
	}
	require.GreaterOrEqual(t, count[event.TypeTaskDefined], 60)
	require.GreaterOrEqual(t, count[event.TypeTableDefined], 20)
	for _, kind := range []string{event.KindBatch, event.KindRealtime, event.KindAPI, event.KindMetric, event.KindTag, event.KindDashboard} {
		require.Positive(t, kinds[kind], kind)
	}
}
