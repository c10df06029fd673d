package api

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync"
)

// Bounds of what all requests together may hold. An answer takes some ten times
// its size while it is made, and its size until its caller has taken it.
const (
	// makersPerCPU is how many answers are made at once for each processor;
	// more would only share it.
	makersPerCPU = 2
	// heldLeast is the size in bytes from which an answer counts, heldMost what
	// the answers of one caller that count may have together.
	heldLeast = 64 << 10
	heldMost  = 128 << 20
)

// crowd is what requests share.
type crowd struct {
	making chan struct{}
	mu     sync.Mutex
	held   map[string]int
}

func newCrowd() *crowd {
	return &crowd{making: make(chan struct{}, makersPerCPU*max(2, runtime.GOMAXPROCS(0))), held: map[string]int{}}
}

// hold counts bytes that a caller has not taken yet; false if they are too
// many.
func (c *crowd) hold(caller string, n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held[caller] > 0 && c.held[caller]+n > heldMost {
		return false
	}
	c.held[caller] += n
	return true
}

func (c *crowd) release(caller string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held[caller] -= n; c.held[caller] == 0 {
		delete(c.held, caller)
	}
}

// turn is one request's place among those whose answers are made. It belongs
// to the request's goroutine.
type turn struct {
	crowd *crowd
	mine  bool
}

type turnKey struct{}

// takeTurn waits until the request's answer may be made; ctx ends with the
// answer's deadline. Waiting for others (a position, say) comes before it.
func takeTurn(ctx context.Context) error {
	t, ok := ctx.Value(turnKey{}).(*turn)
	if !ok || t.mine {
		return nil
	}
	select {
	case t.crowd.making <- struct{}{}:
		t.mine = true
		return nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return refuse(http.StatusServiceUnavailable, "Busy", "too many answers are being made; ask again later")
		}
		return context.Cause(ctx)
	}
}

// leaveTurn gives the place back, to wait or to send the answer.
func leaveTurn(ctx context.Context) {
	if t, ok := ctx.Value(turnKey{}).(*turn); ok && t.mine {
		t.mine = false
		<-t.crowd.making
	}
}

// takingTurns keeps what all requests of next hold within bounds, however
// slowly their callers read.
func (a *API) takingTurns(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), turnKey{}, &turn{crowd: a.crowd})
		defer leaveTurn(ctx)
		next.ServeHTTP(&turnWriter{ResponseWriter: w, ctx: ctx, crowd: a.crowd, caller: a.Caller(ctx).Name}, r.WithContext(ctx))
	})
}

// turnWriter sends an answer that is made.
type turnWriter struct {
	http.ResponseWriter

	ctx    context.Context //nolint:containedctx // that of the request whose answer it is
	crowd  *crowd
	caller string
	status int
}

// Unwrap lets http.ResponseController find the connection.
func (w *turnWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader waits for the first bytes, which may be too many.
func (w *turnWriter) WriteHeader(status int) { w.status = status }

// Write sends bytes while they are counted.
func (w *turnWriter) Write(p []byte) (int, error) {
	leaveTurn(w.ctx)
	if len(p) >= heldLeast {
		if !w.crowd.hold(w.caller, len(p)) {
			w.refuse()
			return len(p), nil
		}
		defer w.crowd.release(w.caller, len(p))
	}
	if w.status != 0 {
		w.ResponseWriter.WriteHeader(w.status)
		w.status = 0
	}
	return w.ResponseWriter.Write(p)
}

func (w *turnWriter) refuse() {
	w.status = 0
	write(w.ResponseWriter, refuse(http.StatusTooManyRequests, "TooManyRequests", "this caller has not read its other answers yet; read them, or ask for smaller pages"))
}
