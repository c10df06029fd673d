package ingest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
)

// budget counts the bytes of all bodies that are being worked on.
type budget struct {
	used  atomic.Int64
	limit int64
}

// take reserves n bytes, or none and false.
func (b *budget) take(n int64) bool {
	if b.used.Add(n) > b.limit {
		b.used.Add(-n)
		return false
	}
	return true
}

func (b *budget) give(n int64) { b.used.Add(-n) }

// fault is why a request as a whole is refused.
type fault struct {
	status  int
	code    string
	message string
	// retry asks the sender to come again after a while.
	retry bool
}

func (f *fault) Error() string { return f.code + ": " + f.message }

func overloaded(message string) *fault {
	return &fault{status: http.StatusServiceUnavailable, code: "Overloaded", message: message, retry: true}
}

// firstRead is how much room a body gets before anything of it is there. A
// declared length takes no more: room is for bytes that have come, so that
// nobody keeps others out by announcing much and sending nothing.
const firstRead = 32 << 10

// readBody reads and decompresses a body, within the bounds for one and for
// all requests. release gives its room back; it is never nil.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) (body []byte, release func(), f *fault) {
	release = func() {}
	tooLarge := &fault{
		status: http.StatusRequestEntityTooLarge, code: "BodyTooLarge",
		message: fmt.Sprintf("the body has more than %d bytes (decompressed); send smaller batches", h.cfg.MaxBody),
	}
	if r.ContentLength > int64(h.cfg.MaxBody) {
		return nil, release, tooLarge
	}
	var src io.Reader = http.MaxBytesReader(w, r.Body, int64(h.cfg.MaxBody))
	switch encoding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))); encoding {
	case "", "identity":
	case "gzip", "x-gzip":
		unzipped, err := gzip.NewReader(src)
		if err != nil {
			return nil, release, readFault(err, tooLarge)
		}
		src = unzipped
	default:
		return nil, release, &fault{
			status: http.StatusUnsupportedMediaType, code: "UnsupportedEncoding",
			message: fmt.Sprintf("Content-Encoding %q is not taken; send plain or gzip", encoding),
		}
	}
	return h.readAll(src, r.ContentLength, tooLarge)
}

// readAll reads src to its end into a buffer that grows within the budget.
// declared is the length that the sender told, -1 for none.
func (h *Handler) readAll(src io.Reader, declared int64, tooLarge *fault) (body []byte, release func(), f *fault) {
	room, taken := int64(firstRead), int64(0)
	release = func() { h.budget.give(taken) }
	for {
		if !h.budget.take(room - taken) {
			release()
			return nil, func() {}, overloaded("too many bytes are being worked on; send again later")
		}
		taken = room
		body = append(make([]byte, 0, room), body...)
		for len(body) < cap(body) {
			n, err := src.Read(body[len(body):cap(body)])
			body = body[:len(body)+n]
			if len(body) > h.cfg.MaxBody {
				release()
				return nil, func() {}, tooLarge
			}
			if errors.Is(err, io.EOF) {
				return body, release, nil
			}
			if err != nil {
				release()
				return nil, func() {}, readFault(err, tooLarge)
			}
		}
		room = min(2*room, int64(h.cfg.MaxBody)+1)
		if declared >= taken {
			room = min(room, declared+1) // one more, to see the end without growing
		}
	}
}

// readFault says what went wrong while a body was read.
func readFault(err error, tooLarge *fault) *fault {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge
	}
	return &fault{status: http.StatusBadRequest, code: "UnreadableBody", message: "reading the body: " + err.Error()}
}
