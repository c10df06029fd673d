// Package ingest takes events over HTTP, as CloudEvents and as OpenLineage,
// checks each one, and appends them to the log. It answers success only when
// the log has an event durably.
package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/api/eventsapi"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/jsonschema"
)

// Appender is the log. Append returns when the records are durable, with a
// position for each in the order given; records of one call with the same key
// keep their order. Errors are those of log.Client.Append.
type Appender interface {
	Append(ctx context.Context, recs []log.Record) ([]log.Position, error)
}

// Waiter waits for the folds of the log.
type Waiter interface {
	// WaitApplied returns when every position has been folded, with what the
	// fold made of each, in the order given; or when ctx ends, with its error.
	WaitApplied(ctx context.Context, positions []log.Position) ([]Outcome, error)
}

// Outcome is what a fold made of an event. Code and Message are empty unless
// it was rejected.
type Outcome struct {
	Code    string
	Message string
}

// Config bounds what one request may ask for. Zero values mean the defaults.
type Config struct {
	// MaxBody bounds a request's body in bytes, before and after it is
	// decompressed; 32 MiB.
	MaxBody int
	// MaxEvent bounds one event's data in bytes; 8 MiB.
	MaxEvent int
	// MaxBatch bounds the number of events in a request; 10,000.
	MaxBatch int
	// MaxInFlight bounds the bytes of all bodies that are being worked on;
	// beyond it requests are turned away with 503. 128 MiB.
	MaxInFlight int
	// AppendTimeout bounds how long the log may take; 30 s.
	AppendTimeout time.Duration
}

func (c Config) withDefaults() Config {
	set := func(v *int, def int) {
		if *v <= 0 {
			*v = def
		}
	}
	set(&c.MaxBody, 32<<20)
	set(&c.MaxEvent, 8<<20)
	set(&c.MaxBatch, 10_000)
	set(&c.MaxInFlight, 128<<20)
	if c.AppendTimeout <= 0 {
		c.AppendTimeout = 30 * time.Second
	}
	return c
}

// Options are what a Handler works with. Log is required.
type Options struct {
	Config Config
	Log    Appender
	// Waiter answers ?wait=applied; nil where no fold can be waited for.
	Waiter Waiter
	// Logger is told of failures of the log; nil for none.
	Logger *slog.Logger
	// Meter counts events; nil for none.
	Meter metric.Meter
	// Now is the time given to events that name none; nil for the real clock.
	Now func() time.Time
}

// Handler answers the events API and OpenLineage clients.
type Handler struct {
	cfg     Config
	log     Appender
	waiter  Waiter
	logger  *slog.Logger
	now     func() time.Time
	schemas *jsonschema.Set
	budget  budget
	events  metric.Int64Counter
}

// New makes a handler.
func New(o Options) (*Handler, error) {
	if o.Log == nil {
		return nil, errors.New("ingest needs a log to append to")
	}
	set, err := jsonschema.New()
	if err != nil {
		return nil, fmt.Errorf("reading the schemas of events: %w", err)
	}
	h := &Handler{
		cfg: o.Config.withDefaults(), log: o.Log, waiter: o.Waiter,
		logger: o.Logger, now: o.Now, schemas: set,
	}
	h.budget.limit = int64(h.cfg.MaxInFlight)
	if h.logger == nil {
		h.logger = slog.New(slog.DiscardHandler)
	}
	if h.now == nil {
		h.now = time.Now
	}
	meter := o.Meter
	if meter == nil {
		meter = noop.Meter{}
	}
	h.events, err = meter.Int64Counter("tributary_ingest_events",
		metric.WithDescription("Events that were sent, by what became of them."))
	return h, err
}

// openLineageAliases are the paths of other servers that OpenLineage clients
// may be set up for.
func openLineageAliases() []string {
	return []string{"/api/lineage", "/openapi/openlineage/api/v1/lineage", "/api/v1/openlineage/lineage"}
}

// Register mounts the routes.
func (h *Handler) Register(mux *http.ServeMux) {
	eventsapi.HandlerWithOptions(h, eventsapi.StdHTTPServerOptions{
		BaseRouter: mux,
		ErrorHandlerFunc: func(w http.ResponseWriter, _ *http.Request, err error) {
			writeFault(w, &fault{status: http.StatusBadRequest, code: "InvalidParameter", message: err.Error()})
		},
	})
	for _, path := range openLineageAliases() {
		mux.HandleFunc("POST "+path, h.PostOpenLineage)
		mux.HandleFunc("POST "+path+"/batch", h.PostOpenLineageBatch)
	}
}

// ListEventTypes answers GET /api/v1/event-types.
func (h *Handler) ListEventTypes(w http.ResponseWriter, _ *http.Request) {
	types, err := describeTypes()
	if err != nil {
		writeFault(w, &fault{status: http.StatusInternalServerError, code: "Internal", message: err.Error()})
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"types": types})
}

func describeTypes() ([]eventsapi.EventType, error) {
	entries := event.Entries()
	out := make([]eventsapi.EventType, 0, len(entries))
	for _, e := range entries {
		doc, err := jsonschema.Document(e.Type)
		if err != nil {
			return nil, err
		}
		description, _ := doc["description"].(string)
		out = append(out, eventsapi.EventType{Type: e.Type, Topic: e.Topic, Description: description, Schema: doc})
	}
	return out, nil
}
