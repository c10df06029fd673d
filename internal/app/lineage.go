package app

import (
	"context"
	"time"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/auth"
	"github.com/tributary-data/tributary/lineage/api"
	"github.com/tributary-data/tributary/lineage/feed"
	"github.com/tributary-data/tributary/lineage/history"
	"github.com/tributary-data/tributary/parser/consumer"
	"github.com/tributary-data/tributary/schemas/event"
)

// startLineage loads the graph, follows the log with it, and mounts the
// questions about it.
func (a *App) startLineage(ctx context.Context) error {
	past := history.New(a.store, a.log, nil)
	graph := feed.New(feed.Config{Log: a.log, Store: past, Logger: a.logger})
	if err := a.run(ctx, "the graph", graph); err != nil {
		return err
	}
	api.New(api.Config{
		Live: graph, Past: past, Details: past, Chains: history.NewChains(past, time.Now), Log: feed.Appender{Log: a.log}, Now: time.Now, Logger: a.logger,
		Caller: caller,
		Extract: func(ctx context.Context, task event.TaskDefined, keepTemporary bool) (x *event.LineageExtracted, err error) {
			graph.Definitions(func(d *lineage.Definitions) { x, err = consumer.Extract(ctx, &task, d, keepTemporary) })
			return x, err
		},
	}).Register(a.mux)
	return nil
}

// caller gives who makes a request. Scopes are for the whole server: whoever
// may read sees every node, whoever may write may draw edges anywhere.
func caller(ctx context.Context) api.Caller {
	id := auth.IdentityFrom(ctx)
	c := api.Caller{Name: id.Name}
	if id.Scope < auth.ScopeWrite {
		c.Edit = func(string) bool { return false }
	}
	return c
}
