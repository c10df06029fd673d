package ingest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tributary-data/tributary/internal/auth"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/event"
)

// refusal is why one event is not taken.
type refusal struct{ code, message string }

func (r *refusal) Error() string { return r.message }

// codeOf gives the code of an event's refusal.
func codeOf(err error) string {
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.code
	}
	return event.Code(err)
}

// judge checks an event and makes its record. It is the only place where an
// event's data is decoded on its way into the log.
func (h *Handler) judge(id auth.Identity, env *event.Envelope) (log.Record, error) {
	entry, err := event.Lookup(env.Type)
	if err != nil {
		return log.Record{}, err
	}
	if len(env.Data) > h.cfg.MaxEvent {
		return log.Record{}, &refusal{"EventTooLarge", fmt.Sprintf("the data has %d bytes, %d are allowed", len(env.Data), h.cfg.MaxEvent)}
	}
	if err := sign(id, entry, env); err != nil {
		return log.Record{}, err
	}
	if err := h.schemas.ValidateChecked(env.Type, env.Data); err != nil {
		return log.Record{}, err
	}
	ev, err := env.Conceal()
	if err != nil {
		return log.Record{}, err
	}
	if err := errors.Join(permit(id, ev), checkKey(len(ev.Key)), checkBranch(ev.Data)); err != nil {
		return log.Record{}, err
	}
	if env.Time.IsZero() {
		env.Time = h.now().UTC()
	}
	return record(env.Record(entry.Topic, ev.Key)), nil
}

// sign makes sure that an event says of its sender what the server knows.
// Only an administrator (a role of the pipeline is one) may speak for others,
// or send what the parser writes.
func sign(id auth.Identity, entry event.Entry, env *event.Envelope) error {
	admin := id.Scope >= auth.ScopeAdmin
	if entry.Topic == event.TopicLineage && !admin {
		return &refusal{"Forbidden", env.Type + " is written by the parser; send task.defined with SQL or declared lineage, or edge.added"}
	}
	var member string
	switch {
	case entry.Topic == event.TopicCatalog:
		member = "actor"
	case strings.HasPrefix(env.Type, "tributary.edge."), env.Type == event.TypeSourceMerged, env.Type == event.TypeSourceUnmerged:
		member = "who"
	default:
		return nil
	}
	if id.Name == "" || admin && event.HasMember(env.Data, member) {
		return nil
	}
	data, err := event.WithMember(env.Data, member, id.Name)
	if err != nil {
		return err
	}
	env.Data = data
	return nil
}

// record puts an event's record into the log's own type.
func record(r event.Record) log.Record {
	headers := make([]log.Header, len(r.Headers))
	for i, h := range r.Headers {
		headers[i] = log.Header(h)
	}
	return log.Record{Topic: r.Topic, Key: r.Key, Value: r.Value, Headers: headers}
}
