package ingest

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/tributary-data/tributary/schemas/event"
)

// item is one event of a request on its way. err says why it is refused.
type item struct {
	index    int
	envelope *event.Envelope
	err      error
}

// httpPrefix begins the headers of CloudEvents' binary mode in HTTP.
const httpPrefix = "Ce-"

// split takes a body apart into events, by its content type. Events that
// cannot be read become items with an error; a fault is about the whole.
func (h *Handler) split(r *http.Request, body []byte) ([]item, *fault) {
	contentType := r.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		media = ""
	}
	if f := emptyBody(body); f != nil {
		return nil, f
	}
	switch media {
	case event.ContentTypeStructured:
		return []item{readItem(0, body)}, nil
	case event.ContentTypeBatch:
		return h.splitBatch(body)
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines":
		return h.splitLines(body)
	case event.ContentTypeJSON:
		if r.Header.Get("Ce-Id") != "" || r.Header.Get("Ce-Type") != "" || r.Header.Get("Ce-Specversion") != "" {
			return []item{readBinary(r.Header, body)}, nil
		}
		if bytes.TrimLeft(body, " \t\r\n")[0] == '[' {
			return h.splitBatch(body)
		}
		return []item{readItem(0, body)}, nil
	}
	return nil, &fault{
		status: http.StatusUnsupportedMediaType, code: "UnsupportedContentType",
		message: fmt.Sprintf("Content-Type %q is not taken; send %s, %s, application/x-ndjson, or %s with ce- headers",
			contentType, event.ContentTypeStructured, event.ContentTypeBatch, event.ContentTypeJSON),
	}
}

func emptyBody(body []byte) *fault {
	if len(bytes.TrimSpace(body)) == 0 {
		return &fault{status: http.StatusBadRequest, code: "EmptyBody", message: "the body is empty; an event is expected"}
	}
	return nil
}

func readItem(index int, b []byte) item {
	env, err := event.ReadStructured(b)
	return item{index: index, envelope: env, err: err}
}

// splitBatch reads a JSON array of events. Its bytes are checked once.
func (h *Handler) splitBatch(body []byte) ([]item, *fault) {
	if err := event.CheckJSON(body); err != nil {
		return nil, malformed(err)
	}
	var items []item
	err := event.Elements(body, func(element []byte) error {
		if len(items) >= h.cfg.MaxBatch {
			return h.batchTooLarge()
		}
		env, err := event.ParseStructured(element)
		items = append(items, item{index: len(items), envelope: env, err: err})
		return nil
	})
	if f, ok := err.(*fault); ok { //nolint:errorlint // made just above, never wrapped
		return nil, f
	}
	if err != nil {
		return nil, malformed(err)
	}
	return items, nil
}

// splitLines reads an event a line; empty lines count but are passed over.
func (h *Handler) splitLines(body []byte) ([]item, *fault) {
	var items []item
	for line, rest := 0, body; len(rest) > 0; line++ {
		var one []byte
		one, rest, _ = bytes.Cut(rest, []byte("\n"))
		if len(bytes.TrimSpace(one)) == 0 {
			continue
		}
		if len(items) >= h.cfg.MaxBatch {
			return nil, h.batchTooLarge()
		}
		items = append(items, readItem(line, one))
	}
	return items, nil
}

// readBinary reads one event whose attributes stand in HTTP headers.
func readBinary(header http.Header, body []byte) item {
	headers := []event.Header{{Key: event.HeaderContentType, Value: []byte(event.ContentTypeJSON)}}
	for name, values := range header {
		attribute, ok := strings.CutPrefix(name, httpPrefix)
		if !ok || len(values) == 0 {
			continue
		}
		value, err := url.PathUnescape(values[0])
		if err != nil {
			value = values[0] // a percent sign that escapes nothing
		}
		headers = append(headers, event.Header{Key: event.HeaderPrefix + strings.ToLower(attribute), Value: []byte(value)})
	}
	env, err := event.ReadBinary(headers, body)
	if err == nil {
		err = event.CheckJSON(body)
	}
	return item{envelope: env, err: err}
}

func malformed(err error) *fault {
	return &fault{status: http.StatusBadRequest, code: event.Code(err), message: err.Error()}
}

func (h *Handler) batchTooLarge() *fault {
	return &fault{
		status: http.StatusRequestEntityTooLarge, code: "BatchTooLarge",
		message: fmt.Sprintf("the batch has more than %d events; send smaller batches", h.cfg.MaxBatch),
	}
}
