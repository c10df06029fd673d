package event_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tributary-data/tributary/schemas/event"
)

func defined() event.Event {
	return event.Event{
		ID: "e-1", Source: "/scheduler", Type: event.TypeTaskDefined,
		Time: time.Date(2026, 3, 1, 12, 0, 0, 5000, time.UTC),
		Data: &event.TaskDefined{
			Task: event.Task{ID: "orders_daily", Branch: "feature"}, SQL: "INSERT INTO d SELECT a FROM t",
			Outputs: []event.Output{{Ref: event.Ref{Namespace: "shop", Name: "db.d"}, From: []event.Ref{}}},
		},
		Extensions: map[string]string{"traceparent": "00-1-2-01", "subject": "s"},
	}
}

func TestRecordRoundTrip(t *testing.T) {
	rec, err := event.Encode(defined())
	require.NoError(t, err)
	require.Equal(t, event.TopicTasks, rec.Topic)
	require.Equal(t, "default|orders_daily", string(rec.Key))

	// Any client's header type of the same shape can be decoded.
	type clientHeader struct {
		Key   string
		Value []byte
	}
	var headers []clientHeader
	for _, h := range rec.Headers {
		headers = append(headers, clientHeader(h))
	}
	got, err := event.Decode(headers, rec.Value)
	require.NoError(t, err)
	want := defined()
	want.Key = "default|orders_daily"
	require.Equal(t, want, got)
	require.NotNil(t, got.Data.(*event.TaskDefined).Outputs[0].From, "an empty list of sources is not an absent one")
}

func TestStructuredRoundTrip(t *testing.T) {
	b, err := event.MarshalStructured(defined())
	require.NoError(t, err)
	env, err := event.ReadStructured(b)
	require.NoError(t, err)
	got, err := env.Decode()
	require.NoError(t, err)
	want := defined()
	want.Key = "default|orders_daily"
	require.Equal(t, want, got)

	// A structured event in a record is read too.
	got, err = event.Decode([]event.Header{{Key: "content-type", Value: []byte("application/cloudevents+json; charset=utf-8")}}, b)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestEveryTypeRoundTripsEmptyShape(t *testing.T) {
	for _, e := range event.Entries() {
		require.NotEmpty(t, e.Topic, e.Type)
		data := e.New()
		b, err := json.Marshal(data)
		require.NoError(t, err)
		again := e.New()
		require.NoError(t, json.Unmarshal(b, again), e.Type)
		require.Equal(t, data, again, e.Type)
		data.RecordKey()
		data.Namespaces()
	}
}

func TestDecodeErrorsSayWhatIsWrong(t *testing.T) {
	attributes := func(change func(map[string]string)) []event.Header {
		m := map[string]string{
			"content-type": "application/json", "ce_specversion": "1.0", "ce_id": "1",
			"ce_source": "/s", "ce_type": event.TypeTaskDefined,
		}
		change(m)
		var out []event.Header
		for k, v := range m {
			out = append(out, event.Header{Key: k, Value: []byte(v)})
		}
		return out
	}
	for _, c := range []struct {
		what   string
		change func(map[string]string)
		value  string
		want   error
		code   string
		text   string
	}{
		{"no id", func(m map[string]string) { delete(m, "ce_id") }, `{"id":"x"}`, event.ErrAttribute, "InvalidAttribute", "id is missing"},
		{"no headers at all", func(m map[string]string) { clear(m) }, `{"id":"x"}`, event.ErrAttribute, "InvalidAttribute", "specversion"},
		{"old spec", func(m map[string]string) { m["ce_specversion"] = "0.3" }, `{"id":"x"}`, event.ErrAttribute, "InvalidAttribute", "specversion"},
		{"bad time", func(m map[string]string) { m["ce_time"] = "yesterday" }, `{"id":"x"}`, event.ErrAttribute, "InvalidAttribute", "RFC 3339"},
		{"avro", func(m map[string]string) { m["content-type"] = "application/avro" }, `{"id":"x"}`, event.ErrAttribute, "InvalidAttribute", "not JSON"},
		{"unknown type", func(m map[string]string) { m["ce_type"] = "tributary.task.exploded.v1" }, `{"id":"x"}`, event.ErrUnknownType, "UnknownType", "exploded"},
		{"no version", func(m map[string]string) { m["ce_type"] = "tributary.task.defined" }, `{"id":"x"}`, event.ErrUnknownType, "UnknownType", "no major version"},
		{"next version", func(m map[string]string) { m["ce_type"] = "tributary.task.defined.v2" }, `{"id":"x"}`, event.ErrUnknownVersion, "UnknownVersion", "tributary.task.defined.v1"},
		{"not JSON", func(map[string]string) {}, `{"id":`, event.ErrMalformed, "MalformedEvent", "unexpected end"},
		{"wrong shape", func(map[string]string) {}, `{"id":7}`, event.ErrMalformed, "MalformedEvent", "id"},
		{"null", func(map[string]string) {}, ` null `, event.ErrMalformed, "MalformedEvent", "null"},
		{"not UTF-8", func(map[string]string) {}, "{\"id\":\"\xff\"}", event.ErrMalformed, "MalformedEvent", "byte 7"},
		{"no task id", func(map[string]string) {}, `{"sql":"SELECT 1"}`, event.ErrInvalid, "InvalidEvent", "no id"},
		{"bad kind", func(map[string]string) {}, `{"id":"x","kind":"cron"}`, event.ErrInvalid, "InvalidEvent", "cron"},
	} {
		_, err := event.Decode(attributes(c.change), []byte(c.value))
		require.ErrorIs(t, err, c.want, c.what)
		require.ErrorContains(t, err, c.text, c.what)
		require.Equal(t, c.code, event.Code(err), c.what)
	}
}

func TestUnknownFieldsAreIgnored(t *testing.T) {
	env, err := event.ReadStructured([]byte(`{"specversion":"1.0","id":"1","source":"s","type":"tributary.task.defined.v1","data":{"id":"x","from_the_future":[1]}}`))
	require.NoError(t, err)
	ev, err := env.Decode()
	require.NoError(t, err)
	require.Equal(t, &event.TaskDefined{Task: event.Task{ID: "x"}}, ev.Data)
}

func TestKeyOfRefusesOtherData(t *testing.T) {
	for _, data := range []any{nil, (*event.TaskDefined)(nil), event.TaskDefined{}, &event.TaskRemoved{}} {
		_, err := event.KeyOf(event.Event{Type: event.TypeTaskDefined, Data: data})
		require.ErrorIs(t, err, event.ErrInvalid)
	}
}

func TestAllEventsOfOneTaskShareAKey(t *testing.T) {
	task := event.Task{Namespace: "airflow", ID: "a.b"}
	want := "airflow|a.b"
	for _, ev := range []event.Event{
		{Type: event.TypeTaskDefined, Data: &event.TaskDefined{Task: task, Kind: event.KindAPI}},
		{Type: event.TypeTaskRemoved, Data: &event.TaskRemoved{Task: task}},
		{Type: event.TypeRunCompleted, Data: &event.RunCompleted{Run: event.Run{Task: task}}},
		{Type: event.TypeLineageExtracted, Data: &event.LineageExtracted{Task: task}},
	} {
		key, err := event.KeyOf(ev)
		require.NoError(t, err)
		require.Equal(t, want, key, ev.Type)
	}
}

func TestKeysOfDatasetsAreCanonical(t *testing.T) {
	key, err := event.KeyOf(event.Event{Type: event.TypeTableDefined, Data: &event.TableDefined{
		Dataset: event.Dataset{Namespace: "postgresql://PG", Name: "shop.public.orders"},
	}})
	require.NoError(t, err)
	require.Equal(t, "dataset|postgres://pg:5432|shop.public.orders", key)
}

func TestVersionOrdersPositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.IntRange(0, 65534).Draw(t, "generation")
		o := rapid.Int64Range(0, 1<<48-3).Draw(t, "offset")
		v := event.Version(g, o)
		require.NotZero(t, v)
		g2, o2 := event.SplitVersion(v)
		require.Equal(t, g, g2)
		require.Equal(t, o, o2)
		require.Less(t, v, event.Version(g, o+1))
		require.Less(t, v, event.Version(g+1, 0))
	})
}

func TestStructuredErrors(t *testing.T) {
	const ok = `"specversion":"1.0","id":"1","source":"s","type":"tributary.task.defined.v1"`
	for _, c := range []struct {
		text string
		want error
		says string
	}{
		{`{` + ok + `}`, event.ErrMalformed, "data is missing"},
		{`{` + ok + `,"data":{}`, event.ErrMalformed, "unexpected end"},
		{`[{` + ok + `,"data":{}}]`, event.ErrMalformed, "object"},
		{`{"specversion":1.0,"id":"1"}`, event.ErrAttribute, "specversion should be text"},
		{`{` + ok + `,"data":{},"ext":{"a":1}}`, event.ErrAttribute, "ext should be text"},
		{`{` + ok + `,"data":{},"Ext":"x"}`, event.ErrAttribute, "a-z and 0-9"},
		{`{` + ok + `,"data":{},"data_base64":"e30="}`, event.ErrMalformed, "exclude"},
		{`{` + ok + `,"data_base64":"%%"}`, event.ErrMalformed, "base64"},
		{`{` + ok + `,"data_base64":"ew=="}`, event.ErrMalformed, "JSON"},
		{"{" + ok + ",\"data\":{\"sql\":\"\xff\"}}", event.ErrMalformed, "UTF-8 at byte"},
		{`7`, event.ErrMalformed, "object"},
		{``, event.ErrMalformed, "JSON"},
	} {
		_, err := event.ReadStructured([]byte(c.text))
		require.ErrorIs(t, err, c.want, c.text)
		require.ErrorContains(t, err, c.says, c.text)
	}
}

func TestScanAgreesWithTheStandardLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.StringMatching(`["\\\\{}\[\],: ]{0,9}`))).Draw(t, "texts")
		values := make([]any, 0, 3*len(texts))
		for i, s := range texts {
			values = append(values, s, map[string]any{s: []any{s, i, nil}}, float64(i), i%2 == 0)
		}
		indent := rapid.SampledFrom([]string{"", " ", "\t\n"}).Draw(t, "indent")
		b, err := json.MarshalIndent(values, "", indent)
		require.NoError(t, err)
		var want []json.RawMessage
		require.NoError(t, json.Unmarshal(b, &want))
		got := []json.RawMessage{}
		require.NoError(t, event.Elements(b, func(e []byte) error { got = append(got, e); return nil }))
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, string(want[i]), string(got[i]))
		}
	})
}

// stdlibValue is what Value must agree with.
func stdlibValue(t require.TestingT, b []byte) any {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var want any
	require.NoError(t, d.Decode(&want))
	return want
}

func TestValueAgreesWithTheStandardLibrary(t *testing.T) {
	for _, s := range []string{
		` {} `, `[]`, `[ 1 , -2.5e+7,true,false , null ]`, `"\ud83d\ude00 \ud83d \ude00 \ud83dx \u00e9\n\t\"\\\/\b\f\r"`,
		`{"a":{"b":[{"c":"d"}]},"a":2,"\u0061b":""}`, `"\ud83d\ud83d\ude00"`, `12`, `{"x" : [ [ ] , { } ] }`,
	} {
		require.Equal(t, stdlibValue(t, []byte(s)), event.Value([]byte(s)), s)
	}
}

func FuzzValue(f *testing.F) {
	f.Add([]byte(`{"a":[1,"\ud83d\ude00\\",null,true,{"b":-0.1e5}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if event.CheckJSON(b) == nil {
			require.Equal(t, stdlibValue(t, b), event.Value(b))
		}
	})
}

func BenchmarkParseStructured(b *testing.B) {
	raw, err := event.MarshalStructured(defined())
	require.NoError(b, err)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, err := event.ParseStructured(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzReadStructured(f *testing.F) {
	b, err := event.MarshalStructured(defined())
	require.NoError(f, err)
	f.Add(b)
	f.Add([]byte(`{"specversion":"1.0","id":"1","source":"s","type":"t","data_base64":"e30=","n":1,"b":true}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		env, err := event.ReadStructured(b)
		if err != nil {
			require.NotEmpty(t, event.Code(err))
			return
		}
		ev, err := env.Decode()
		if err != nil {
			return
		}
		rec, err := event.Encode(ev)
		require.NoError(t, err)
		again, err := event.Decode(rec.Headers, rec.Value)
		require.NoError(t, err)
		require.Equal(t, ev.Key, again.Key)
		require.Equal(t, ev.Data, again.Data)
	})
}
