package feed

import (
	"context"
	"fmt"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/event"
)

// Appender puts events into the log.
type Appender struct {
	Log interface {
		Append(ctx context.Context, recs []log.Record) ([]log.Position, error)
	}
}

// Append answers when the event is durably in the log, with its position.
func (a Appender) Append(ctx context.Context, e event.Event) (string, error) {
	encoded, err := event.Encode(e)
	if err != nil {
		return "", fmt.Errorf("writing the event: %w", err)
	}
	rec := log.Record{Topic: encoded.Topic, Key: encoded.Key, Value: encoded.Value}
	for _, h := range encoded.Headers {
		rec.Headers = append(rec.Headers, log.Header(h))
	}
	positions, err := a.Log.Append(ctx, []log.Record{rec})
	if err != nil {
		return "", err
	}
	return positions[0].String(), nil
}
