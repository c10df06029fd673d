package log_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/log/logtest"
)

func TestSmoke(t *testing.T) {
	c := logtest.Start(t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var recs []log.Record
	for i := range 100 {
		recs = append(recs, log.Record{Topic: log.TopicTasks, Key: []byte(fmt.Sprint("k", i)), Value: []byte(fmt.Sprint("v", i)), Headers: []log.Header{{Key: "h", Value: []byte("x")}}})
	}
	before := time.Now().Add(-time.Second)
	pos, err := c.Append(ctx, recs)
	require.NoError(t, err)
	ends, err := c.Ends(ctx, log.TopicTasks)
	require.NoError(t, err)
	t.Log(pos[:5], ends)
	starts, err := c.OffsetsAt(ctx, log.TopicTasks, before)
	require.NoError(t, err)
	require.Equal(t, []int64{0, 0, 0, 0}, starts)
	after, err := c.OffsetsAt(ctx, log.TopicTasks, time.Now().Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, ends, after)
	for i, p := range pos {
		r, err := c.RecordAt(ctx, p.Topic, p.Partition, p.Offset)
		require.NoError(t, err)
		require.Equal(t, recs[i].Value, r.Value)
		require.Equal(t, recs[i].Headers, r.Headers)
		require.WithinDuration(t, time.Now(), r.Time, 10*time.Second)
	}
}

func BenchmarkAppend64(b *testing.B) {
	c := logtest.Start(b)
	ctx := context.Background()
	b.SetParallelism(32)
	value := make([]byte, 1000)
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			if _, err := c.Append(ctx, []log.Record{{Topic: log.TopicTasks, Key: []byte(fmt.Sprint(i, time.Now().UnixNano())), Value: value}}); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rec/s")
}
