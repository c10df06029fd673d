// Package app runs roles in a process: it opens the log and the store, starts
// the services of each role, serves their HTTP, and stops everything in the
// reverse order. It is the one place where the rooms meet.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tributary-data/tributary/internal/config"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/internal/telemetry"
)

// Role is a part of Tributary that a process may run.
type Role string

// Roles, each of which may run many times beside the others.
const (
	RoleIngest  Role = "ingest"
	RoleParse   Role = "parse"
	RoleProject Role = "project"
	RoleBuild   Role = "build"
	RoleQuery   Role = "query"
)

// AllRoles are what 'tributary serve' runs.
func AllRoles() []Role { return []Role{RoleIngest, RoleParse, RoleProject, RoleBuild, RoleQuery} }

// stopTimeout bounds how long a process drains when it is told to stop.
const stopTimeout = 30 * time.Second

// service is a part that runs in the background. Start returns when it is
// ready; Stop drains it and may be called twice; Done is closed when it has
// ended, with Stop's error being why.
type service interface {
	Start(ctx context.Context) error
	Stop() error
	Done() <-chan struct{}
}

// App is a process that runs.
type App struct {
	cfg     config.Config
	roles   []Role
	logger  *slog.Logger
	tel     *telemetry.Telemetry
	log     *log.Client
	brokers []string
	store   *store.Store
	board   *progress.Board
	// catalog is nil unless the process builds.
	catalog judge
	mux     *http.ServeMux
	addr    net.Addr
	// storeAddr is where the embedded store answers other processes; nil if
	// it does not.
	storeAddr net.Addr

	closers []func(context.Context) error
	failed  chan error
	stop    sync.Once
	stopErr error
}

// Start runs roles by the settings and returns when they answer. What it
// could not start it has stopped again. The caller stops the rest with Stop.
func Start(ctx context.Context, cfg config.Config, roles []Role, logger *slog.Logger, progressTo Progress) (*App, error) {
	a := &App{
		cfg: cfg, roles: roles, logger: logger, board: progress.NewBoard(), mux: http.NewServeMux(),
		failed: make(chan error, 1),
	}
	steps := []struct {
		doing string
		run   func(context.Context) error
	}{
		{"setting up telemetry", a.startTelemetry},
		{"opening the log", a.openLog},
		{"opening the store", func(ctx context.Context) error { return a.openStore(ctx, progressTo) }},
		{"starting the roles", a.startRoles},
		{"measuring lag", func(context.Context) error { return a.startLag() }},
		{"listening on " + cfg.Listen, a.listen},
	}
	for _, s := range steps {
		if err := s.run(ctx); err != nil {
			stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
			defer cancel()
			return nil, errors.Join(fmt.Errorf("%s: %w", s.doing, err), a.Stop(stopCtx))
		}
	}
	return a, nil
}

// Wait returns when ctx ends, or with the error of a service that failed.
func (a *App) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-a.failed:
		return err
	}
}

// Stop ends what Start began, in the reverse order. It may be called twice.
func (a *App) Stop(ctx context.Context) error {
	a.stop.Do(func() {
		for _, closer := range slices.Backward(a.closers) {
			a.stopErr = errors.Join(a.stopErr, closer(ctx))
		}
	})
	return a.stopErr
}

// URL is where the process answers.
func (a *App) URL() string { return "http://" + a.addr.String() }

// Brokers are the addresses of the log.
func (a *App) Brokers() []string { return a.brokers }

// Store is the process's store; nil in a role that has none.
func (a *App) Store() *store.Store { return a.store }

// StoreURL is where the embedded store answers other processes; empty if it
// does not.
func (a *App) StoreURL() string {
	if a.storeAddr == nil {
		return ""
	}
	return "http://" + a.storeAddr.String()
}

func (a *App) has(r Role) bool { return slices.Contains(a.roles, r) }

func (a *App) onStop(f func(context.Context) error) { a.closers = append(a.closers, f) }

// run starts a service and stops it with the process.
func (a *App) run(ctx context.Context, name string, s service) error {
	if err := s.Start(ctx); err != nil {
		return fmt.Errorf("starting %s: %w", name, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		<-s.Done()
		if err := s.Stop(); err != nil {
			a.fail(fmt.Errorf("running %s: %w", name, err))
		}
	}()
	a.onStop(func(context.Context) error {
		err := s.Stop()
		<-ended
		if err != nil {
			return fmt.Errorf("stopping %s: %w", name, err)
		}
		return nil
	})
	return nil
}

// fail ends Wait with a service's error; the first one counts.
func (a *App) fail(err error) {
	select {
	case a.failed <- err:
	default:
	}
}

func (a *App) startTelemetry(ctx context.Context) error {
	role := "serve"
	if len(a.roles) == 1 {
		role = string(a.roles[0])
	}
	tel, err := telemetry.Start(ctx, role, a.cfg.Telemetry)
	if err != nil {
		return err
	}
	a.tel = tel
	a.onStop(tel.Stop)
	return nil
}
