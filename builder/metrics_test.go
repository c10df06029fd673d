package builder_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/tributary-data/tributary/builder"
)

// figures reads the metrics: sums and gauges by name and outcome, and the count of a histogram.
func figures(t *testing.T, reader *sdkmetric.ManualReader) map[string]int64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	require.NoError(t, reader.Collect(context.Background(), &all))
	out := map[string]int64{}
	add := func(name string, points []metricdata.DataPoint[int64]) {
		for _, p := range points {
			if outcome, ok := p.Attributes.Value("outcome"); ok {
				out[name+" "+outcome.AsString()] += p.Value
			} else {
				out[name] += p.Value
			}
		}
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				add(m.Name, data.DataPoints)
			case metricdata.Gauge[int64]:
				add(m.Name, data.DataPoints)
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					out[m.Name] += int64(p.Count)
				}
			}
		}
	}
	return out
}

func TestMetrics(t *testing.T) {
	r := start(t)
	r.stop()
	reader := sdkmetric.NewManualReader()
	provider := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	r.serveWith(builder.Config{Meter: provider.Meter("builder")})
	r.dataset("A")
	r.commit("A", "master", "a")
	r.publish("master", "b", "A", "B")
	require.Eventually(t, func() bool { // somebody must drive the space for its figures to be told
		status, _ := r.post("/runner/claim", object{"runner": "r1"})
		return status == 204
	}, 20*time.Second, 10*time.Millisecond)
	r.post("/plan", object{"branch": "master", "targets": []object{ref("B")}})
	r.ok("/builds", object{"build": "b1", "branch": "master", "targets": []object{ref("B")}, "retries": 2})
	r.ok("/builds", object{"build": "b2", "branch": "master", "targets": []object{ref("B")}})
	first := r.claim()
	got := figures(t, reader)
	require.Equal(t, int64(1), got["tributary_builder_queued_builds"])
	require.Equal(t, int64(1), got["tributary_builder_running_jobs"])
	require.Equal(t, int64(3), got["tributary_builder_plan_seconds"])

	r.ok("/runner/fail", object{"build": "b1", "job": 0, "token": first.Token, "message": "broken"})
	r.claimRetry()
	require.Eventually(t, func() bool {
		r.clock.move(40 * time.Second)
		return r.build("b1").Jobs[0].Attempts[1].State == "EXPIRED"
	}, 20*time.Second, 20*time.Millisecond)
	last := r.claimRetry()
	r.ok("/runner/finish", object{"build": "b1", "job": 0, "token": last.Token})
	got = figures(t, reader)
	require.Equal(t, int64(0), got["tributary_builder_queued_builds"], "b2 has nothing left to do")
	for _, outcome := range []string{"FAILED", "EXPIRED", "SUCCEEDED"} {
		require.Equal(t, int64(1), got["tributary_builder_attempts "+outcome], outcome)
	}
}
