package app

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/auth"
)

func TestWhatNeedsWhat(t *testing.T) {
	for _, c := range []struct {
		method, target string
		open           bool
		scope          auth.Scope
	}{
		{"GET", "/", true, auth.ScopeRead},
		{"GET", "/healthz", true, auth.ScopeRead},
		{"GET", "/metrics", false, auth.ScopeRead},
		{"GET", "/%6detrics", false, auth.ScopeRead},
		{"GET", "/api/v1/graph", false, auth.ScopeRead},
		{"GET", "/%61pi/v1/graph", false, auth.ScopeRead},
		{"GET", "/api%2fv1%2fgraph", false, auth.ScopeRead},
		{"POST", "/api/v1/sql", false, auth.ScopeRead},
		{"POST", "/api/v1/sql/", false, auth.ScopeWrite},
		{"POST", "/api/v1/events", false, auth.ScopeWrite},
		{"POST", "/openapi/openlineage/api/v1/lineage", false, auth.ScopeWrite},
		{"DELETE", "/api/v1/edges", false, auth.ScopeWrite},
		{"GET", "/api/v1/deadletters", false, auth.ScopeAdmin},
		{"GET", "/api/v1/%64eadletters", false, auth.ScopeAdmin},
	} {
		r := httptest.NewRequest(c.method, c.target, http.NoBody)
		require.Equal(t, c.open, openPath(r.URL.Path), c.target)
		require.Equal(t, c.scope, neededScope(r), c.target)
	}
}

// TestSpacesAreHiddenByTheRoutersPath asks for the space that the router
// finds in a path, however the path is written.
func TestSpacesAreHiddenByTheRoutersPath(t *testing.T) {
	team := auth.Identity{Name: "ann", Scope: auth.ScopeWrite, Writes: []string{"mine"}, Sees: []string{"mine", "shared"}}
	mux := http.NewServeMux()
	space := ""
	mux.HandleFunc("/api/v1/spaces/{space}/{what}", func(_ http.ResponseWriter, r *http.Request) { space = r.PathValue("space") })
	for _, c := range []struct {
		method, target, space string
		hidden                bool
	}{
		{"GET", "/api/v1/spaces/mine/view", "mine", false},
		{"POST", "/api/v1/spaces/mine/view", "mine", false},
		{"GET", "/api/v1/spaces/shared/view", "shared", false},
		{"POST", "/api/v1/spaces/shared/view", "shared", true},
		{"GET", "/api/v1/spaces/other/view", "other", true},
		{"GET", "/api/v1/spaces/mine%2fx/view", "mine/x", true},
		{"GET", "/api/v1/spaces/%6dine/view", "mine", false},
		{"GET", "/api/v1/spaces/%6fther/view", "other", true},
		{"GET", "/api/v1/sp%61ces/other/view", "other", true},
		{"GET", "/api/v1/sp%61ces/mine/view", "mine", true}, // nobody has to write it so
	} {
		r := httptest.NewRequest(c.method, c.target, http.NoBody)
		space = ""
		mux.ServeHTTP(httptest.NewRecorder(), r)
		require.Equal(t, c.space, space, c.target)
		require.Equal(t, c.hidden, hiddenSpace(r, team), c.target)
		require.False(t, hiddenSpace(r, auth.Identity{Name: "root", Scope: auth.ScopeAdmin}), c.target)
	}
}
