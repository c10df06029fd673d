package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/api/eventsapi"
)

// result is what became of one event.
type result struct {
	index    int
	id       string
	status   eventsapi.EventResultStatus
	position log.Position
	code     string
	message  string
}

// refuse notes that the event is at fault.
func (r *result) refuse(err error) {
	r.status, r.code, r.message = eventsapi.EventResultStatusRefused, codeOf(err), err.Error()
}

// settle notes what the log made of it.
func (r *result) settle(p log.Position, err error) {
	var tooLarge *log.TooLargeError
	switch {
	case err == nil:
		r.status, r.position = eventsapi.EventResultStatusAccepted, p
	case errors.As(err, &tooLarge):
		r.refuse(&refusal{"EventTooLarge", err.Error()})
	default:
		r.status, r.code = eventsapi.EventResultStatusFailed, "LogUnavailable"
		r.message = "the log did not confirm the event; send it again: " + err.Error()
	}
}

// reject notes that the event is in the log, and that the fold rejected it.
func (r *result) reject(o Outcome) {
	r.status, r.code, r.message = eventsapi.EventResultStatusRejected, o.Code, o.Message
}

// wire gives the result as the API answers it.
func (r *result) wire() eventsapi.EventResult {
	out := eventsapi.EventResult{
		Index: r.index, Id: r.id, Status: r.status, Code: r.code, Message: r.message,
		Retry: r.status == eventsapi.EventResultStatusFailed,
	}
	if r.inLog() {
		out.Topic, out.Partition, out.Offset = r.position.Topic, &r.position.Partition, &r.position.Offset
	}
	return out
}

func (r *result) inLog() bool {
	return r.status == eventsapi.EventResultStatusAccepted || r.status == eventsapi.EventResultStatusRejected
}

// tally counts results by status.
type tally struct{ accepted, refused, rejected, failed int }

func count(results []result) (t tally) {
	for i := range results {
		switch results[i].status {
		case eventsapi.EventResultStatusAccepted:
			t.accepted++
		case eventsapi.EventResultStatusRejected:
			t.rejected++
		case eventsapi.EventResultStatusFailed:
			t.failed++
		default:
			t.refused++
		}
	}
	return t
}

// status gives the answer's status code.
func (t tally) status(late bool) int {
	switch bad := t.refused + t.rejected + t.failed; {
	case late:
		return http.StatusGatewayTimeout
	case bad == 0:
		return http.StatusOK
	case t.accepted > 0:
		return http.StatusMultiStatus
	case t.failed > 0:
		return http.StatusServiceUnavailable
	case t.rejected > 0:
		return http.StatusConflict
	}
	return http.StatusBadRequest
}

// writeAnswer answers with what became of each event.
func writeAnswer(w http.ResponseWriter, results []result, late, refusedOnly bool) {
	t := count(results)
	answer := eventsapi.EventsAnswer{
		Accepted: t.accepted, Refused: len(results) - t.accepted,
		Results: make([]eventsapi.EventResult, 0, len(results)),
	}
	var first *result
	for i := range results {
		r := &results[i]
		if r.status != eventsapi.EventResultStatusAccepted && first == nil {
			first = r
		}
		if !refusedOnly || r.status != eventsapi.EventResultStatusAccepted {
			answer.Results = append(answer.Results, r.wire())
		}
	}
	status := t.status(late)
	switch {
	case late:
		answer.Code, answer.Message = "NotYetApplied", "the events are in the log, but were not applied in time; sending them again is harmless"
	case t.accepted == 0 && first != nil:
		answer.Code, answer.Message = first.code, first.message
		if len(results) > 1 {
			answer.Message = fmt.Sprintf("none of %d events was accepted; the first: %s", len(results), first.message)
		}
		if status == http.StatusBadRequest && first.code == "EventTooLarge" && len(results) == 1 {
			status = http.StatusRequestEntityTooLarge
		}
	}
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retryAfter)
	}
	writeJSON(w, status, answer)
}

// retryAfter is how many seconds a sender should stay away.
const retryAfter = "1"

// writeFault answers a request that is refused as a whole.
func writeFault(w http.ResponseWriter, f *fault) {
	if f.retry {
		w.Header().Set("Retry-After", retryAfter)
	}
	writeJSON(w, f.status, eventsapi.EventsAnswer{Code: f.code, Message: f.message, Results: []eventsapi.EventResult{}})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// The sender may be gone; there is no one left to tell.
	_ = json.NewEncoder(w).Encode(v) //nolint:errchkjson // the API's own types
}
