package deadletter_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/log/logtest"
	"github.com/tributary-data/tributary/schemas/event"
)

func taskRecord(t *testing.T) log.Record {
	t.Helper()
	rec, err := event.Encode(event.Event{ID: "1", Source: "test", Type: event.TypeTaskDefined, Data: &event.TaskDefined{Task: event.Task{ID: "a"}}})
	require.NoError(t, err)
	out := log.Record{Topic: rec.Topic, Key: rec.Key, Value: rec.Value, Partition: log.PartitionOf(rec.Key, 4)}
	for _, h := range rec.Headers {
		out.Headers = append(out.Headers, log.Header(h))
	}
	return out
}

func TestJudge(t *testing.T) {
	good := taskRecord(t)
	ev, fault := deadletter.Judge(&good, 4)
	require.Nil(t, fault)
	require.Equal(t, "a", ev.Data.(*event.TaskDefined).ID)

	for _, c := range []struct {
		reason string
		spoil  func(*log.Record)
	}{
		{deadletter.ReasonWrongPartition, func(r *log.Record) { r.Partition = (r.Partition + 1) % 4 }},
		{deadletter.ReasonWrongTopic, func(r *log.Record) { r.Topic = log.TopicLineage }},
		{deadletter.ReasonWrongKey, func(r *log.Record) { r.Key = []byte("other"); r.Partition = log.PartitionOf(r.Key, 4) }},
		{deadletter.ReasonUnreadable, func(r *log.Record) { r.Fault = errors.New("checksum") }},
		{"MalformedEvent", func(r *log.Record) { r.Value = []byte(`{"id":`) }},
		{"UnknownType", func(r *log.Record) { setHeader(r, "ce_type", "tributary.nothing.v1") }},
		{"UnknownVersion", func(r *log.Record) { setHeader(r, "ce_type", "tributary.task.defined.v9") }},
		{"InvalidAttribute", func(r *log.Record) { r.Headers = nil }},
	} {
		bad := taskRecord(t)
		c.spoil(&bad)
		_, fault := deadletter.Judge(&bad, 4)
		require.NotNil(t, fault, c.reason)
		require.Equal(t, c.reason, fault.Reason)
	}
}

func setHeader(r *log.Record, key, value string) {
	for i := range r.Headers {
		if r.Headers[i].Key == key {
			r.Headers[i].Value = []byte(value)
		}
	}
}

func TestListShowRetry(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client := logtest.Start(t)
	bad := taskRecord(t)
	bad.Value = []byte("{\"sql\": \"PASSWORD 'abc' \xff")
	at, err := client.Append(ctx, []log.Record{bad})
	require.NoError(t, err)
	rec, err := client.RecordAt(ctx, at[0].Topic, at[0].Partition, at[0].Offset)
	require.NoError(t, err)
	_, fault := deadletter.Judge(&rec, 4)
	letter := deadletter.New(&rec, fault)
	// A reader that was restarted writes the letter a second time.
	require.NoError(t, deadletter.Write(ctx, client, []deadletter.Letter{letter, letter}))

	mux := http.NewServeMux()
	deadletter.NewService(client).Register(mux)
	var list deadletter.List
	call(t, mux, "GET", "/api/v1/deadletters", http.StatusOK, &list)
	require.Len(t, list.Letters, 1)
	require.Equal(t, "MalformedEvent", list.Letters[0].Reason)
	require.Equal(t, event.TypeTaskDefined, list.Letters[0].Type)

	var whole deadletter.Whole
	call(t, mux, "GET", "/api/v1/deadletters/"+letter.String(), http.StatusOK, &whole)
	broken := "{\"sql\": \"PASSWORD '***' \xff"
	require.Equal(t, broken, string(whole.ValueB64))
	require.Equal(t, "1", whole.Headers["ce_id"])

	var retried deadletter.Retried
	call(t, mux, "POST", "/api/v1/deadletters/"+letter.String()+"/retry", http.StatusOK, &retried)
	again, err := client.RecordAt(ctx, retried.Position.Topic, retried.Position.Partition, retried.Position.Offset)
	require.NoError(t, err)
	require.Equal(t, rec.Value, again.Value)
	require.Equal(t, rec.Headers, again.Headers)

	call(t, mux, "GET", "/api/v1/deadletters", http.StatusOK, &list)
	require.Empty(t, list.Letters)
	call(t, mux, "GET", "/api/v1/deadletters?retried=true", http.StatusOK, &list)
	require.Len(t, list.Letters, 1)
	require.NotNil(t, list.Letters[0].Retried)

	var problem deadletter.Problem
	call(t, mux, "GET", "/api/v1/deadletters/tributary.tasks/0/999", http.StatusNotFound, &problem)
	require.Equal(t, "DeadLetterNotFound", problem.Code)
	call(t, mux, "GET", "/api/v1/deadletters/x/y/z", http.StatusBadRequest, &problem)
	call(t, mux, "GET", "/api/v1/deadletters?limit=0", http.StatusBadRequest, &problem)
}

func call(t *testing.T, h http.Handler, method, path string, status int, into any) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	require.Equal(t, status, w.Code, w.Body.String())
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), into))
}

func TestParsePlace(t *testing.T) {
	p := deadletter.Place{Topic: "tributary.tasks", Partition: 3, Offset: 17}
	got, err := deadletter.ParsePlace(p.String())
	require.NoError(t, err)
	require.Equal(t, p, got)
	for _, s := range []string{"", "a", "a/b/c", "a/1", "a/-1/2", "/1/2"} {
		_, err := deadletter.ParsePlace(s)
		require.ErrorIs(t, err, deadletter.ErrPlace, s)
	}
}
