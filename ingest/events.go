package ingest

import (
	"context"
	"errors"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/tributary-data/tributary/internal/auth"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/api/eventsapi"
)

const (
	defaultWait = 10 * time.Second
	maxWait     = time.Minute
)

// PostEvents answers POST /api/v1/events.
func (h *Handler) PostEvents(w http.ResponseWriter, r *http.Request, params eventsapi.PostEventsParams) {
	wait, f := h.waitTime(params)
	if f != nil {
		writeFault(w, f)
		return
	}
	body, release, f := h.readBody(w, r)
	defer release()
	if f != nil {
		writeFault(w, f)
		return
	}
	items, f := h.split(r, body)
	if f != nil {
		writeFault(w, f)
		return
	}
	results := h.take(r.Context(), items)
	late := false
	if wait > 0 {
		late = h.wait(r.Context(), wait, results)
	}
	writeAnswer(w, results, late, params.Results == eventsapi.PostEventsParamsResultsRefused)
}

// waitTime reads how long the sender wants to wait; 0 for not at all.
func (h *Handler) waitTime(params eventsapi.PostEventsParams) (time.Duration, *fault) {
	invalid := func(message string) (time.Duration, *fault) {
		return 0, &fault{status: http.StatusBadRequest, code: "InvalidParameter", message: message}
	}
	switch params.Results {
	case "", eventsapi.PostEventsParamsResultsAll, eventsapi.PostEventsParamsResultsRefused:
	default:
		return invalid("results is all or refused")
	}
	switch params.Wait {
	case "":
		return 0, nil
	case eventsapi.Applied:
	default:
		return invalid("the one thing to wait for is wait=applied")
	}
	if h.waiter == nil {
		return 0, &fault{
			status: http.StatusNotImplemented, code: "WaitUnsupported",
			message: "this process folds no log, so it cannot wait; ask a process with the query role, or leave wait out",
		}
	}
	if params.Timeout == "" {
		return defaultWait, nil
	}
	d, err := time.ParseDuration(params.Timeout)
	if err != nil || d <= 0 || d > maxWait {
		return invalid("timeout is a duration of at most 1m, such as 500ms or 10s")
	}
	return d, nil
}

// take judges events and appends those that are right. It returns a result
// for each, in order.
func (h *Handler) take(ctx context.Context, items []item) []result {
	id := auth.IdentityFrom(ctx)
	results := make([]result, len(items))
	recs := make([]log.Record, 0, len(items))
	places := make([]int, 0, len(items))
	for i, it := range items {
		results[i].index = it.index
		if it.envelope != nil {
			results[i].id = it.envelope.ID
		}
		if it.err != nil {
			results[i].refuse(it.err)
			continue
		}
		rec, err := h.judge(id, it.envelope)
		if err != nil {
			results[i].refuse(err)
			continue
		}
		recs = append(recs, rec)
		places = append(places, i)
	}
	h.append(ctx, recs, func(i int, p log.Position, err error) { results[places[i]].settle(p, err) })
	h.count(ctx, results)
	return results
}

// append writes records and tells what became of each.
func (h *Handler) append(ctx context.Context, recs []log.Record, settle func(i int, p log.Position, err error)) {
	if len(recs) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, h.cfg.AppendTimeout)
	defer cancel()
	positions, err := h.log.Append(ctx, recs)
	var some *log.AppendError
	if err != nil && !errors.As(err, &some) {
		h.logger.WarnContext(ctx, "appending events to the log", "events", len(recs), "error", err)
	}
	for i := range recs {
		switch {
		case some != nil && some.Records[i] != nil:
			settle(i, log.Position{}, some.Records[i])
		case some == nil && err != nil:
			settle(i, log.Position{}, err)
		default:
			settle(i, positions[i], nil)
		}
	}
}

// wait waits for the fold of what was appended and notes its outcomes. late
// says that the time was up first.
func (h *Handler) wait(ctx context.Context, d time.Duration, results []result) (late bool) {
	var positions []log.Position
	var places []int
	for i := range results {
		if results[i].status == eventsapi.EventResultStatusAccepted {
			positions = append(positions, results[i].position)
			places = append(places, i)
		}
	}
	if len(positions) == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	outcomes, err := h.waiter.WaitApplied(ctx, positions)
	if err != nil {
		return true
	}
	for i, o := range outcomes {
		if o.Code != "" {
			results[places[i]].reject(o)
		}
	}
	return false
}

// count counts events by what became of them.
func (h *Handler) count(ctx context.Context, results []result) {
	type group struct {
		status eventsapi.EventResultStatus
		code   string
	}
	counts := map[group]int64{}
	for i := range results {
		counts[group{results[i].status, results[i].code}]++
	}
	for g, n := range counts {
		h.events.Add(ctx, n, metric.WithAttributes(attribute.String("status", string(g.status)), attribute.String("code", g.code)))
	}
}
