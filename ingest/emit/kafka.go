package emit

import (
	"context"
	"errors"
	"fmt"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/event"
)

// kafkaSink appends batches to the log itself.
type kafkaSink struct{ client *log.Client }

// Kafka makes a sink of a Kafka cluster, by the addresses of some of its
// brokers. Partitions are chosen as Tributary's own writers choose them, and
// every replica must have a record before it counts. An error here says that
// no broker was reached.
func Kafka(ctx context.Context, clientID string, brokers ...string) (Sink, error) {
	client, err := log.Open(ctx, log.Config{Brokers: brokers, ClientID: clientID})
	if err != nil {
		return nil, err
	}
	return &kafkaSink{client}, nil
}

// Close ends the connections.
func (s *kafkaSink) Close() error { return s.client.Close() }

// Send appends a batch.
func (s *kafkaSink) Send(ctx context.Context, batch []event.Packed) []error {
	recs := make([]log.Record, len(batch))
	for i := range batch {
		r := batch[i].Record(batch[i].Topic, batch[i].Key)
		recs[i] = log.Record{Topic: r.Topic, Key: r.Key, Value: r.Value, Headers: make([]log.Header, len(r.Headers))}
		for j, h := range r.Headers {
			recs[i].Headers[j] = log.Header(h)
		}
	}
	errs := make([]error, len(batch))
	_, err := s.client.Append(ctx, recs)
	var some *log.AppendError
	var tooLarge *log.TooLargeError
	switch {
	case err == nil:
	case errors.As(err, &some):
		copy(errs, some.Records)
	case errors.As(err, &tooLarge):
		// Nothing was written: the one is given up, the others go again.
		for i := range errs {
			errs[i] = fmt.Errorf("beside an event that is too large: %w", err)
		}
		p := batch[tooLarge.Index]
		errs[tooLarge.Index] = &RefusedError{ID: p.ID, Type: p.Type, Code: "EventTooLarge", Message: tooLarge.Error()}
	default:
		for i := range errs {
			errs[i] = err
		}
	}
	return errs
}
