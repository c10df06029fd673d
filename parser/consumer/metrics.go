package consumer

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/metric"
)

// metrics are the consumer's figures.
type metrics struct{ live, again metric.Int64Counter }

func newMetrics(m metric.Meter) (*metrics, error) {
	live, err := m.Int64Counter("tributary_parser_events", metric.WithDescription("Task events that were extracted, repeats included"))
	if err != nil {
		return nil, fmt.Errorf("setting up the parser's metrics: %w", err)
	}
	again, err := m.Int64Counter("tributary_parser_extractions_again", metric.WithDescription("Tasks that were extracted again because a definition changed"))
	if err != nil {
		return nil, fmt.Errorf("setting up the parser's metrics: %w", err)
	}
	return &metrics{live: live, again: again}, nil
}

func (m *metrics) extracted(ctx context.Context, n int)      { m.live.Add(ctx, int64(n)) }
func (m *metrics) extractedAgain(ctx context.Context, n int) { m.again.Add(ctx, int64(n)) }
