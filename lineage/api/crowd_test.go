package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/lineage/api"
	"github.com/tributary-data/tributary/schemas/event"
)

// stuck is a client that does not read: no write of an answer ends until it
// is let go.
type stuck struct {
	*httptest.ResponseRecorder

	begun chan<- int
	let   <-chan struct{}
}

func (s *stuck) Write(p []byte) (int, error) {
	if s.Code == http.StatusOK {
		s.begun <- len(p)
		<-s.let
	}
	return len(p), nil
}

// However many clients do not read their answers, what the server holds for
// them is bounded, and a small question is answered all the while.
func TestClientsThatDoNotRead(t *testing.T) {
	s := startWithin(t, api.Limits{Deadline: time.Hour}) // nobody is sent away for being late
	const fan = 5000
	d := event.TaskDefined{Task: event.Task{ID: "fan"}, Inputs: []event.Input{{Ref: event.Ref{Namespace: "m", Name: "hub"}}}}
	for i := range fan {
		d.Outputs = append(d.Outputs, event.Output{Ref: event.Ref{Namespace: "m", Name: fmt.Sprint("t", i)}})
	}
	s.task(d)
	const clients, most = 90, 128 << 20
	begun, let := make(chan int, clients), make(chan struct{})
	ask := func(w http.ResponseWriter, path string, params ...string) {
		q := url.Values{}
		for i := 0; i < len(params); i += 2 {
			q.Set(params[i], params[i+1])
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path+"?"+q.Encode(), nil)
		s.http.Config.Handler.ServeHTTP(w, r)
	}
	hub := "dataset|m|hub"
	var all sync.WaitGroup
	var codes [clients]*httptest.ResponseRecorder
	held, largest, done := 0, 0, make(chan int, clients)
	for i := range clients {
		codes[i] = httptest.NewRecorder()
		all.Go(func() {
			ask(&stuck{codes[i], begun, let}, "/api/v1/graph", "node", hub)
			done <- i
		})
	}
	for waiting := clients; waiting > 0; waiting-- {
		select {
		case n := <-begun:
			held, largest = held+n, max(largest, n)
		case i := <-done:
			require.Equal(t, http.StatusTooManyRequests, codes[i].Code)
			require.Equal(t, "1", codes[i].Header().Get("Retry-After"))
		}
	}
	require.LessOrEqual(t, held, most)
	require.Greater(t, held, most-largest, "as many as may be wait")
	small := httptest.NewRecorder()
	ask(small, "/api/v1/search", "q", "hub")
	require.Equal(t, http.StatusOK, small.Code)
	close(let)
	all.Wait()
	again := httptest.NewRecorder()
	ask(again, "/api/v1/graph", "node", hub)
	require.Equal(t, http.StatusOK, again.Code)
}
