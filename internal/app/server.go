package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/tributary-data/tributary/internal/auth"
)

// Times after which a silent client loses its connection.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
)

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
	server := &http.Server{Handler: handler, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			a.fail(fmt.Errorf("serving HTTP: %w", err))
		}
	}()
	a.onStop(func(ctx context.Context) error {
		err := server.Shutdown(ctx)
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
	guard := auth.Guard{Open: openPath, Needed: neededScope, Now: time.Now}
	if path := a.cfg.Auth.Tokens; path != "" {
		tokens, err := auth.LoadTokens(path)
		if err != nil {
			return nil, err
		}
		guard.Tokens = append([]auth.Token{}, tokens...)
	}
	return a.tel.Wrap(guard.Wrap(a.mux)), nil
}

// openPath names what needs no token: liveness, and the page's own files,
// which hold no data.
func openPath(path string) bool {
	return path == "/healthz" || path != "/metrics" && !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/openapi/")
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
