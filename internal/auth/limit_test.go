package auth_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/auth"
)

// TestATokenIsBounded lets one token use up what it may have, and another one
// be answered meanwhile.
func TestATokenIsBounded(t *testing.T) {
	ann, annEntry, err := auth.NewToken("ann", "read", noon.Add(time.Hour))
	require.NoError(t, err)
	bob, bobEntry, err := auth.NewToken("bob", "read", noon.Add(time.Hour))
	require.NoError(t, err)
	entered, leave := make(chan struct{}), make(chan struct{})
	h := auth.Guard{
		Tokens: func() []auth.Token { return []auth.Token{annEntry, bobEntry} },
		Open:   func(p string) bool { return p == "/healthz" },
		Needed: func(*http.Request) auth.Scope { return auth.ScopeRead },
		Now:    func() time.Time { return noon },
		Limits: auth.Limits{Rate: 1e-6, Burst: 4, Concurrent: 2},
	}.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			entered <- struct{}{}
			<-leave
		}
	}))
	left := make(chan struct{})
	for range 2 {
		go func() {
			ask(h, "GET", "/slow", "x", ann, "")
			left <- struct{}{}
		}()
		<-entered
	}
	refused := ask(h, "GET", "/api", "x", ann, "")
	require.Equal(t, http.StatusTooManyRequests, refused.Code, "as many as may be are under way")
	require.Equal(t, "1", refused.Header().Get("Retry-After"))
	require.Equal(t, 200, ask(h, "GET", "/api", "x", bob, "").Code)
	require.Equal(t, 200, ask(h, "GET", "/healthz", "x", "", "").Code)
	close(leave)
	<-left
	<-left
	require.Equal(t, 200, ask(h, "GET", "/api", "x", ann, "").Code)
	require.Equal(t, 200, ask(h, "GET", "/api", "x", ann, "").Code)
	require.Equal(t, http.StatusTooManyRequests, ask(h, "GET", "/api", "x", ann, "").Code, "the burst is used up")
	require.Equal(t, 200, ask(h, "GET", "/api", "x", bob, "").Code)
}

// A server is alive though all that its one caller may have is under way.
func TestLivenessIsNotCounted(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	h := auth.Guard{
		Open:   func(p string) bool { return p == "/healthz" },
		Limits: auth.Limits{Concurrent: 1},
	}.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			entered <- struct{}{}
			<-leave
		}
	}))
	left := make(chan struct{})
	go func() {
		defer close(left)
		ask(h, "GET", "/slow", "localhost", "", "")
	}()
	<-entered
	require.Equal(t, http.StatusTooManyRequests, ask(h, "GET", "/api", "localhost", "", "").Code)
	require.Equal(t, 200, ask(h, "GET", "/healthz", "localhost", "", "").Code)
	close(leave)
	<-left
}

func TestNamespacesOfAToken(t *testing.T) {
	all := auth.Identity{}
	require.True(t, all.MayWrite("x"))
	require.True(t, all.MaySee(""))
	some := auth.Identity{Writes: []string{"shop", "ann-*"}, Sees: []string{"*"}}
	for namespace, may := range map[string]bool{"shop": true, "ann-": true, "ann-1": true, "shop2": false, "Shop": false, "": false, "sho": false, "xann-1": false} {
		require.Equal(t, may, some.MayWrite(namespace), namespace)
		require.True(t, some.MaySee(namespace))
	}
}
