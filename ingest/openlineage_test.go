package ingest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/api/eventsapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// send posts to an OpenLineage path and gives status, headers and body.
func (s *server) send(t *testing.T, path, contentType string, body []byte, headers ...string) (int, http.Header, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, bytes.NewReader(body))
	require.NoError(t, err)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := s.Client().Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, resp.Header, b
}

func golden(t *testing.T, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("openlineage", "testdata", "events", file))
	require.NoError(t, err)
	return b
}

func TestOpenLineagePathsAndForms(t *testing.T) {
	raw := golden(t, "python_complete.json")
	for _, path := range []string{"/api/v1/lineage", "/api/lineage", "/openapi/openlineage/api/v1/lineage", "/api/v1/openlineage/lineage"} {
		s := start(t, nil)
		status, _, body := s.send(t, path, "application/json; charset=utf-8", raw)
		require.Equal(t, 201, status, string(body))
		var got eventsapi.OpenLineageAnswer
		require.NoError(t, json.Unmarshal(body, &got))
		require.Len(t, got.Events, 3)
		require.Len(t, s.log.records, 3)

		// A retry gives records with the same ids.
		status, _, again := s.send(t, path, "", zip(t, raw), "Content-Encoding", "gzip")
		require.Equal(t, 201, status, string(again))
		var repeat eventsapi.OpenLineageAnswer
		require.NoError(t, json.Unmarshal(again, &repeat))
		for i := range got.Events {
			require.Equal(t, got.Events[i].Id, repeat.Events[i].Id)
		}

		list := "[" + string(raw) + "," + string(golden(t, "job_event.json")) + "]"
		for _, batch := range []string{list, `{"events":` + list + `}`} {
			status, _, body = s.send(t, path, "application/json", []byte(batch))
			require.Equal(t, 201, status, string(body))
			status, _, body = s.send(t, path+"/batch", "application/json", []byte(batch))
			require.Equal(t, 204, status, string(body))
			require.Empty(t, body)
		}
	}
}

func TestOpenLineageEventsOfOneRunShareAPartitionKey(t *testing.T) {
	s := start(t, nil)
	for _, file := range []string{"python_start.json", "python_complete.json"} {
		status, _, body := s.send(t, "/api/v1/lineage", "application/json", golden(t, file))
		require.Equal(t, 201, status, string(body))
	}
	tasks := 0
	for _, rec := range s.log.records {
		if rec.Topic == event.TopicTasks {
			require.Equal(t, "airflow|nightly.orders", string(rec.Key))
			tasks++
		}
	}
	require.Equal(t, 3, tasks, "started, defined, completed")
}

func TestOpenLineageErrorsAreWhatClientsActOn(t *testing.T) {
	s := start(t, nil)
	raw := string(golden(t, "job_event.json"))
	for _, c := range []struct {
		what, contentType, body string
		status                  int
		code, says              string
	}{
		{"malformed", "application/json", `{"run"`, 400, "MalformedEvent", "not JSON at byte"},
		{"no event", "application/json", `{}`, 400, "InvalidOpenLineage", "neither run nor job nor dataset"},
		{"a number", "application/json", `7`, 400, "MalformedEvent", "object"},
		{"events is no list", "application/json", `{"events":7}`, 400, "MalformedEvent", "array"},
		{"no run id", "application/json", `{"run":{},"job":{"name":"j"}}`, 400, "InvalidOpenLineage", "runId"},
		{"invalid UTF-8", "application/json", "{\"job\":{\"name\":\"\xff\"}}", 400, "MalformedEvent", "UTF-8"},
		{"empty", "application/json", ``, 400, "EmptyBody", "empty"},
		{"wrong content type", "text/xml", raw, 415, "UnsupportedContentType", "application/json"},
		{"too large", "application/json", strings.Repeat(" ", 33<<20), 413, "BodyTooLarge", "33554432"},
		{"too large an event", "application/json", strings.Replace(raw, "team:stream", strings.Repeat("x", 9<<20), 1), 413, "EventTooLarge", "8388608"},
		{"all of a list bad", "application/json", `[{},{}]`, 400, "InvalidOpenLineage", "none of 2 events"},
	} {
		for _, path := range []string{"/api/v1/lineage", "/api/v1/lineage/batch"} {
			status, _, body := s.send(t, path, c.contentType, []byte(c.body))
			require.Equal(t, c.status, status, "%s: %.200s", c.what, body)
			var e eventsapi.Error
			require.NoError(t, json.Unmarshal(body, &e), c.what)
			require.Equal(t, c.code, e.Code, c.what)
			require.Contains(t, e.Message, c.says, c.what)
		}
	}
	require.Empty(t, s.log.records)

	s.log.fail = func([]log.Record) error { return errors.New("broker is away") }
	status, header, body := s.send(t, "/api/v1/lineage", "application/json", []byte(raw))
	require.Equal(t, 503, status, string(body))
	require.Equal(t, "1", header.Get("Retry-After"))
}

func TestOpenLineageBatchTellsWhatFailed(t *testing.T) {
	batch := []byte("[" + string(golden(t, "job_event.json")) + `,{"run":{}},` + string(golden(t, "dataset_event.json")) + "]")
	s := start(t, nil)
	for _, path := range []string{"/api/v1/lineage/batch", "/api/v1/lineage"} {
		status, _, body := s.send(t, path, "application/json", batch)
		require.Equal(t, 200, status, string(body))
		var got eventsapi.OpenLineageBatchAnswer
		require.NoError(t, json.Unmarshal(body, &got))
		require.Equal(t, eventsapi.PartialSuccess, got.Status)
		require.Equal(t, 3, got.Summary.Received)
		require.Equal(t, 2, got.Summary.Successful)
		require.Equal(t, 1, got.Summary.NonRetriable)
		require.Equal(t, 1, got.FailedEvents[0].Index)
		require.False(t, got.FailedEvents[0].Retriable)
		require.Contains(t, got.FailedEvents[0].Reason, "job.name")
	}

	// Records of one event failing make that event retriable, as a whole.
	s.log.fail = func(recs []log.Record) error {
		some := &log.AppendError{Records: make([]error, len(recs))}
		some.Records[len(recs)-1] = errors.New("leader moved")
		return some
	}
	status, _, body := s.send(t, "/api/v1/lineage/batch", "application/json", batch)
	require.Equal(t, 200, status, string(body))
	var got eventsapi.OpenLineageBatchAnswer
	require.NoError(t, json.Unmarshal(body, &got))
	require.Equal(t, 1, got.Summary.Retriable)
	require.True(t, got.FailedEvents[1].Retriable)
}
