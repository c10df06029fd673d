package ingest_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/ingest"
	"github.com/tributary-data/tributary/internal/auth"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/log/logtest"
	"github.com/tributary-data/tributary/schemas/api/eventsapi"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/samples"
)

// memoryLog is a log of one partition a topic. fail, if set, decides what
// becomes of an append.
type memoryLog struct {
	mu      sync.Mutex
	records []log.Record
	fail    func(recs []log.Record) error
}

func (m *memoryLog) Append(_ context.Context, recs []log.Record) ([]log.Position, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var err error
	if m.fail != nil {
		err = m.fail(recs)
	}
	var some *log.AppendError
	if err != nil && !errors.As(err, &some) {
		return nil, err
	}
	positions := make([]log.Position, len(recs))
	for i, r := range recs {
		positions[i] = log.Position{Topic: r.Topic, Offset: -1}
		if some == nil || some.Records[i] == nil {
			positions[i].Offset = int64(len(m.records))
			m.records = append(m.records, r)
		}
	}
	return positions, err
}

type server struct {
	*httptest.Server
	log *memoryLog
}

func start(t *testing.T, change func(*ingest.Options)) *server {
	t.Helper()
	s := &server{log: &memoryLog{}}
	o := ingest.Options{Log: s.log, Now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }}
	if change != nil {
		change(&o)
	}
	h, err := ingest.New(o)
	require.NoError(t, err)
	mux := http.NewServeMux()
	h.Register(mux)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

type answer struct {
	status int
	header http.Header
	eventsapi.EventsAnswer
}

func (s *server) post(t *testing.T, path, contentType string, body []byte, headers ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", contentType)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := s.Client().Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, header: resp.Header}
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&a.EventsAnswer))
	return a
}

const structuredType = event.ContentTypeStructured

func task(id string) string {
	return `{"specversion":"1.0","id":"e-` + id + `","source":"/test","type":"tributary.task.defined.v1","data":{"id":"` + id + `","sql":"SELECT 1"}}`
}

func zip(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(b)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestEveryFormGivesTheSameRecord(t *testing.T) {
	data := []byte(`{"id":"a","sql":"SELECT 1"}`)
	binary := []string{"ce-specversion", "1.0", "ce-id", "e-a", "ce-source", "/test", "ce-type", event.TypeTaskDefined}
	for _, c := range []struct {
		what, contentType string
		body              []byte
		headers           []string
	}{
		{"structured", "application/cloudevents+json; charset=utf-8", []byte(task("a")), nil},
		{"structured, gzip", structuredType, zip(t, []byte(task("a"))), []string{"Content-Encoding", "gzip"}},
		{"batch", event.ContentTypeBatch, []byte("[" + task("a") + "]"), nil},
		{"lines", "application/x-ndjson", []byte("\n" + task("a") + "\r\n\n"), nil},
		{"binary", "application/json", data, binary},
		{"plain object", "application/json", []byte(task("a")), nil},
		{"plain array", "application/json", []byte(" [" + task("a") + "]"), nil},
	} {
		s := start(t, nil)
		a := s.post(t, "/api/v1/events", c.contentType, c.body, c.headers...)
		require.Equal(t, 200, a.status, "%s: %s", c.what, a.Message)
		require.Equal(t, 1, a.Accepted, c.what)
		require.Equal(t, "e-a", a.Results[0].Id, c.what)
		require.Equal(t, event.TopicTasks, a.Results[0].Topic, c.what)
		require.EqualValues(t, 0, *a.Results[0].Offset, c.what)

		rec := s.log.records[0]
		require.Equal(t, "default|a", string(rec.Key), c.what)
		ev, err := event.Decode(rec.Headers, rec.Value)
		require.NoError(t, err, c.what)
		require.Equal(t, event.Event{
			ID: "e-a", Source: "/test", Type: event.TypeTaskDefined, Key: "default|a",
			Time: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
			Data: &event.TaskDefined{Task: event.Task{ID: "a"}, SQL: "SELECT 1"},
		}, ev, c.what)
	}
}

func TestBinaryHeadersArePercentDecoded(t *testing.T) {
	s := start(t, nil)
	a := s.post(t, "/api/v1/events", "application/json", []byte(`{"id":"a"}`),
		"ce-specversion", "1.0", "ce-id", "100%", "ce-source", "/b%C3%BCro", "ce-type", event.TypeTaskDefined, "ce-traceparent", "00-1")
	require.Equal(t, 200, a.status, a.Message)
	ev, err := event.Decode(s.log.records[0].Headers, s.log.records[0].Value)
	require.NoError(t, err)
	require.Equal(t, "100%", ev.ID)
	require.Equal(t, "/büro", ev.Source)
	require.Equal(t, "00-1", ev.Extensions["traceparent"])
}

func TestSamplesAreAccepted(t *testing.T) {
	s := start(t, nil)
	for _, e := range event.Entries() {
		if e.Topic == event.TopicLineage {
			continue
		}
		dir, err := samples.FS().ReadDir(e.Type)
		require.NoError(t, err)
		for _, f := range dir {
			b, err := samples.FS().ReadFile(e.Type + "/" + f.Name())
			require.NoError(t, err)
			require.Equal(t, 200, s.post(t, "/api/v1/events", structuredType, b).status, "%s/%s", e.Type, f.Name())
		}
	}
}

func TestBadInputGetsAClearError(t *testing.T) {
	s := start(t, nil)
	bomb := zip(t, make([]byte, 64<<20))
	deep := `{"specversion":"1.0","id":"1","source":"s","type":"tributary.task.defined.v1","data":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`
	with := func(old, replacement string) []byte { return []byte(strings.Replace(task("a"), old, replacement, 1)) }
	for _, c := range []struct {
		what, contentType string
		body              []byte
		headers           []string
		status            int
		code, says        string
	}{
		{"malformed JSON", structuredType, []byte(`{"specversion":`), nil, 400, "MalformedEvent", "not JSON at byte"},
		{"malformed batch", event.ContentTypeBatch, []byte(`[{"a":1},]`), nil, 400, "MalformedEvent", "not JSON at byte"},
		{"no batch", event.ContentTypeBatch, []byte(task("a")), nil, 400, "MalformedEvent", "array"},
		{"unknown type", structuredType, with("task.defined", "task.exploded"), nil, 400, "UnknownType", "task.exploded"},
		{"wrong version", structuredType, with("defined.v1", "defined.v9"), nil, 400, "UnknownVersion", "tributary.task.defined.v1"},
		{"wrong specversion", structuredType, with(`"1.0"`, `"0.3"`), nil, 400, "InvalidAttribute", "specversion"},
		{"data of another shape", structuredType, with(`"SELECT 1"`, `["SELECT 1"]`), nil, 400, "InvalidEvent", "/sql: got array, want string"},
		{"data missing a field", structuredType, with(`"id":"a",`, ``), nil, 400, "InvalidEvent", "id"},
		{"100 MB", structuredType, bytes.Repeat([]byte(" "), 100<<20), nil, 413, "BodyTooLarge", "33554432 bytes"},
		{"gzip bomb", structuredType, bomb, []string{"Content-Encoding", "gzip"}, 413, "BodyTooLarge", "decompressed"},
		{"broken gzip", structuredType, zip(t, []byte(task("a")))[:20], []string{"Content-Encoding", "gzip"}, 400, "UnreadableBody", "unexpected EOF"},
		{"no gzip", structuredType, []byte(task("a")), []string{"Content-Encoding", "gzip"}, 400, "UnreadableBody", "gzip"},
		{"other encoding", structuredType, []byte(task("a")), []string{"Content-Encoding", "br"}, 415, "UnsupportedEncoding", "gzip"},
		{"invalid UTF-8", structuredType, with("SELECT 1", "SELECT '\xff'"), nil, 400, "MalformedEvent", "not UTF-8 at byte"},
		{"wrong content type", "text/plain", []byte(task("a")), nil, 415, "UnsupportedContentType", event.ContentTypeStructured},
		{"no content type", "", []byte(task("a")), nil, 415, "UnsupportedContentType", event.ContentTypeStructured},
		{"empty", structuredType, nil, nil, 400, "EmptyBody", "empty"},
		{"white space", "application/json", []byte(" \n"), nil, 400, "EmptyBody", "empty"},
		{"too large an event", structuredType, with("SELECT 1", strings.Repeat("x", 9<<20)), nil, 413, "EventTooLarge", "8388608"},
		{"nested too deep", structuredType, []byte(deep), nil, 400, "MalformedEvent", "depth"},
		{"binary without source", "application/json", []byte(`{"id":"a"}`), []string{"ce-id", "1", "ce-type", event.TypeTaskDefined, "ce-specversion", "1.0"}, 400, "InvalidAttribute", "source is missing"},
		{"binary, not JSON", "application/json", []byte(`{"id"`), []string{"ce-id", "1", "ce-type", event.TypeTaskDefined, "ce-specversion", "1.0", "ce-source", "s"}, 400, "MalformedEvent", "not JSON"},
	} {
		a := s.post(t, "/api/v1/events", c.contentType, c.body, c.headers...)
		require.Equal(t, c.status, a.status, "%s: %s", c.what, a.Message)
		require.Equal(t, c.code, a.Code, "%s: %s", c.what, a.Message)
		require.Contains(t, a.Message, c.says, c.what)
		require.Less(t, len(a.Message), 2000, c.what)
	}
	require.Empty(t, s.log.records)
	require.Equal(t, 200, s.post(t, "/api/v1/events", structuredType, []byte(task("a"))).status, "the server goes on")
}

func TestABadEventDoesNotHoldUpItsNeighbours(t *testing.T) {
	body := "[" + task("a") + "," + strings.Replace(task("b"), "defined", "exploded", 1) + "," + task("c") + "]"
	s := start(t, nil)
	a := s.post(t, "/api/v1/events", event.ContentTypeBatch, []byte(body))
	require.Equal(t, 207, a.status)
	require.Equal(t, 2, a.Accepted)
	require.Equal(t, 1, a.Refused)
	require.Equal(t, "UnknownType", a.Results[1].Code)
	require.Equal(t, "e-b", a.Results[1].Id)
	require.Nil(t, a.Results[1].Offset)
	require.EqualValues(t, 1, *a.Results[2].Offset)
	require.False(t, a.Results[1].Retry)

	a = s.post(t, "/api/v1/events?results=refused", event.ContentTypeBatch, []byte(body))
	require.Equal(t, 2, a.Accepted)
	require.Len(t, a.Results, 1)
	require.Equal(t, 1, a.Results[0].Index)

	a = s.post(t, "/api/v1/events", "application/x-ndjson", []byte(task("a")+"\n{\n"+task("c")))
	require.Equal(t, 207, a.status)
	require.Equal(t, "MalformedEvent", a.Results[1].Code)
	require.Equal(t, 1, a.Results[1].Index)
}

func TestBatchesAreBounded(t *testing.T) {
	s := start(t, func(o *ingest.Options) { o.Config.MaxBatch = 3 })
	for contentType, body := range map[string]string{
		event.ContentTypeBatch: "[" + strings.Repeat(task("a")+",", 3) + task("a") + "]",
		"application/x-ndjson": strings.Repeat(task("a")+"\n", 4),
	} {
		a := s.post(t, "/api/v1/events", contentType, []byte(body))
		require.Equal(t, 413, a.status)
		require.Equal(t, "BatchTooLarge", a.Code)
	}
	require.Empty(t, s.log.records)
	require.Equal(t, 200, s.post(t, "/api/v1/events", event.ContentTypeBatch, []byte("[]")).status)
}

func TestSuccessOnlyAfterTheLogHasIt(t *testing.T) {
	s := start(t, nil)
	s.log.fail = func([]log.Record) error { return errors.New("broker is away") }
	a := s.post(t, "/api/v1/events", structuredType, []byte(task("a")))
	require.Equal(t, 503, a.status)
	require.Equal(t, "LogUnavailable", a.Code)
	require.Equal(t, "1", a.header.Get("Retry-After"))
	require.True(t, a.Results[0].Retry)

	s.log.fail = func(recs []log.Record) error {
		some := &log.AppendError{Records: make([]error, len(recs))}
		some.Records[0] = errors.New("leader moved")
		return some
	}
	a = s.post(t, "/api/v1/events", event.ContentTypeBatch, []byte("["+task("a")+","+task("b")+"]"))
	require.Equal(t, 207, a.status)
	require.Equal(t, eventsapi.EventResultStatusFailed, a.Results[0].Status)
	require.True(t, a.Results[0].Retry)
	require.Equal(t, eventsapi.EventResultStatusAccepted, a.Results[1].Status)
	require.Len(t, s.log.records, 1)
}

func TestOverloadIsTurnedAway(t *testing.T) {
	s := start(t, func(o *ingest.Options) { o.Config.MaxInFlight = 100 << 10 })
	body := []byte("[" + task("a") + strings.Repeat(" ", 200<<10) + "]")
	a := s.post(t, "/api/v1/events", event.ContentTypeBatch, body)
	require.Equal(t, 503, a.status)
	require.Equal(t, "Overloaded", a.Code)
	require.Equal(t, "1", a.header.Get("Retry-After"))
	// The room is given back, also that of a body that grew while it was read.
	for range 20 {
		require.Equal(t, 503, s.post(t, "/api/v1/events", event.ContentTypeBatch, zip(t, body), "Content-Encoding", "gzip").status)
		require.Equal(t, 200, s.post(t, "/api/v1/events", structuredType, []byte(task("a"))).status)
	}
}

// TestAnnouncedBytesTakeNoRoom has senders announce far more than there is room
// for, and send next to nothing of it.
func TestAnnouncedBytesTakeNoRoom(t *testing.T) {
	s := start(t, func(o *ingest.Options) { o.Config.MaxInFlight = 1 << 20 })
	for range 10 {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL, "http://"))
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		_, err = fmt.Fprintf(conn, "POST /api/v1/events HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", structuredType, 1<<20-1)
		require.NoError(t, err)
		told, err := bufio.NewReader(conn).ReadString('\n') // the body is being read
		require.NoError(t, err)
		require.Contains(t, told, "100 Continue")
	}
	require.Equal(t, 200, s.post(t, "/api/v1/events", structuredType, []byte(task("a"))).status)
}

// waiter answers with the outcomes it is given, in order.
type waiter struct {
	outcomes []ingest.Outcome
	asked    []log.Position
}

func (w *waiter) WaitApplied(ctx context.Context, positions []log.Position) ([]ingest.Outcome, error) {
	w.asked = positions
	if w.outcomes == nil {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return w.outcomes[:len(positions)], nil
}

func TestWaitApplied(t *testing.T) {
	s := start(t, nil)
	a := s.post(t, "/api/v1/events?wait=applied", structuredType, []byte(task("a")))
	require.Equal(t, 501, a.status)
	require.Equal(t, "WaitUnsupported", a.Code)
	require.Empty(t, s.log.records, "what cannot be answered is not written")

	w := &waiter{outcomes: []ingest.Outcome{{}, {Code: "BranchExists", Message: "there is one"}}}
	s = start(t, func(o *ingest.Options) { o.Waiter = w })
	require.Equal(t, 400, s.post(t, "/api/v1/events?wait=forever", structuredType, []byte(task("a"))).status)
	require.Equal(t, 400, s.post(t, "/api/v1/events?wait=applied&timeout=1h", structuredType, []byte(task("a"))).status)
	require.Equal(t, 200, s.post(t, "/api/v1/events?wait=applied", structuredType, []byte(task("a"))).status)
	a = s.post(t, "/api/v1/events?wait=applied", event.ContentTypeBatch, []byte("["+task("a")+",{},"+task("b")+"]"))
	require.Equal(t, 207, a.status)
	require.Len(t, w.asked, 2)
	require.Equal(t, eventsapi.EventResultStatusRefused, a.Results[1].Status)
	require.Equal(t, "BranchExists", a.Results[2].Code)
	require.NotNil(t, a.Results[2].Offset, "a rejected event is in the log")

	w.outcomes = w.outcomes[1:]
	a = s.post(t, "/api/v1/events?wait=applied", structuredType, []byte(task("a")))
	require.Equal(t, 409, a.status)
	require.Equal(t, "BranchExists", a.Code)

	w.outcomes = nil
	a = s.post(t, "/api/v1/events?wait=applied&timeout=20ms", structuredType, []byte(task("a")))
	require.Equal(t, 504, a.status)
	require.Equal(t, "NotYetApplied", a.Code)
	require.NotNil(t, a.Results[0].Offset)
}

// as lets a caller in under a name and scope, and bound to namespaces if any
// are named.
func as(t *testing.T, name string, scope auth.Scope, writes ...string) *server {
	t.Helper()
	s := &server{log: &memoryLog{}}
	h, err := ingest.New(ingest.Options{Log: s.log})
	require.NoError(t, err)
	mux := http.NewServeMux()
	h.Register(mux)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mux.ServeHTTP(w, r.WithContext(auth.WithIdentity(r.Context(), auth.Identity{Name: name, Scope: scope, Writes: writes})))
	}))
	t.Cleanup(s.Close)
	return s
}

func TestAnEventSaysWhoSentIt(t *testing.T) {
	edge := func(who string) []byte {
		return []byte(`{"specversion":"1.0","id":"1","source":"s","type":"tributary.edge.added.v1","data":{"from":{"name":"a"},"to":{"name":"b"},"extra":1` + who + `}}`)
	}
	who := func(s *server) string {
		rec := s.log.records[len(s.log.records)-1]
		ev, err := event.Decode(rec.Headers, rec.Value)
		require.NoError(t, err)
		require.Contains(t, string(rec.Value), "extra", "other members stay")
		return ev.Data.(*event.EdgeAdded).Who
	}
	ann := as(t, "ann", auth.ScopeWrite)
	require.Equal(t, 200, ann.post(t, "/api/v1/events", structuredType, edge("")).status)
	require.Equal(t, "ann", who(ann))
	require.Equal(t, 200, ann.post(t, "/api/v1/events", structuredType, edge(`,"who":"root"`)).status)
	require.Equal(t, "ann", who(ann), "no one speaks for others")
	admin := as(t, "admin", auth.ScopeAdmin)
	require.Equal(t, 200, admin.post(t, "/api/v1/events", structuredType, edge(`,"who":"bob"`)).status)
	require.Equal(t, "bob", who(admin), "but for an administrator")

	mapping := []byte(`{"specversion":"1.0","id":"1","source":"s","type":"tributary.source.merged.v1","data":{"id":"m","from":{"namespace":"a"},"to":{"namespace":"b"},"who":"root"}}`)
	undone := []byte(`{"specversion":"1.0","id":"2","source":"s","type":"tributary.source.unmerged.v1","data":{"id":"m","who":"root"}}`)
	for sender, want := range map[*server]string{ann: "ann", admin: "root"} {
		for _, sent := range [][]byte{mapping, undone} {
			require.Equal(t, 200, sender.post(t, "/api/v1/events", structuredType, sent).status)
			rec := sender.log.records[len(sender.log.records)-1]
			var data struct{ Who string }
			require.NoError(t, json.Unmarshal(rec.Value, &data))
			require.Equal(t, want, data.Who, "%s", sent)
		}
	}

	opened, err := samples.FS().ReadFile(event.TypeTransactionOpened + "/full.json")
	require.NoError(t, err)
	bob := as(t, "bob", auth.ScopeWrite)
	require.Equal(t, 200, bob.post(t, "/api/v1/events", structuredType, opened).status)
	ev, err := event.Decode(bob.log.records[0].Headers, bob.log.records[0].Value)
	require.NoError(t, err)
	require.Equal(t, "bob", ev.Data.(event.CatalogEvent).Catalog().Actor)

	extracted, err := samples.FS().ReadFile(event.TypeLineageExtracted + "/extracted.json")
	require.NoError(t, err)
	a := ann.post(t, "/api/v1/events", structuredType, extracted)
	require.Equal(t, "Forbidden", a.Code)
	require.Equal(t, 200, admin.post(t, "/api/v1/events", structuredType, extracted).status)
}

func TestSendersKeepToTheirNamespaces(t *testing.T) {
	s := as(t, "ann", auth.ScopeWrite, "team", "mysql://shop:3306", "ann-*")
	for _, c := range []struct {
		typ, data string
		mine      bool
	}{
		{event.TypeTaskDefined, `{"id":"a","namespace":"team","inputs":[{"namespace":"kafka://other","name":"x"}]}`, true},
		{event.TypeTaskDefined, `{"id":"a","namespace":"TEAM"}`, false},
		{event.TypeTaskDefined, `{"id":"a","namespace":"team|x"}`, false},
		{event.TypeTaskDefined, `{"id":"a","namespace":"team","Namespace":"other"}`, false},
		{event.TypeTaskDefined, `{"id":"a"}`, false},
		{event.TypeTaskRemoved, `{"id":"a","namespace":"other"}`, false},
		{event.TypeTaskWithdrawn, `{"id":"a","namespace":"other"}`, false},
		{event.TypeTableDefined, `{"namespace":"mysql://shop","name":"db.t"}`, true},
		{event.TypeTableDefined, `{"namespace":"mysql://shop2","name":"db.t"}`, false},
		{event.TypeTableRemoved, `{"namespace":"mysql://shop2","name":"db.t"}`, false},
		{event.TypeTableRenamed, `{"namespace":"mysql://shop","name":"db.t","to":{"namespace":"mysql://shop2","name":"db.t"}}`, false},
		{event.TypeEdgeAdded, `{"from":{"namespace":"mysql://shop","name":"a"},"to":{"namespace":"mysql://shop","name":"b"}}`, true},
		{event.TypeEdgeAdded, `{"from":{"namespace":"mysql://shop2","name":"a"},"to":{"namespace":"mysql://shop","name":"b"}}`, false},
		{event.TypeEdgeRemoved, `{"from":{"namespace":"mysql://shop","name":"a"},"to":{"namespace":"mysql://shop2","name":"b"}}`, false},
		{event.TypeSourceRegistered, `{"id":"team","engine":"mysql","addresses":["mysql://shop2:3306"]}`, false},
		{event.TypeSourceUnmerged, `{"id":"team"}`, false},
		{event.TypeDatasetCreated, `{"space":"ann-1","dataset":{"namespace":"x","name":"y"}}`, true},
		{event.TypeDatasetCreated, `{"space":"bob-1","dataset":{"namespace":"x","name":"y"}}`, false},
	} {
		a := s.post(t, "/api/v1/events", structuredType, []byte(`{"specversion":"1.0","id":"1","source":"s","type":"`+c.typ+`","data":`+c.data+`}`))
		if c.mine {
			require.Equal(t, 200, a.status, "%s %s: %+v", c.typ, c.data, a)
			continue
		}
		require.Equal(t, 400, a.status, "%s %s: %+v", c.typ, c.data, a)
		require.Equal(t, "ForeignNamespace", a.Code, "%s %s: %s", c.typ, c.data, a.Message)
	}
	started := `{"eventType":"START","eventTime":"2026-01-01T00:00:00Z","run":{"runId":"0190a1f0-0000-7000-8000-000000000000"},"job":{"namespace":"%s","name":"j"},"producer":"p","schemaURL":"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent","inputs":[{"namespace":"kafka://other","name":"x","facets":{"schema":{"_producer":"p","_schemaURL":"https://openlineage.io/spec/facets/1-1-1/SchemaDatasetFacet.json","fields":[{"name":"c"}]}}}]}`
	before := len(s.log.records)
	require.Equal(t, 201, s.post(t, "/api/v1/lineage", "application/json", fmt.Appendf(nil, started, "team")).status)
	for _, rec := range s.log.records[before:] {
		require.NotEqual(t, log.TopicDefinitions, rec.Topic, "what others' datasets look like is not theirs to say")
	}
	require.Equal(t, 400, s.post(t, "/api/v1/lineage", "application/json", fmt.Appendf(nil, started, "other")).status)
}

func TestNamesAreBounded(t *testing.T) {
	s := start(t, nil)
	long := fmt.Sprintf(`{"specversion":"1.0","id":"1","source":"s","type":%q,"data":{"name":%q}}`, event.TypeTableDefined, strings.Repeat("x", 9<<10))
	a := s.post(t, "/api/v1/events", structuredType, []byte(long))
	require.Equal(t, 400, a.status)
	require.Equal(t, "NameTooLong", a.Code)
}

func TestBranchesAreNamedByOneRule(t *testing.T) {
	s := start(t, nil)
	send := func(typ, data string) answer {
		return s.post(t, "/api/v1/events", structuredType, []byte(`{"specversion":"1.0","id":"1","source":"s","type":"`+typ+`","data":`+data+`}`))
	}
	for branch, taken := range map[string]bool{
		"two words": true, "функция/😀": true, strings.Repeat("ü", 255): true, "": true,
		" a": false, "a ": false, `a\nb`: false, strings.Repeat("ü", 256): false, "0190a1f0-0000-7000-8000-000000000000": false,
	} {
		for typ, data := range map[string]string{
			event.TypeTaskDefined: `{"id":"a","branch":"%s"}`, event.TypeTaskRemoved: `{"id":"a","branch":"%s"}`,
			event.TypeTableDefined: `{"namespace":"m","name":"t","branch":"%s"}`, event.TypeRunStarted: `{"run_id":"r","task":{"id":"a","branch":"%s"}}`,
			event.TypeEdgeAdded: `{"who":"ann","branch":"%s","from":{"namespace":"m","name":"a"},"to":{"namespace":"m","name":"b"}}`,
		} {
			a := send(typ, fmt.Sprintf(data, branch))
			if taken {
				require.Equal(t, 200, a.status, "%s on %q: %s", typ, branch, a.Message)
				continue
			}
			require.Equal(t, 400, a.status, "%s on %q", typ, branch)
			require.Equal(t, "InvalidBranchName", a.Code)
		}
	}
}

func TestEventTypesAreListed(t *testing.T) {
	s := start(t, nil)
	resp, err := s.Client().Get(s.URL + "/api/v1/event-types")
	require.NoError(t, err)
	defer resp.Body.Close()
	var got struct{ Types []eventsapi.EventType }
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&got))
	require.Len(t, got.Types, len(event.Entries()))
	for _, typ := range got.Types {
		require.NotEmpty(t, typ.Description, typ.Type)
		require.Equal(t, "object", typ.Schema["type"])
	}
}

func TestOnTheEmbeddedLog(t *testing.T) {
	client := logtest.Start(t)
	h, err := ingest.New(ingest.Options{Log: client})
	require.NoError(t, err)
	mux := http.NewServeMux()
	h.Register(mux)
	s := &server{Server: httptest.NewServer(mux)}
	t.Cleanup(s.Close)
	var batch []string
	for i := range 200 {
		batch = append(batch, task(strconv.Itoa(i%7)))
	}
	a := s.post(t, "/api/v1/events", event.ContentTypeBatch, []byte("["+strings.Join(batch, ",")+"]"))
	require.Equal(t, 200, a.status, a.Message)
	ends, err := client.Ends(t.Context(), event.TopicTasks)
	require.NoError(t, err)
	total := int64(0)
	for _, e := range ends {
		total += e
	}
	require.EqualValues(t, 200, total)
	last := map[string]eventsapi.EventResult{}
	for _, r := range a.Results {
		if before, ok := last[r.Id]; ok {
			require.Equal(t, *before.Partition, *r.Partition)
			require.Less(t, *before.Offset, *r.Offset, "events of one task keep their order")
		}
		last[r.Id] = r
	}
}

func FuzzPostEvents(f *testing.F) {
	f.Add(structuredType, []byte(task("a")))
	f.Add(event.ContentTypeBatch, []byte("["+task("a")+"]"))
	f.Add("application/x-ndjson", []byte(task("a")+"\n"+task("b")))
	f.Add("application/json", []byte(`{"id":"a"}`))
	h, err := ingest.New(ingest.Options{Log: &memoryLog{}})
	require.NoError(f, err)
	mux := http.NewServeMux()
	h.Register(mux)
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		for _, path := range []string{"/api/v1/events", "/api/v1/lineage"} {
			req := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
			req.Header.Set("Content-Type", contentType)
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, req)
			require.Less(t, w.Code, 500, w.Body.String())
			require.True(t, json.Valid(w.Body.Bytes()))
		}
	})
}

// discard is a log that takes everything at once.
type discard struct{}

func (discard) Append(_ context.Context, recs []log.Record) ([]log.Position, error) {
	return make([]log.Position, len(recs)), nil
}

// definitions makes a batch of n task definitions of about 1 KB of SQL.
func definitions(n int) []byte {
	sql := strings.Repeat("SELECT a.x, b.y AS z FROM shop.orders a JOIN shop.items b ON a.id = b.id; ", 13)
	events := make([]string, n)
	for i := range events {
		events[i] = strings.Replace(task(fmt.Sprintf("task_%d", i)), "SELECT 1", sql, 1)
	}
	return []byte("[" + strings.Join(events, ",") + "]")
}

func BenchmarkBatchOfSmallDefinitions(b *testing.B) {
	const n = 500
	body := definitions(n)
	for _, c := range []struct {
		name string
		log  func() ingest.Appender
	}{
		{"no log", func() ingest.Appender { return discard{} }},
		{"embedded log", func() ingest.Appender { return logtest.Start(b) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			h, err := ingest.New(ingest.Options{Log: c.log()})
			require.NoError(b, err)
			mux := http.NewServeMux()
			h.Register(mux)
			b.SetBytes(int64(len(body)))
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					req := httptest.NewRequest(http.MethodPost, "/api/v1/events?results=refused", bytes.NewReader(body))
					req.Header.Set("Content-Type", event.ContentTypeBatch)
					w := httptest.NewRecorder()
					mux.ServeHTTP(w, req)
					if w.Code != http.StatusOK {
						b.Error(w.Body.String())
					}
				}
			})
			b.ReportMetric(float64(b.N*n)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
