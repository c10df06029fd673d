package blackbox_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/api/eventsapi"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// zeros is a stream of so many spaces that nobody holds in memory.
func zeros(n int64) io.Reader { return io.LimitReader(spaces{}, n) }

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// bomb is a gzip stream of 100 KB that unpacks to 100 MB.
func bomb(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := io.Copy(w, zeros(100<<20))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestBadRequestsAreRefusedAndTheirNeighboursTaken(t *testing.T) {
	p := serve(t, t.TempDir())
	good := string(lines(task("good", "INSERT INTO dw.a (id) SELECT id FROM a")))
	with := func(old, replacement string) io.Reader {
		require.Contains(t, good, old)
		return strings.NewReader(strings.Replace(good, old, replacement, 1))
	}
	const one = "application/cloudevents+json"
	for _, c := range []struct {
		what, contentType string
		body              io.Reader
		status            int
		code              string
		headers           []string
	}{
		{"malformed JSON", one, strings.NewReader(`{"specversion": "1.0", `), 400, "MalformedEvent", nil},
		{"unknown type", one, with("task.defined", "task.exploded"), 400, "UnknownType", nil},
		{"wrong version", one, with("defined.v1", "defined.v9"), 400, "UnknownVersion", nil},
		{"wrong version of CloudEvents", one, with(`"specversion":"1.0"`, `"specversion":"0.3"`), 400, "InvalidAttribute", nil},
		{"data of another shape", one, with(`"id":"good",`, ``), 400, "InvalidEvent", nil},
		{"100 MB", one, zeros(100 << 20), 413, "BodyTooLarge", nil},
		{"gzip bomb", one, bytes.NewReader(bomb(t)), 413, "BodyTooLarge", []string{"Content-Encoding", "gzip"}},
		{"invalid UTF-8", one, with("SELECT id", "SELECT '\xff'"), 400, "MalformedEvent", nil},
		{"100,000 brackets", one, strings.NewReader(strings.Repeat("[", 100_000)), 400, "MalformedEvent", nil},
		{"nothing", one, strings.NewReader(""), 400, "EmptyBody", nil},
	} {
		status, body, err := call(http.MethodPost, p.URL+"/api/v1/events", c.contentType, c.body, c.headers...)
		require.NoError(t, err, c.what)
		var a eventsapi.EventsAnswer
		require.NoError(t, json.Unmarshal(body, &a), "%s: %s", c.what, body)
		require.Equal(t, c.status, status, "%s: %s", c.what, body)
		require.Equal(t, c.code, a.Code, "%s: %s", c.what, body)
		require.NotEmpty(t, a.Message, c.what)
	}

	a, status, err := tryPost(p.URL, append([]byte("{\n"), good...))
	require.NoError(t, err)
	require.Equal(t, http.StatusMultiStatus, status)
	require.Equal(t, 1, a.Accepted)
	soon(t, p.Store, "SELECT from_name FROM tributary.lineage_edges", "db.a")
	require.Zero(t, p.interrupt())
}

func TestBadSQLIsAResult(t *testing.T) {
	p := serve(t, t.TempDir())
	const nested = 100_000
	post(t, p.URL,
		task("mixed", "INSERT INTO dw.a (x) SELECT x FROM a;\nINSERT INTO dw.b (x) SELECT x FROM b;\nINSERT INTO dw.c (x) SELEC x FROM c;\nINSERT INTO dw.d (x) SELECT x FROM d;\nINSERT INTO dw.e (x) SELECT x FROM e;"),
		task("deep", "INSERT INTO dw.f (x) SELECT "+strings.Repeat("(", nested)+"1"+strings.Repeat(")", nested)+" FROM f"),
		task("open", "INSERT INTO dw.g (x) SELECT "+strings.Repeat("(", nested)),
		task("empty", " \n;;\n-- nothing\n"),
		task("last", "INSERT INTO dw.z (x) SELECT x FROM z"),
	)
	soon(t, p.Store, "SELECT from_name, to_name FROM tributary.lineage_edges WHERE to_name != 'dw.f' ORDER BY ALL FORMAT TSV",
		"db.a\tdw.a", "db.b\tdw.b", "db.d\tdw.d", "db.e\tdw.e", "db.z\tdw.z")
	soon(t, p.Store, `SELECT o.task, arrayElement(e.kinds, 1) FROM tributary.sql_errors AS e FINAL
		INNER JOIN (SELECT DISTINCT owner_id, task FROM tributary.owners) AS o ON o.owner_id = e.owner_id WHERE notEmpty(e.kinds) ORDER BY ALL FORMAT TSV`,
		"default|deep\tlimit", "default|mixed\tsyntax", "default|open\tlimit")
	soon(t, p.Store, `SELECT statements, lines FROM tributary.sql_errors FINAL WHERE has(kinds, 'syntax') FORMAT TSV`, "[3]\t[3]")
	var unparsed lineageapi.Unparsed
	get(t, p.URL, "/api/v1/unparsed", url.Values{"node": {"task|default|mixed"}}, &unparsed)
	require.Len(t, unparsed.Errors, 1)
	require.Equal(t, 3, unparsed.Errors[0].Line)
	requireAudit(t, connect(t, p.Brokers), p.Store)
	require.Zero(t, p.interrupt())
}

// write puts a record into a partition of a topic, whatever it is.
func write(t *testing.T, brokers []string, topic string, partition int, key, value string, headers ...kafka.Header) {
	t.Helper()
	conn, err := kafka.DialLeader(t.Context(), "tcp", brokers[0], topic, partition)
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.WriteMessages(kafka.Message{Key: []byte(key), Value: []byte(value), Headers: headers})
	require.NoError(t, err)
}

func headers(id, eventType string) []kafka.Header {
	return []kafka.Header{
		{Key: "ce_specversion", Value: []byte("1.0")}, {Key: "ce_id", Value: []byte(id)}, {Key: "ce_source", Value: []byte("blackbox")},
		{Key: "ce_type", Value: []byte(eventType)}, {Key: "content-type", Value: []byte("application/json")},
	}
}

func TestRubbishInTheLogBecomesDeadLetters(t *testing.T) {
	p := serve(t, t.TempDir())
	definition := func(id string) string {
		return fmt.Sprintf(`{"id":%q,"dialect":"mysql","default_source":%q,"default_schema":"db","sql":"INSERT INTO dw.%s (x) SELECT x FROM %s"}`, id, shop, id, id)
	}
	at := func(key string) int { return log.PartitionOf([]byte(key), log.EmbeddedPartitions) }
	post(t, p.URL, task("before", "INSERT INTO dw.before1 (x) SELECT x FROM before1"))
	for partition := range log.EmbeddedPartitions {
		write(t, p.Brokers, log.TopicTasks, partition, "garbage", "\x00\xff not an event")
	}
	write(t, p.Brokers, log.TopicTasks, at("default|json"), "default|json", `{"id":`, headers("json", event.TypeTaskDefined)...)
	write(t, p.Brokers, log.TopicTasks, (at("default|lost")+1)%log.EmbeddedPartitions, "default|lost", definition("lost"), headers("lost", event.TypeTaskDefined)...)
	write(t, p.Brokers, log.TopicTasks, at("default|alien"), "default|alien", "{}", headers("alien", "com.example.thing.v1")...)
	write(t, p.Brokers, log.TopicTasks, at("default|future"), "default|future", "{}", headers("future", "tributary.task.defined.v9")...)
	write(t, p.Brokers, log.TopicLineage, 0, "garbage", "{")
	write(t, p.Brokers, log.TopicDefinitions, 0, "garbage", "{")
	produce(t, p.Brokers, log.TopicTasks, "default|after", event.TypeTaskDefined, json.RawMessage(definition("after")))
	soon(t, p.Store, "SELECT to_name FROM tributary.lineage_edges ORDER BY 1", "dw.after", "dw.before1")

	var list deadletter.List
	poll(t, settleTime, func() error {
		if err := tryGet(p.URL, "/api/v1/deadletters", nil, &list); err != nil {
			return err
		}
		if list.Total != 10 {
			return fmt.Errorf("%d letters: %+v", list.Total, list.Letters)
		}
		return nil
	})
	reasons := map[string]string{}
	var lost string
	for _, l := range list.Letters {
		require.NotEmpty(t, l.Detail)
		reasons[l.EventID] = l.Reason
		if l.Reason == deadletter.ReasonWrongPartition && l.EventID == "lost" {
			lost = l.ID
		}
	}
	require.Equal(t, "MalformedEvent", reasons["json"])
	require.Equal(t, "UnknownType", reasons["alien"])
	require.Equal(t, "UnknownVersion", reasons["future"])
	require.NotEmpty(t, lost)

	a := command(t, p.URL, "", "deadletter", "list")
	require.Zero(t, a.code, a.errors)
	require.Contains(t, a.out, lost)
	require.Contains(t, a.out, deadletter.ReasonWrongPartition)
	a = command(t, p.URL, "", "deadletter", "show", lost)
	require.Zero(t, a.code, a.errors)
	require.Contains(t, a.out, "belongs in partition")
	require.Contains(t, a.out, "INSERT INTO dw.lost")
	a = command(t, p.URL, "", "deadletter", "retry", lost)
	require.Zero(t, a.code, a.errors)
	soon(t, p.Store, "SELECT to_name FROM tributary.lineage_edges ORDER BY 1", "dw.after", "dw.before1", "dw.lost")
	a = command(t, p.URL, "", "deadletter", "list", "--json")
	require.Zero(t, a.code, a.errors)
	require.NoError(t, json.Unmarshal([]byte(a.out), &list))
	require.Equal(t, 9, list.Total)
	a = command(t, p.URL, "", "deadletter", "show", "tributary.tasks/0/9999")
	require.Equal(t, 1, a.code)
	require.Contains(t, a.errors, "no such dead letter")
	requireAudit(t, connect(t, p.Brokers), p.Store)
	require.Zero(t, p.interrupt())
}
