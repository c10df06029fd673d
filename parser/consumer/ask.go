package consumer

import (
	"context"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/schemas/event"
)

// Extract finds the lineage that a definition would have if it were in the
// log, with the definitions given, which must not change meanwhile, and with
// session tables shown as nodes of KindTemporary if they are to be kept. It
// writes nothing.
func Extract(ctx context.Context, d *event.TaskDefined, definitions *lineage.Definitions, keepTemporary bool) *event.LineageExtracted {
	e := &extractor{catalog: &catalog{defs: definitions}, keepTemporary: keepTemporary}
	return e.define(ctx, d, event.Position{}, sum{}).lineage
}
