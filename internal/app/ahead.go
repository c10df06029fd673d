package app

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/projector/catalog"
)

// checkAhead refuses a store that knows more than the log holds: the log has
// lost records, or is another one. What is appended now would never be folded.
func (a *App) checkAhead(ctx context.Context) error {
	ends := map[string][]int64{}
	for _, reader := range []string{progress.ReaderLineage, catalog.Reader} {
		saved, err := a.saved(ctx, reader)
		if err != nil {
			return err
		}
		for at, next := range saved {
			if ends[at.Topic] == nil {
				if ends[at.Topic], err = a.log.Ends(ctx, at.Topic); err != nil {
					return fmt.Errorf("asking where %s ends: %w", at.Topic, err)
				}
			}
			end := int64(0)
			if at.Partition < len(ends[at.Topic]) {
				end = ends[at.Topic][at.Partition]
			}
			if next > end {
				return fmt.Errorf("the store has rows of %s/%d up to offset %d, and the log ends at %d: %s", at.Topic, at.Partition, next, end, a.aheadHelp())
			}
		}
	}
	return nil
}

// aheadHelp says what to do about a store that is ahead of the log.
func (a *App) aheadHelp() string {
	theLog, theStore := "the log", "the store's database"
	if len(a.cfg.Log.Brokers) == 0 {
		theLog = filepath.Join(a.cfg.Data, "log")
	}
	if a.cfg.Store.DSN == "" {
		theStore = filepath.Join(a.cfg.Data, "store")
	}
	return fmt.Sprintf("records are lost, or it is another log. Bring %s back from a copy; or, if it is right as it is, move %s away: its tables are made again from the log, but not what jobs wrote into it", theLog, theStore)
}
