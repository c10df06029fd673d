package emit

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-data/tributary/schemas/api/eventsapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// HTTPOptions say how a server is spoken to.
type HTTPOptions struct {
	// Token is sent as a bearer token; empty for none.
	Token string
	// Client is the HTTP client; nil for one that gives up after 60 s.
	Client *http.Client
	// Wait makes Flush return only when what the events cause can be seen in
	// answers, not when the log has them.
	Wait bool
}

// httpSink sends batches to POST /api/v1/events.
type httpSink struct {
	endpoint string
	opts     HTTPOptions
}

// HTTP makes a sink of a server, by its base URL (http://127.0.0.1:7070).
func HTTP(server string, o HTTPOptions) (Sink, error) {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no base URL such as http://127.0.0.1:7070", server)
	}
	if o.Client == nil {
		o.Client = &http.Client{Timeout: time.Minute}
	}
	query := "?results=refused"
	if o.Wait {
		query += "&wait=applied"
	}
	return &httpSink{endpoint: strings.TrimRight(server, "/") + "/api/v1/events" + query, opts: o}, nil
}

// Close has nothing to free: the client is the caller's.
func (s *httpSink) Close() error { return nil }

// gzipFrom is the size in bytes from which a body is compressed.
const gzipFrom = 4 << 10

// maxAnswer bounds how much of an answer is read.
const maxAnswer = 32 << 20

// Send posts a batch. An answer that tells of no event apart tells of all.
func (s *httpSink) Send(ctx context.Context, batch []event.Packed) []error {
	errs := make([]error, len(batch))
	all := func(err error) []error {
		for i := range errs {
			errs[i] = err
		}
		return errs
	}
	req, err := s.request(ctx, batch)
	if err != nil {
		return all(err)
	}
	resp, err := s.opts.Client.Do(req)
	if err != nil {
		return all(fmt.Errorf("sending events: %w", err))
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return all(fmt.Errorf("reading the answer: %w", err))
	}
	var answer eventsapi.EventsAnswer
	if err := json.Unmarshal(body, &answer); err != nil {
		answer = eventsapi.EventsAnswer{Message: fmt.Sprintf("the server answered %s: %.200s", resp.Status, body)}
	}
	if resp.StatusCode == http.StatusRequestEntityTooLarge && len(batch) > 1 {
		half := len(batch) / 2 // the server's bounds are tighter than ours
		return append(s.Send(ctx, batch[:half]), s.Send(ctx, batch[half:])...)
	}
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusMultiStatus && len(answer.Results) == 0 {
		return s.whole(resp, answer, batch, errs)
	}
	for _, r := range answer.Results {
		if r.Index < 0 || r.Index >= len(errs) {
			return all(fmt.Errorf("the server told of event %d of %d", r.Index, len(errs)))
		}
		switch r.Status {
		case eventsapi.EventResultStatusRefused:
			errs[r.Index] = &RefusedError{ID: batch[r.Index].ID, Type: batch[r.Index].Type, Code: r.Code, Message: r.Message}
		case eventsapi.EventResultStatusFailed:
			errs[r.Index] = later(resp, fmt.Errorf("%s: %s", r.Code, r.Message))
		}
	}
	return errs
}

// whole judges an answer that is about the request as a whole: a batch that
// the server calls wrong is given up, everything else is sent again.
func (s *httpSink) whole(resp *http.Response, answer eventsapi.EventsAnswer, batch []event.Packed, errs []error) []error {
	if answer.Message == "" {
		answer.Message = "the server answered " + resp.Status
	}
	if answer.Code == "" {
		answer.Code = strconv.Itoa(resp.StatusCode)
	}
	for i := range errs {
		switch resp.StatusCode {
		case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusForbidden, http.StatusUnprocessableEntity:
			errs[i] = &RefusedError{ID: batch[i].ID, Type: batch[i].Type, Code: answer.Code, Message: answer.Message}
		default: // overload, a restart, a proxy, a token that has to be renewed
			errs[i] = later(resp, fmt.Errorf("%s: %s", answer.Code, answer.Message))
		}
	}
	return errs
}

// later honours Retry-After.
func later(resp *http.Response, err error) error {
	seconds, convErr := strconv.Atoi(resp.Header.Get("Retry-After"))
	if convErr != nil || seconds <= 0 {
		return err
	}
	return &laterError{after: min(time.Duration(seconds)*time.Second, time.Minute), err: err}
}

func (s *httpSink) request(ctx context.Context, batch []event.Packed) (*http.Request, error) {
	var body bytes.Buffer
	body.WriteByte('[')
	for i := range batch {
		if i > 0 {
			body.WriteByte(',')
		}
		b, err := batch[i].MarshalStructured()
		if err != nil {
			return nil, err
		}
		body.Write(b)
	}
	body.WriteByte(']')
	compressed := body.Len() >= gzipFrom
	if compressed {
		var small bytes.Buffer
		w, err := gzip.NewWriterLevel(&small, gzip.BestSpeed)
		if err != nil {
			return nil, err
		}
		_, err = w.Write(body.Bytes())
		if err := errors.Join(err, w.Close()); err != nil {
			return nil, err
		}
		body = small
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.endpoint, &body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", event.ContentTypeBatch)
	if compressed {
		req.Header.Set("Content-Encoding", "gzip")
	}
	if s.opts.Token != "" {
		req.Header.Set("Authorization", "Bearer "+s.opts.Token)
	}
	return req, nil
}
