package projector

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// metrics are the projector's figures.
type metrics struct {
	records, letters, rows metric.Int64Counter
}

func newMetrics(m metric.Meter) (*metrics, error) {
	out := &metrics{}
	var err error
	counter := func(into *metric.Int64Counter, name, description string) {
		if err == nil {
			*into, err = m.Int64Counter(name, metric.WithDescription(description))
		}
	}
	counter(&out.records, "tributary_projector_records", "Records folded, by topic")
	counter(&out.letters, "tributary_projector_dead_letters", "Records that could not be read, by topic and reason")
	counter(&out.rows, "tributary_projector_rows", "Rows written")
	if err != nil {
		return nil, fmt.Errorf("setting up the projector's metrics: %w", err)
	}
	return out, nil
}

func (m *metrics) folded(ctx context.Context, topic string, records, rows int) {
	m.records.Add(ctx, int64(records), metric.WithAttributes(attribute.String("topic", topic)))
	m.rows.Add(ctx, int64(rows))
}

func (m *metrics) refused(ctx context.Context, topic, reason string) {
	m.letters.Add(ctx, 1, metric.WithAttributes(attribute.String("topic", topic), attribute.String("reason", reason)))
}
