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
	"github.com/tributary-data/tributary/schemas/name"
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
		Extract: func(ctx context.Context, task event.TaskDefined, keepTemporary bool) (x *event.LineageExtracted, _ error) {
			graph.Definitions(func(d *lineage.Definitions) { x = consumer.Extract(ctx, &task, d, keepTemporary) })
			return x, nil
		},
	}).Register(a.mux)
	return nil
}

// caller gives who makes a request, and what the namespaces of their token let
// them see and draw edges between.
func caller(ctx context.Context) api.Caller {
	id := auth.IdentityFrom(ctx)
	c := api.Caller{Name: id.Name}
	if len(id.Sees) > 0 {
		c.See = inNamespace(id.MaySee)
	}
	switch {
	case id.Scope < auth.ScopeWrite:
		c.Edit = func(string) bool { return false }
	case len(id.Writes) > 0:
		c.Edit = inNamespace(id.MayWrite)
	}
	return c
}

// inNamespace asks about the namespace of a node by the node's key.
func inNamespace(may func(namespace string) bool) func(key string) bool {
	return func(key string) bool {
		k, err := name.ParseKey(key)
		return err == nil && may(k.Namespace)
	}
}
