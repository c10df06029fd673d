package auth_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/tributary-data/tributary/internal/auth"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func guard(tokens []auth.Token) http.Handler {
	g := auth.Guard{
		Open: func(p string) bool { return p == "/healthz" },
		Needed: func(r *http.Request) auth.Scope {
			if r.Method == http.MethodGet {
				return auth.ScopeRead
			}
			return auth.ScopeWrite
		},
		Now: func() time.Time { return noon },
	}
	if tokens != nil {
		g.Tokens = func() []auth.Token { return tokens }
	}
	return g.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(auth.IdentityFrom(r.Context()).Name))
	}))
}

func ask(h http.Handler, method, path, host, token, origin string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, http.NoBody)
	r.Host = host
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestTokens(t *testing.T) {
	reader, readEntry, err := auth.NewToken("reader", "read", noon.Add(time.Hour))
	require.NoError(t, err)
	old, oldEntry, err := auth.NewToken("old", "admin", noon)
	require.NoError(t, err)
	raw, err := yaml.Marshal([]auth.Token{readEntry, oldEntry})
	require.NoError(t, err)
	require.NotContains(t, string(raw), reader)
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	require.NoError(t, os.WriteFile(path, raw, 0o600))
	tokens, err := auth.LoadTokens(path)
	require.NoError(t, err)

	h := guard(tokens)
	for name, c := range map[string]struct {
		method, path, token, origin string
		status                      int
	}{
		"no token":             {"GET", "/api", "", "", 401},
		"wrong token":          {"GET", "/api", "trb_x", "", 401},
		"expired":              {"GET", "/api", old, "", 401},
		"read":                 {"GET", "/api", reader, "", 200},
		"write with read":      {"POST", "/api", reader, "", 403},
		"open path":            {"GET", "/healthz", "", "", 200},
		"open path, as prefix": {"GET", "/healthz/../api", "", "", 401},
		"foreign page":         {"POST", "/api", reader, "http://evil.example", 403},
	} {
		t.Run(name, func(t *testing.T) {
			w := ask(h, c.method, c.path, "tributary.example", c.token, c.origin)
			require.Equal(t, c.status, w.Code, w.Body.String())
		})
	}
	require.Equal(t, "reader", ask(h, "GET", "/api", "tributary.example", reader, "").Body.String())
}

func TestWithoutTokensOnlyLoopbackNamesAreAnswered(t *testing.T) {
	h := guard(nil)
	for host, status := range map[string]int{
		"127.0.0.1:7070": 200, "localhost:7070": 200, "[::1]:7070": 200, "evil.example": 421, "127.0.0.1.evil.example:7070": 421,
	} {
		require.Equal(t, status, ask(h, "GET", "/api", host, "", "").Code, host)
	}
	require.Equal(t, 403, ask(h, "POST", "/api", "127.0.0.1:7070", "", "http://evil.example").Code)
	require.Equal(t, 200, ask(h, "POST", "/api", "127.0.0.1:7070", "", "http://127.0.0.1:7070").Code)
}

func TestBadTokenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.yaml")
	require.NoError(t, os.WriteFile(path, []byte("- {name: a, sha256: xx, scope: all}\n"), 0o600))
	_, err := auth.LoadTokens(path)
	require.ErrorContains(t, err, "scope")
	require.ErrorContains(t, err, "sha256")
	require.ErrorContains(t, err, "expires")
}
