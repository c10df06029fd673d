package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/internal/store/storetest"
)

// fill inserts rows into the positions table.
func fill(b *testing.B, s *store.Store, rows int) {
	b.Helper()
	batch := s.NewBatch("positions", "reader", "topic", "partition", "generation", "next_offset")
	for i := range rows {
		batch.Append(fmt.Sprintf("reader-%d", i%100), "tributary.tasks", int32(i), uint32(0), int64(i))
	}
	require.NoError(b, batch.Send(context.Background()))
}

// BenchmarkSavePosition is the smallest insert: one row, synced.
func BenchmarkSavePosition(b *testing.B) {
	s := storetest.Open(b)
	for i := 0; b.Loop(); i++ {
		require.NoError(b, s.SavePosition(context.Background(), store.Position{Reader: "r", Topic: "t", Next: int64(i)}))
	}
}

// BenchmarkInsert100k is a large insert, rows built included.
func BenchmarkInsert100k(b *testing.B) {
	s := storetest.Open(b)
	for b.Loop() {
		fill(b, s, 100_000)
	}
	b.ReportMetric(float64(b.N)*100_000/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkPointRead looks five keys up in a million rows.
func BenchmarkPointRead(b *testing.B) {
	s := storetest.Open(b)
	for range 10 {
		fill(b, s, 100_000)
	}
	for b.Loop() {
		rows, err := s.Read().Query(context.Background(), `
			SELECT partition, max(next_offset) FROM tributary.positions
			WHERE reader = 'reader-7' AND topic = 'tributary.tasks' AND partition IN {keys:Array(Int32)} GROUP BY partition`,
			clickhouse.Named("keys", []int32{7, 107, 207, 307, 407}))
		require.NoError(b, err)
		n := 0
		for rows.Next() {
			n++
		}
		require.NoError(b, rows.Err())
		require.NoError(b, rows.Close())
		require.Equal(b, 5, n)
	}
}
