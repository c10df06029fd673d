package consumer

import (
	"context"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/schemas/event"
)

// Extract finds the lineage that a definition would have if it were in the
// log, with the definitions given, which must not change meanwhile. It writes
// nothing.
func Extract(ctx context.Context, d *event.TaskDefined, definitions *lineage.Definitions) (*event.LineageExtracted, error) {
	e := &extractor{catalog: &catalog{defs: definitions}}
	x, err := e.define(ctx, d, event.Position{}, sum{})
	if err != nil {
		return nil, err
	}
	return x.lineage, nil
}
