package progress_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/tributary-data/tributary/internal/progress"
)

// endsOf are the ends of topics.
type endsOf map[string][]int64

func (e endsOf) Ends(_ context.Context, topic string) ([]int64, error) { return e[topic], nil }

func TestLagIsFromTheSavedPositionToTheEndOfTheLog(t *testing.T) {
	reader := sdk.NewManualReader()
	l := progress.Lag{
		Log: endsOf{"a": {10, 5}, "b": {7}},
		Saved: func(_ context.Context, reader string) (map[progress.At]int64, error) {
			return map[progress.At]int64{
				{Reader: reader, Topic: "a", Partition: 0}: 4,
				{Reader: reader, Topic: "b", Partition: 0}: 9, // saved after the end was asked for
			}, nil
		},
		Readers: map[string][]string{"r": {"a", "b"}},
	}
	require.NoError(t, l.Register(sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("test")))
	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(t.Context(), &all))
	require.Len(t, all.ScopeMetrics, 1)
	metrics := all.ScopeMetrics[0].Metrics
	require.Len(t, metrics, 1)
	require.Equal(t, progress.LagMetric, metrics[0].Name)
	gauge, isGauge := metrics[0].Data.(metricdata.Gauge[int64])
	require.True(t, isGauge)
	got := map[string]int64{}
	for _, p := range gauge.DataPoints {
		topic, _ := p.Attributes.Value("topic")
		partition, _ := p.Attributes.Value(attribute.Key("partition"))
		got[topic.AsString()+"/"+partition.String()] = p.Value
	}
	require.Equal(t, map[string]int64{"a/0": 6, "a/1": 5, "b/0": 0}, got)
}
