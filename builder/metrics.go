package builder

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/tributary-data/tributary/fold/catalog"
)

// metrics are the builder's figures. Each is told by the process that drives the partition, so that the sum
// over all processes counts nothing twice.
type metrics struct {
	queued, running metric.Int64ObservableGauge
	attempts        metric.Int64Counter
	planning        metric.Float64Histogram
	observing       metric.Registration
}

// planSeconds are the bounds of the buckets of the time that a plan takes.
var planSeconds = []float64{.0001, .0005, .001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5}

func (s *Service) newMetrics(m metric.Meter) (*metrics, error) {
	out := &metrics{}
	var err error
	gauge := func(into *metric.Int64ObservableGauge, name, description string) {
		if err == nil {
			*into, err = m.Int64ObservableGauge(name, metric.WithDescription(description))
		}
	}
	gauge(&out.queued, "tributary_builder_queued_builds", "Builds that wait in queues")
	gauge(&out.running, "tributary_builder_running_jobs", "Jobs that a runner has")
	if err == nil {
		out.attempts, err = m.Int64Counter("tributary_builder_attempts", metric.WithDescription("Attempts at jobs that have ended, by outcome; EXPIRED ones lost their lease"))
	}
	if err == nil {
		out.planning, err = m.Float64Histogram("tributary_builder_plan_seconds", metric.WithUnit("s"),
			metric.WithDescription("Time to resolve a plan that was asked to be shown, or to judge a request for a build"), metric.WithExplicitBucketBoundaries(planSeconds...))
	}
	if err == nil {
		out.observing, err = m.RegisterCallback(s.observe, out.queued, out.running)
	}
	if err != nil {
		return nil, fmt.Errorf("setting up the builder's metrics: %w", err)
	}
	return out, nil
}

// observe gives the gauges of the partitions that this process drives.
func (s *Service) observe(_ context.Context, o metric.Observer) error {
	for _, p := range s.partitions {
		if !p.driver.owns() {
			continue
		}
		queued, running := 0, 0
		p.readAll(func(space *catalog.Space) {
			queued += len(space.Queue)
			for _, b := range space.Running {
				for _, j := range b.Jobs {
					if j.Live() != nil {
						running++
					}
				}
			}
		})
		at := metric.WithAttributes(attribute.Int("partition", p.number))
		o.ObserveInt64(s.metrics.queued, int64(queued), at)
		o.ObserveInt64(s.metrics.running, int64(running), at)
	}
	return nil
}

// folded counts the attempts that an event has ended.
func (m *metrics) folded(ctx context.Context, c *catalog.Changes) {
	for _, a := range c.Attempts {
		if a.Ended == c.Event.Offset {
			m.attempts.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", a.State.String())))
		}
	}
}

func (m *metrics) planned(ctx context.Context, began time.Time) {
	m.planning.Record(ctx, time.Since(began).Seconds())
}
