package app

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/tributary-data/tributary/ingest"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/progress"
)

// followInterval is how often a process that somebody waits in looks for what
// projectors in other processes have saved.
const followInterval = 100 * time.Millisecond

// waiter answers ?wait=applied: of lineage when the rows are there, of the
// catalog with what its fold made of the event.
type waiter struct {
	lineage *progress.Waiter
	// catalog is nil in a process that does not fold the catalog.
	catalog judge
}

// judge tells how an event of the catalog was judged.
type judge interface {
	OutcomeAt(ctx context.Context, partition int, offset int64) (code, message string, err error)
}

// WaitApplied waits for each position and gives its outcome.
func (w waiter) WaitApplied(ctx context.Context, positions []log.Position) ([]ingest.Outcome, error) {
	outcomes := make([]ingest.Outcome, len(positions))
	var lineage []log.Position
	for i, p := range positions {
		if p.Topic != log.TopicCatalog {
			lineage = append(lineage, p)
			continue
		}
		if w.catalog == nil {
			return nil, fmt.Errorf("this process does not fold %s: ask one that runs the role build", log.TopicCatalog)
		}
		var err error
		if outcomes[i].Code, outcomes[i].Message, err = w.catalog.OutcomeAt(ctx, p.Partition, p.Offset); err != nil {
			return nil, err
		}
	}
	return outcomes, w.lineage.WaitFolded(ctx, lineage)
}

// startWaiter gives what answers ?wait=applied, nil in a process without a
// store. What readers in other processes have done is taken from the positions
// that they save.
func (a *App) startWaiter() ingest.Waiter {
	if a.store == nil {
		return nil
	}
	if !a.has(RoleParse) || !a.has(RoleProject) {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			defer close(done)
			a.board.Follow(ctx, followInterval, a.savedPositions)
		}()
		a.onStop(func(context.Context) error {
			cancel()
			<-done
			return nil
		})
	}
	return waiter{lineage: &progress.Waiter{Board: a.board, Log: a.log}, catalog: a.catalog}
}

// savedPositions are the places that readers have saved in the store.
func (a *App) savedPositions(ctx context.Context) (map[progress.At]int64, error) {
	places := map[progress.At]int64{}
	for _, reader := range []string{progress.ReaderParser, progress.ReaderLineage} {
		saved, err := a.saved(ctx, reader)
		if err != nil {
			return nil, err
		}
		maps.Copy(places, saved)
	}
	return places, nil
}
