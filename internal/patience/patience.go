// Package patience gives the clients of an HTTP server a time in which to send
// and to take what they ask for, so that silent ones hold nothing for ever.
package patience

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// Body gives the client until d from now to send the request's body. Behind
// its last byte there is no deadline any more: what follows is the answer.
func Body(w http.ResponseWriter, r *http.Request, d time.Duration) error {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Now().Add(d)); err != nil {
		return err
	}
	r.Body = &body{r.Body, control}
	return nil
}

type body struct {
	io.ReadCloser
	control *http.ResponseController
}

// Read lifts the deadline at the end.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		if err := b.control.SetReadDeadline(time.Time{}); err != nil {
			return n, err
		}
	}
	return n, err
}

// Handler gives clients of next the time send for a whole body, and the time
// take for each piece of an answer. A client that takes longer loses its
// connection. It must be the outermost handler of a server.
func Handler(next http.Handler, send, take time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := Body(w, r, send); err != nil {
			http.Error(w, "the connection takes no deadline: "+err.Error(), http.StatusInternalServerError)
			return
		}
		next.ServeHTTP(&answer{w, http.NewResponseController(w), take}, r)
	})
}

// piece is how many bytes of an answer a client must take in its time.
const piece = 256 << 10

type answer struct {
	http.ResponseWriter
	control *http.ResponseController
	take    time.Duration
}

// Unwrap lets http.ResponseController find the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Write passes pieces on, each with its own deadline.
func (a *answer) Write(p []byte) (written int, err error) {
	for {
		if err := a.control.SetWriteDeadline(time.Now().Add(a.take)); err != nil {
			return written, err
		}
		n, err := a.ResponseWriter.Write(p[:min(len(p), piece)])
		written += n
		p = p[n:]
		if err != nil || len(p) == 0 {
			return written, err
		}
	}
}
