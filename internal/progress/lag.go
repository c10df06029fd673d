package progress

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// LagMetric is the name of the gauge that Lag keeps.
const LagMetric = "tributary_reader_lag_records"

// Lag tells how far readers are behind the log: from the position that a reader
// has saved to the log's end, by reader, topic and partition. Positions are
// saved in the store by whoever has the partition, so every process that runs a
// role tells the same of it, and a partition that nobody works on is told too.
type Lag struct {
	Log Ender
	// Saved gives the places that a reader has saved; of partitions that are
	// not among them it has read nothing.
	Saved func(ctx context.Context, reader string) (map[At]int64, error)
	// Readers are the topics that each reader reads.
	Readers map[string][]string
}

// Register adds the gauge to a meter. Log and store are asked whenever the
// metrics are read.
func (l *Lag) Register(meter metric.Meter) error {
	gauge, err := meter.Int64ObservableGauge(LagMetric, metric.WithDescription("Records between the position that a reader has saved and the log's end"))
	if err == nil {
		_, err = meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error { return l.observe(ctx, gauge, o) }, gauge)
	}
	if err != nil {
		return fmt.Errorf("setting up the metrics of lag: %w", err)
	}
	return nil
}

func (l *Lag) observe(ctx context.Context, gauge metric.Int64Observable, o metric.Observer) error {
	for reader, topics := range l.Readers {
		saved, err := l.Saved(ctx, reader)
		if err != nil {
			return err
		}
		for _, topic := range topics {
			ends, err := l.Log.Ends(ctx, topic)
			if err != nil {
				return fmt.Errorf("finding the end of %s: %w", topic, err)
			}
			for partition, end := range ends {
				behind := max(end-saved[At{reader, topic, partition}], 0)
				o.ObserveInt64(gauge, behind, metric.WithAttributes(
					attribute.String("reader", reader), attribute.String("topic", topic), attribute.Int("partition", partition)))
			}
		}
	}
	return nil
}
