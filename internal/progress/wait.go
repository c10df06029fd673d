package progress

import (
	"context"
	"fmt"

	"github.com/tributary-data/tributary/internal/log"
)

// Ender tells where topics end.
type Ender interface {
	Ends(ctx context.Context, topic string) ([]int64, error)
}

// Waiter waits until records are folded and their rows are to be seen.
type Waiter struct {
	Board *Board
	Log   Ender
}

// WaitFolded returns when everything that the records at the positions cause
// is in the rows: of a task event, that its extraction (or the marker that
// nothing changed) is folded too. Positions of tributary.catalog and of other
// topics are not for this waiter, and an error.
func (w *Waiter) WaitFolded(ctx context.Context, positions []log.Position) error {
	tasks := false
	for _, p := range positions {
		at := At{ReaderLineage, p.Topic, p.Partition}
		switch p.Topic {
		case log.TopicTasks:
			tasks = true
			if err := w.Board.Wait(ctx, At{ReaderParser, p.Topic, p.Partition}, p.Offset); err != nil {
				return err
			}
		case log.TopicDefinitions, log.TopicLineage:
		default:
			return fmt.Errorf("nobody folds %s into lineage", p.Topic)
		}
		if err := w.Board.Wait(ctx, at, p.Offset); err != nil {
			return err
		}
	}
	if !tasks {
		return nil
	}
	// What the parser made of the events stands before the ends of now.
	ends, err := w.Log.Ends(ctx, log.TopicLineage)
	if err != nil {
		return fmt.Errorf("finding the end of lineage: %w", err)
	}
	for p, end := range ends {
		if err := w.Board.Wait(ctx, At{ReaderLineage, log.TopicLineage, p}, end-1); err != nil {
			return err
		}
	}
	return nil
}
