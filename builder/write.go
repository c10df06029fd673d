package builder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-data/tributary/fold/catalog"
	"github.com/tributary-data/tributary/internal/auth"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/api/catalogapi"
	"github.com/tributary-data/tributary/schemas/event"
)

const (
	maxBody     = 16 << 20
	waitApplied = 30 * time.Second
	maxKey      = 200
	mediaJSON   = "application/json"
)

// problem is an answer that is not a success.
type problem struct {
	status  int
	code    string
	message string
	details map[string]any
}

func (p *problem) Error() string { return p.message }

func refuse(w http.ResponseWriter, p *problem) {
	answer(w, p.status, catalogapi.Error{Code: p.code, Message: p.message, Details: p.details})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", mediaJSON)
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	// The client is gone if this fails, and there is no one to tell.
	_ = enc.Encode(v) //nolint:errchkjson // see above
}

// body reads a request's JSON into v.
func body(w http.ResponseWriter, r *http.Request, v any) *problem {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &problem{status: http.StatusRequestEntityTooLarge, code: "TooLarge", message: "the request has more than 16 MiB"}
	case err != nil:
		return &problem{status: http.StatusBadRequest, code: "InvalidRequest", message: "the request could not be read: " + err.Error()}
	case len(data) == 0:
		return nil
	}
	if err := json.Unmarshal(data, v); err != nil {
		return &problem{status: http.StatusBadRequest, code: "InvalidRequest", message: "the request is not the JSON that is wanted: " + err.Error()}
	}
	return nil
}

// write is one event that a request asks for.
type write struct {
	space, source, id, typ string
	data                   event.CatalogEvent
	wait                   bool
	// told adds to the answer what this kind of event made.
	told func(*catalogapi.Written, *catalog.Space)
}

// writing reads the request of an operation and appends its event. Make is called with the key that ids
// are made from, so that a request sent again asks for the same.
func writing[W ~string, D any, P interface {
	*D
	event.CatalogEvent
}](s *Service, w http.ResponseWriter, r *http.Request, space, typ string, wait W, key string, prepare func(data P, wr *write) *problem) {
	data := P(new(D))
	if p := body(w, r, data); p != nil {
		refuse(w, p)
		return
	}
	actor := auth.IdentityFrom(r.Context()).Name
	wr := &write{space: space, typ: typ, data: data, wait: wait == "applied", source: "/catalog/" + url.PathEscape(actor), id: key}
	switch {
	case wait != "" && wait != "applied":
		refuse(w, &problem{status: http.StatusBadRequest, code: "InvalidRequest", message: "wait can only be applied"})
		return
	case len(key) > maxKey:
		refuse(w, &problem{status: http.StatusBadRequest, code: "InvalidRequest", message: "an Idempotency-Key has at most 200 characters"})
		return
	case key == "":
		wr.id = uuid.Must(uuid.NewV7()).String()
	}
	*data.Catalog() = event.CatalogHead{Space: space, Rules: catalog.RulesVersion, Actor: actor}
	if prepare != nil {
		if p := prepare(data, wr); p != nil {
			refuse(w, p)
			return
		}
	}
	written, p := s.append(r.Context(), wr)
	switch {
	case p != nil:
		refuse(w, p)
	case wr.wait:
		answer(w, http.StatusOK, written)
	default:
		answer(w, http.StatusAccepted, written)
	}
}

// append writes an event and, if that is wanted, waits until the fold has judged it.
func (s *Service) append(ctx context.Context, wr *write) (*catalogapi.Written, *problem) {
	rec, err := event.Encode(event.Event{ID: wr.id, Source: wr.source, Type: wr.typ, Time: s.cfg.Now().UTC(), Data: wr.data})
	if err != nil {
		return nil, &problem{status: http.StatusBadRequest, code: event.Code(err), message: err.Error()}
	}
	positions, err := s.cfg.Log.Append(ctx, []log.Record{recordOf(rec)})
	var large *log.TooLargeError
	switch {
	case errors.As(err, &large):
		return nil, &problem{status: http.StatusRequestEntityTooLarge, code: "TooLarge", message: err.Error()}
	case err != nil:
		return nil, &problem{status: http.StatusServiceUnavailable, code: "LogUnavailable", message: "the event may not have been written, send it again under the same Idempotency-Key: " + err.Error()}
	}
	written := &catalogapi.Written{Id: wr.id, Partition: positions[0].Partition, Offset: positions[0].Offset, State: catalogapi.WrittenStateWritten}
	if !wr.wait {
		if wr.told != nil {
			wr.told(written, nil)
		}
		return written, nil
	}
	ctx, cancel := context.WithTimeout(ctx, waitApplied)
	defer cancel()
	p := s.partitions[positions[0].Partition]
	if err := p.waitFor(ctx, positions[0].Offset); err != nil {
		return nil, &problem{status: http.StatusGatewayTimeout, code: "NotAppliedInTime", message: fmt.Sprintf("the event stands at offset %d and has not been folded in time", positions[0].Offset)}
	}
	return written, s.judged(p, wr, written)
}

// judged fills in how the fold judged an event that it has passed.
func (s *Service) judged(p *partition, wr *write, written *catalogapi.Written) (refused *problem) {
	p.read(wr.space, func(space *catalog.Space) {
		var out catalog.Outcome
		ok := space != nil
		if ok {
			out, ok = space.Outcome(wr.source, wr.id)
		}
		if !ok {
			refused = &problem{status: http.StatusInternalServerError, code: "NotJudged", message: "the event was not judged"}
			return
		}
		if out.Offset < written.Offset {
			written.Repeat, written.Offset = true, out.Offset
		}
		if out.Refused != nil {
			refused = &problem{status: http.StatusConflict, code: string(out.Refused.Code), message: out.Refused.Message,
				details: map[string]any{"offset": out.Offset, "id": wr.id}}
			addRefusals(refused, space, wr)
			return
		}
		written.State, written.Incarnation = catalogapi.WrittenStateAccepted, out.Incarnation
		if out.Failure != nil {
			written.Code, written.Message = string(out.Failure.Code), out.Failure.Message
		}
		if wr.told != nil {
			wr.told(written, space)
		}
	})
	return refused
}

// addRefusals tells every reason why a build was refused, not only the first.
func addRefusals(p *problem, space *catalog.Space, wr *write) {
	req, ok := wr.data.(*event.BuildRequested)
	if !ok {
		return
	}
	if b := space.Build(req.Build); b != nil && b.State == catalog.BuildRefused {
		p.details["refusals"] = refusalsOf(b.Refusals)
		p.details["digest"] = b.Digest
	}
}

func recordOf(rec event.Record) log.Record {
	headers := make([]log.Header, len(rec.Headers))
	for i, h := range rec.Headers {
		headers[i] = log.Header(h)
	}
	return log.Record{Topic: rec.Topic, Key: rec.Key, Value: rec.Value, Headers: headers}
}
