package app

import (
	"context"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/projector/catalog"
)

// startLag tells, among the metrics, how far the readers of this process's
// roles are behind the log.
func (a *App) startLag() error {
	readers := map[string][]string{}
	if a.has(RoleParse) {
		readers[progress.ReaderParser] = []string{log.TopicTasks}
	}
	if a.has(RoleProject) {
		readers[progress.ReaderLineage] = []string{log.TopicTasks, log.TopicDefinitions, log.TopicLineage}
		readers[catalog.Reader] = []string{log.TopicCatalog}
	}
	if len(readers) == 0 {
		return nil
	}
	lag := &progress.Lag{Log: a.log, Saved: a.saved, Readers: readers}
	return lag.Register(a.tel.Metrics.Meter("progress"))
}

// saved gives the places that a reader has saved.
func (a *App) saved(ctx context.Context, reader string) (map[progress.At]int64, error) {
	positions, err := a.store.LoadPositions(ctx, reader)
	if err != nil {
		return nil, err
	}
	places := make(map[progress.At]int64, len(positions))
	for _, p := range positions {
		places[progress.At{Reader: reader, Topic: p.Topic, Partition: int(p.Partition)}] = p.Next
	}
	return places, nil
}
