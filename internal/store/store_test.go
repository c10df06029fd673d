package store_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/internal/store/storetest"
)

func TestGreatestPositionCounts(t *testing.T) {
	s := storetest.Open(t)
	ctx := context.Background()
	at, err := s.LoadPosition(ctx, "lineage", "tributary.tasks", 3)
	require.NoError(t, err)
	require.Equal(t, store.Position{Reader: "lineage", Topic: "tributary.tasks", Partition: 3}, at)

	for _, p := range []store.Position{
		{Partition: 3, Next: 10}, {Partition: 3, Next: 30}, {Partition: 3, Next: 20},
		{Partition: 1, Generation: 1, Next: 5}, {Partition: 1, Next: 500},
	} {
		p.Reader, p.Topic = "lineage", "tributary.tasks"
		require.NoError(t, s.SavePosition(ctx, p))
	}
	all, err := s.LoadPositions(ctx, "lineage")
	require.NoError(t, err)
	require.Equal(t, []store.Position{
		{Reader: "lineage", Topic: "tributary.tasks", Partition: 1, Generation: 1, Next: 5},
		{Reader: "lineage", Topic: "tributary.tasks", Partition: 3, Next: 30},
	}, all)
}
