package deadletter

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/credential"
)

// Summary is a letter as the HTTP interface lists it.
type Summary struct {
	Place
	// Place as a text, topic/partition/offset: what show and retry take.
	ID      string     `json:"id"`
	Written time.Time  `json:"written"`
	Refused time.Time  `json:"refused"`
	Reason  string     `json:"reason"`
	Detail  string     `json:"detail"`
	Key     string     `json:"key"`
	Type    string     `json:"type,omitempty"`
	EventID string     `json:"event_id,omitempty"`
	Source  string     `json:"source,omitempty"`
	Retried *time.Time `json:"retried,omitempty"`
}

// List is the answer to a question for letters.
type List struct {
	Letters []Summary `json:"letters"`
	Total   int       `json:"total"`
	// Complete is false if older letters were not looked at.
	Complete bool `json:"complete"`
}

// Whole is one letter with everything.
type Whole struct {
	Summary
	Headers map[string]string `json:"headers"`
	// Value is the record's value if it is text, ValueB64 if not.
	Value    *string `json:"value,omitempty"`
	ValueB64 []byte  `json:"value_b64,omitempty"`
}

// Retried is the answer to a retry.
type Retried struct {
	// Position is where the record stands now.
	Position Place `json:"position"`
}

// Problem is the answer when something is wrong.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Register adds the service's paths to a mux:
//
//	GET  /api/v1/deadletters?topic=&reason=&retried=&limit=
//	GET  /api/v1/deadletters/{topic}/{partition}/{offset}
//	POST /api/v1/deadletters/{topic}/{partition}/{offset}/retry
func (s *Service) Register(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/v1/deadletters", s.serveList)
	mux.HandleFunc("GET /api/v1/deadletters/{topic}/{partition}/{offset}", s.serveShow)
	mux.HandleFunc("POST /api/v1/deadletters/{topic}/{partition}/{offset}/retry", s.serveRetry)
}

func (s *Service) serveList(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	f := Filter{Topic: q.Get("topic"), Reason: q.Get("reason"), Retried: q.Get("retried") == "true"}
	if l := q.Get("limit"); l != "" {
		n, err := strconv.Atoi(l)
		if err != nil || n < 1 || n > 10_000 {
			answer(w, http.StatusBadRequest, Problem{"InvalidLimit", "limit is a number from 1 to 10000"})
			return
		}
		f.Limit = n
	}
	page, err := s.List(r.Context(), f)
	if err != nil {
		fail(w, err)
		return
	}
	out := List{Letters: []Summary{}, Total: page.Total, Complete: page.Scanned}
	for _, l := range page.Letters {
		out.Letters = append(out.Letters, summarise(l))
	}
	answer(w, http.StatusOK, out)
}

func (s *Service) serveShow(w http.ResponseWriter, r *http.Request) {
	place, ok := placeOf(w, r)
	if !ok {
		return
	}
	l, err := s.Show(r.Context(), place)
	if err != nil {
		fail(w, err)
		return
	}
	out := Whole{Summary: summarise(l), Headers: map[string]string{}}
	for _, h := range l.Headers {
		out.Headers[h.Key] = credential.Mask(string(h.Value))
	}
	// What could not be read may hold credentials all the same. Retry writes
	// the record itself.
	text := credential.Mask(string(l.Value))
	if utf8.ValidString(text) {
		out.Value = &text
	} else {
		out.ValueB64 = []byte(text)
	}
	answer(w, http.StatusOK, out)
}

func (s *Service) serveRetry(w http.ResponseWriter, r *http.Request) {
	place, ok := placeOf(w, r)
	if !ok {
		return
	}
	at, err := s.Retry(r.Context(), place)
	if err != nil {
		fail(w, err)
		return
	}
	answer(w, http.StatusOK, Retried{Position: Place(at)})
}

func placeOf(w http.ResponseWriter, r *http.Request) (Place, bool) {
	place, err := ParsePlace(r.PathValue("topic") + "/" + r.PathValue("partition") + "/" + r.PathValue("offset"))
	if err != nil {
		answer(w, http.StatusBadRequest, Problem{"InvalidPlace", err.Error()})
		return place, false
	}
	return place, true
}

func summarise(l Letter) Summary {
	s := Summary{
		Place: l.Place, ID: l.String(), Written: l.Written, Refused: l.Refused,
		Reason: l.Fault.Reason, Detail: l.Fault.Detail, Key: string(l.Key),
	}
	for _, h := range l.Headers {
		switch h.Key {
		case "ce_type":
			s.Type = string(h.Value)
		case "ce_id":
			s.EventID = string(h.Value)
		case "ce_source":
			s.Source = string(h.Value)
		}
	}
	if !l.Retried.IsZero() {
		s.Retried = &l.Retried
	}
	return s
}

func fail(w http.ResponseWriter, err error) {
	var gone *log.OutOfRangeError
	switch {
	case errors.Is(err, ErrNotFound), errors.As(err, &gone):
		answer(w, http.StatusNotFound, Problem{"DeadLetterNotFound", err.Error()})
	default:
		answer(w, http.StatusServiceUnavailable, Problem{"LogUnavailable", err.Error()})
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) //nolint:errchkjson // a sender that is gone gets no answer
}
