package app

import (
	"context"

	"github.com/tributary-data/tributary/builder"
	"github.com/tributary-data/tributary/ingest"
	"github.com/tributary-data/tributary/internal/catalogfold"
	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/parser/consumer"
	"github.com/tributary-data/tributary/projector"
	"github.com/tributary-data/tributary/projector/catalog"
	"github.com/tributary-data/tributary/web"
)

// startRoles starts the services of the roles and mounts their routes.
func (a *App) startRoles(ctx context.Context) error {
	for _, r := range []struct {
		role  Role
		start func(context.Context) error
	}{
		{RoleParse, a.startParse},
		{RoleProject, a.startProject},
		{RoleBuild, a.startBuild},
		// Intake asks the builder how events of the catalog were judged.
		{RoleIngest, a.startIngest},
		{RoleQuery, a.startQuery},
	} {
		if a.has(r.role) {
			if err := r.start(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *App) startIngest(context.Context) error {
	h, err := ingest.New(ingest.Options{
		Log: a.log, Waiter: a.startWaiter(), //nolint:contextcheck // it follows until the app stops
		Logger: a.logger, Meter: a.tel.Metrics.Meter("ingest"),
	})
	if err != nil {
		return err
	}
	h.Register(a.mux)
	return nil
}

// startQuery answers questions about lineage. The page comes with it.
func (a *App) startQuery(ctx context.Context) error {
	if err := a.startLineage(ctx); err != nil {
		return err
	}
	deadletter.NewService(a.log).Register(a.mux)
	web.New().Register(a.mux)
	return nil
}

// startBuild follows the catalog, answers for it and drives its builds.
func (a *App) startBuild(ctx context.Context) error {
	s := builder.New(builder.Config{
		Log: a.log, Snapshots: catalogfold.StoreSnapshots{Store: a.store}, Tasks: catalogfold.StoreSnapshots{Store: a.store},
		Logger: a.logger, Meter: a.tel.Metrics.Meter("builder"), Lease: a.cfg.Builder.Lease,
	})
	if err := a.run(ctx, "the builder", s); err != nil {
		return err
	}
	a.catalog = s
	s.Register(a.mux)
	return nil
}

// startProject folds lineage and the catalog into the store.
func (a *App) startProject(ctx context.Context) error {
	err := a.run(ctx, "the projector of lineage", projector.New(projector.Config{
		Log: a.log, Store: a.store, Board: a.board, Logger: a.logger, Meter: a.tel.Metrics.Meter("projector"),
	}))
	if err != nil {
		return err
	}
	return a.run(ctx, "the projector of the catalog", catalog.New(catalog.Config{
		Log: a.log, Store: a.store, Board: a.board, Logger: a.logger,
	}))
}

func (a *App) startParse(ctx context.Context) error {
	return a.run(ctx, "the parser", consumer.New(consumer.Config{
		Log: a.log, Store: a.store, Board: a.board, Logger: a.logger, Meter: a.tel.Metrics.Meter("parser"),
	}))
}
