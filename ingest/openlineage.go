package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/tributary-data/tributary/ingest/openlineage"
	"github.com/tributary-data/tributary/internal/auth"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/api/eventsapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// PostOpenLineage answers POST /api/v1/lineage.
func (h *Handler) PostOpenLineage(w http.ResponseWriter, r *http.Request) {
	h.takeOpenLineage(w, r, h.answerOpenLineage)
}

// PostOpenLineageBatch answers POST /api/v1/lineage/batch.
func (h *Handler) PostOpenLineageBatch(w http.ResponseWriter, r *http.Request) {
	h.takeOpenLineage(w, r, func(w http.ResponseWriter, told []converted, _ bool) {
		if len(failuresOf(told)) == 0 {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answerBatch(w, told)
	})
}

// converted is an OpenLineage event, as results of the events made from it.
type converted struct {
	results []result
}

// failure gives the first result that is not in the log, nil if all are.
func (c *converted) failure() *result {
	for i := range c.results {
		if !c.results[i].inLog() {
			return &c.results[i]
		}
	}
	return nil
}

func failuresOf(told []converted) (failed []int) {
	for i := range told {
		if told[i].failure() != nil {
			failed = append(failed, i)
		}
	}
	return failed
}

// takeOpenLineage reads, converts and appends the events of a request, and
// answers with what became of each; single says that it was not a list.
func (h *Handler) takeOpenLineage(w http.ResponseWriter, r *http.Request, answer func(w http.ResponseWriter, told []converted, single bool)) {
	if f := checkJSONType(r.Header.Get("Content-Type")); f != nil {
		writeError(w, f)
		return
	}
	body, release, f := h.readBody(w, r)
	defer release()
	if f == nil {
		f = emptyBody(body)
	}
	if f != nil {
		writeError(w, f)
		return
	}
	if err := event.CheckJSON(body); err != nil {
		writeError(w, malformed(err))
		return
	}
	raws, single, f := h.listOf(body)
	if f != nil {
		writeError(w, f)
		return
	}
	answer(w, h.convertAll(r.Context(), raws), single)
}

// checkJSONType takes any JSON type, and none at all, as clients differ.
func checkJSONType(contentType string) *fault {
	media, _, err := mime.ParseMediaType(contentType)
	if contentType == "" || err == nil && (media == event.ContentTypeJSON || strings.HasSuffix(media, "+json")) {
		return nil
	}
	return &fault{
		status: http.StatusUnsupportedMediaType, code: "UnsupportedContentType",
		message: fmt.Sprintf("Content-Type %q is not taken; send application/json", contentType),
	}
}

// listOf takes a list of events apart: a JSON array, or an object with a
// member events. Anything else is one event.
func (h *Handler) listOf(body []byte) (raws [][]byte, single bool, f *fault) {
	list := body
	if bytes.TrimLeft(body, " \t\r\n")[0] != '[' {
		var wrapped struct {
			Events  json.RawMessage `json:"events"`
			Run     json.RawMessage `json:"run"`
			Job     json.RawMessage `json:"job"`
			Dataset json.RawMessage `json:"dataset"`
		}
		if err := json.Unmarshal(body, &wrapped); err != nil {
			return nil, true, malformed(fmt.Errorf("%w: an event is a JSON object", event.ErrMalformed))
		}
		if wrapped.Events == nil || wrapped.Run != nil || wrapped.Job != nil || wrapped.Dataset != nil {
			return [][]byte{body}, true, nil
		}
		list = wrapped.Events
	}
	err := event.Elements(list, func(element []byte) error {
		if len(raws) >= h.cfg.MaxBatch {
			return h.batchTooLarge()
		}
		raws = append(raws, element)
		return nil
	})
	if errors.As(err, &f) {
		return nil, false, f
	}
	if err != nil {
		return nil, false, malformed(err)
	}
	return raws, false, nil
}

// convertAll converts events and appends what they say, all at once.
func (h *Handler) convertAll(ctx context.Context, raws [][]byte) []converted {
	id := auth.IdentityFrom(ctx)
	told := make([]converted, len(raws))
	var recs []log.Record
	var places []*result
	for i, raw := range raws {
		made, err := h.recordsOf(id, raw)
		if err != nil {
			told[i].results = []result{{index: i}}
			told[i].results[0].refuse(err)
			continue
		}
		told[i].results = make([]result, len(made))
		for j := range made {
			told[i].results[j] = result{index: j, id: made[j].id}
			recs = append(recs, made[j].record)
			places = append(places, &told[i].results[j])
		}
	}
	h.append(ctx, recs, func(i int, p log.Position, err error) { places[i].settle(p, err) })
	for i := range told {
		h.count(ctx, told[i].results)
	}
	return told
}

// made is a record made from an OpenLineage event, with its event's id.
type made struct {
	id     string
	record log.Record
}

// recordsOf converts one OpenLineage event of a sender into records.
func (h *Handler) recordsOf(id auth.Identity, raw []byte) ([]made, error) {
	events, err := openlineage.Convert(raw)
	if errors.Is(err, openlineage.ErrInvalid) {
		return nil, &refusal{"InvalidOpenLineage", err.Error()}
	}
	if err != nil {
		return nil, err
	}
	out := make([]made, 0, len(events))
	for _, ev := range events {
		if err := permit(id, ev); err != nil {
			if ev.Type == event.TypeTableDefined {
				continue // a job also tells what others' datasets look like, which is for those to say
			}
			return nil, err
		}
		if ev.Time.IsZero() {
			ev.Time = h.now().UTC()
		}
		event.ConcealData(ev.Data)
		rec, err := event.Encode(ev)
		if err == nil {
			err = checkKey(len(rec.Key))
		}
		if err != nil {
			return nil, err
		}
		if len(rec.Value) > h.cfg.MaxEvent {
			return nil, &refusal{"EventTooLarge", fmt.Sprintf("%s has %d bytes, %d are allowed", ev.Type, len(rec.Value), h.cfg.MaxEvent)}
		}
		out = append(out, made{ev.ID, record(rec)})
	}
	return out, nil
}

// answerOpenLineage answers 201 when everything is in the log. The codes are
// those that clients act on: they retry on 503 and give up on 4xx.
func (h *Handler) answerOpenLineage(w http.ResponseWriter, told []converted, single bool) {
	failed := failuresOf(told)
	if len(failed) > 0 && !single {
		answerBatch(w, told)
		return
	}
	if len(failed) > 0 {
		writeError(w, faultOf(told[failed[0]].failure()))
		return
	}
	answer := eventsapi.OpenLineageAnswer{Events: []eventsapi.EventResult{}}
	for i := range told {
		for j := range told[i].results {
			answer.Events = append(answer.Events, told[i].results[j].wire())
		}
	}
	writeJSON(w, http.StatusCreated, answer)
}

// faultOf turns the failure of a single event into the request's.
func faultOf(r *result) *fault {
	f := &fault{status: http.StatusBadRequest, code: r.code, message: r.message}
	switch {
	case r.status == eventsapi.EventResultStatusFailed:
		f.status, f.retry = http.StatusServiceUnavailable, true
	case r.code == "EventTooLarge":
		f.status = http.StatusRequestEntityTooLarge
	}
	return f
}

// answerBatch answers a list of which some events failed.
func answerBatch(w http.ResponseWriter, told []converted) {
	failed := failuresOf(told)
	if len(failed) == len(told) {
		f := faultOf(told[failed[0]].failure())
		f.message = fmt.Sprintf("none of %d events was taken; the first: %s", len(told), f.message)
		writeError(w, f)
		return
	}
	answer := eventsapi.OpenLineageBatchAnswer{Status: eventsapi.PartialSuccess}
	answer.Summary.Received, answer.Summary.Failed = len(told), len(failed)
	answer.Summary.Successful = len(told) - len(failed)
	for _, i := range failed {
		r := told[i].failure()
		retriable := r.status == eventsapi.EventResultStatusFailed
		if retriable {
			answer.Summary.Retriable++
		} else {
			answer.Summary.NonRetriable++
		}
		answer.FailedEvents = append(answer.FailedEvents, struct {
			Index     int    `json:"index"`
			Reason    string `json:"reason"`
			Retriable bool   `json:"retriable"`
		}{i, r.code + ": " + r.message, retriable})
	}
	writeJSON(w, http.StatusOK, answer)
}

// writeError answers an OpenLineage client whose request failed.
func writeError(w http.ResponseWriter, f *fault) {
	if f.retry {
		w.Header().Set("Retry-After", retryAfter)
	}
	writeJSON(w, f.status, eventsapi.Error{Code: f.code, Message: f.message})
}
