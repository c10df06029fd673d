package audit

import (
	"context"
	"fmt"

	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/schemas/event"
)

// Compare tells, a sentence each, what differs between the tables and a fold of
// the log; none if they are the same. The log must not grow meanwhile, and all
// of it must have been folded.
func Compare(ctx context.Context, client *log.Client, s *store.Store) ([]string, error) {
	want, err := Expected(ctx, client)
	if err != nil {
		return nil, err
	}
	got, err := Stored(ctx, s)
	if err != nil {
		return nil, err
	}
	return Differences(want, got), nil
}

// Unextracted gives the task events that the parser has written nothing of, a
// line each with type and place; those that cannot be read and manual edges
// aside, of which it writes nothing.
func Unextracted(ctx context.Context, client *log.Client) ([]string, error) {
	done := map[event.Position]bool{}
	err := each(ctx, client, log.TopicLineage, func(_ *log.Record, ev event.Event) {
		if x, ok := ev.Data.(*event.LineageExtracted); ok {
			done[x.From] = true
		}
	})
	if err != nil {
		return nil, err
	}
	var out []string
	err = each(ctx, client, log.TopicTasks, func(rec *log.Record, ev event.Event) {
		switch ev.Data.(type) {
		case *event.EdgeAdded, *event.EdgeRemoved:
			return
		}
		if !done[event.Position{Partition: rec.Partition, Offset: rec.Offset}] {
			out = append(out, fmt.Sprintf("%s at %s/%d/%d", ev.Type, rec.Topic, rec.Partition, rec.Offset))
		}
	})
	return out, err
}

// each calls with every record of a topic that can be read.
func each(ctx context.Context, client *log.Client, topic string, fn func(rec *log.Record, ev event.Event)) error {
	n, err := client.Partitions(ctx, topic)
	if err != nil {
		return err
	}
	recs, err := ReadAll(ctx, client, topic)
	if err != nil {
		return err
	}
	for i := range recs {
		if ev, fault := deadletter.Judge(&recs[i], n); fault == nil {
			fn(&recs[i], ev)
		}
	}
	return nil
}
