package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tributary-data/tributary/internal/auth"
	"github.com/tributary-data/tributary/internal/patience"
)

// Times after which a silent client loses its connection.
const (
	headerTimeout = 10 * time.Second
	sendTimeout   = time.Minute
	takeTimeout   = time.Minute
	idleTimeout   = 2 * time.Minute
)

// partingTime is how long requests under way may still take once the process is
// told to stop. What they would have put into the log was not acknowledged.
const partingTime = 10 * time.Second

// listen serves what the roles have mounted.
func (a *App) listen(ctx context.Context) error {
	handler, err := a.handler()
	if err != nil {
		return err
	}
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", a.cfg.Listen)
	if err != nil {
		return err
	}
	a.addr = listener.Addr()
	server := &http.Server{Handler: patience.Handler(handler, sendTimeout, takeTimeout), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, ErrorLog: slog.NewLogLogger(a.logger.Handler(), slog.LevelWarn)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			a.fail(fmt.Errorf("serving HTTP: %w", err))
		}
	}()
	a.onStop(func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, partingTime)
		defer cancel()
		err := server.Shutdown(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			a.logger.WarnContext(ctx, "cutting off requests that do not end")
			err = server.Close()
		}
		<-done
		return err
	})
	return nil
}

// handler puts the guard and the telemetry around the routes.
func (a *App) handler() (http.Handler, error) {
	a.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("ok\n"))
	})
	a.mux.Handle("GET /metrics", a.tel.Handler())
	guard := auth.Guard{
		Open: openPath, Needed: neededScope, Hidden: hiddenSpace, Now: time.Now,
		Limits: auth.Limits{Rate: a.cfg.Auth.Rate, Burst: a.cfg.Auth.Concurrent, Concurrent: a.cfg.Auth.Concurrent},
	}
	if path := a.cfg.Auth.Tokens; path != "" {
		file, err := auth.OpenTokens(path, a.logger)
		if err != nil {
			return nil, err
		}
		guard.Tokens = file.Tokens
	}
	return a.tel.Wrap(guard.Wrap(a.mux)), nil
}

// openPath names what needs no token: liveness, and the page's own files,
// which hold no data.
func openPath(path string) bool {
	return path == "/healthz" || path != "/metrics" && !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/openapi/")
}

// spacePath begins the paths of what is in a space of the catalog.
const spacePath = "/api/v1/spaces/"

// hiddenSpace hides the spaces of the catalog that a token is not for. It
// takes the path apart as the router does, before anything is unescaped.
func hiddenSpace(r *http.Request, id auth.Identity) bool {
	rest, ok := strings.CutPrefix(r.URL.EscapedPath(), spacePath)
	if !ok {
		return strings.HasPrefix(r.URL.Path, spacePath) && len(id.Sees)+len(id.Writes) > 0
	}
	escaped, _, _ := strings.Cut(rest, "/")
	space, err := url.PathUnescape(escaped)
	if err != nil {
		return true
	}
	if neededScope(r) > auth.ScopeRead {
		return !id.MayWrite(space) || !id.MaySee(space)
	}
	return !id.MaySee(space)
}

// questions are requests that only ask, though they are sent by POST.
var questions = map[string]bool{
	"/api/v1/graph/expand": true, "/api/v1/impact": true, "/api/v1/sql": true,
}

func neededScope(r *http.Request) auth.Scope {
	switch {
	case strings.HasPrefix(r.URL.Path, "/api/v1/deadletter"):
		return auth.ScopeAdmin
	case r.Method == http.MethodGet, r.Method == http.MethodHead, questions[r.URL.Path]:
		return auth.ScopeRead
	default:
		return auth.ScopeWrite
	}
}
