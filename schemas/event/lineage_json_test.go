package event

import (
	"encoding/json"
	"testing"
	"time"

	fast "github.com/go-json-experiment/json/v1"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// words are texts that are easy and hard to write.
func words() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "dataset|mysql://shop:3306|ods.orders", "order_id", "订单", "a<b & c>d", "x\"y\\z\n\t", "\u2028", "\x00\x1f\x7f", "\xff", "😀"}),
		rapid.StringN(0, 200, 300),
	)
}

func lists[T any](g *rapid.Generator[T]) *rapid.Generator[[]T] {
	return rapid.Custom(func(t *rapid.T) []T {
		switch rapid.IntRange(0, 20).Draw(t, "length") {
		case 0:
			return []T{}
		case 1, 2, 3, 4, 5, 6, 7:
			return nil
		}
		return rapid.SliceOfN(g, 1, 4).Draw(t, "list")
	})
}

func positions(t *rapid.T) Position {
	return Position{Generation: rapid.Int().Draw(t, "generation"), Partition: rapid.IntRange(0, 9).Draw(t, "partition"), Offset: rapid.Int64().Draw(t, "offset")}
}

func edges(t *rapid.T) LineageEdge {
	text, yes := words(), rapid.Bool()
	return LineageEdge{
		From: text.Draw(t, "from"), FromColumn: text.Draw(t, "from column"), To: text.Draw(t, "to"), ToColumn: text.Draw(t, "to column"),
		Level: text.Draw(t, "level"), Direct: yes.Draw(t, "direct"), Via: lists(text).Draw(t, "via"),
		Statements: lists(rapid.Int()).Draw(t, "statements"), Unexpanded: yes.Draw(t, "unexpanded"), Origin: text.Draw(t, "origin"),
	}
}

func extractions(t *rapid.T) *LineageExtracted {
	text, number, yes := words(), rapid.Int(), rapid.Bool()
	l := &LineageExtracted{
		Task: Task{Namespace: text.Draw(t, "namespace"), ID: text.Draw(t, "id"), Branch: text.Draw(t, "branch")},
		Kind: text.Draw(t, "kind"), Name: text.Draw(t, "name"), Result: text.Draw(t, "result"), From: positions(t), Definitions: positions(t),
		Parser: number.Draw(t, "parser"), Part: number.Draw(t, "part"), Parts: number.Draw(t, "parts"), Origin: text.Draw(t, "origin"),
		Dialect: text.Draw(t, "dialect"), DialectGuessed: yes.Draw(t, "guessed"), Confidence: rapid.SampledFrom([]float64{0, 1, 0.25, 1e-9, -3}).Draw(t, "confidence"),
		Hash: text.Draw(t, "hash"), RunID: text.Draw(t, "run"),
		Edges: lists(rapid.Custom(edges)).Draw(t, "edges"),
		Steps: rapid.SampledFrom([]json.RawMessage{nil, json.RawMessage(`{"nodes":[{"n":0,"label":"a\"b","on":true,"off":null}],"edges":[[0,-1],[]],"o":{}}`), json.RawMessage(`[1.5]`)}).Draw(t, "steps"),
	}
	for range rapid.IntRange(0, 2).Draw(t, "things") {
		l.Uses = append(l.Uses, Use{text.Draw(t, "use"), yes.Draw(t, "found"), text.Draw(t, "columns hash")})
		l.Nodes = append(l.Nodes, Node{text.Draw(t, "node"), text.Draw(t, "node kind"), text.Draw(t, "display")})
		l.Statements = append(l.Statements, Statement{
			number.Draw(t, "n"), number.Draw(t, "line"), number.Draw(t, "column"), number.Draw(t, "end line"), text.Draw(t, "statement kind"),
			lists(text).Draw(t, "reads"), lists(text).Draw(t, "writes"),
		})
		l.Columns = append(l.Columns, NodeColumns{text.Draw(t, "key"), lists(text).Draw(t, "names")})
		l.Errors = append(l.Errors, SQLError{text.Draw(t, "error kind"), number.Draw(t, "statement"), number.Draw(t, "error line"), number.Draw(t, "error column"), text.Draw(t, "message")})
	}
	if yes.Draw(t, "observed") {
		l.Observed = &Observed{text.Draw(t, "state"), lists(text).Draw(t, "inputs"), lists(text).Draw(t, "outputs")}
	}
	if yes.Draw(t, "flink") {
		l.Flink = &Flink{Sources: []FlinkTable{{Name: text.Draw(t, "table")}}}
	}
	return l
}

// TestExtractionsAreWrittenAsByReflection writes all kinds of extractions member by
// member and by reflection, and reads them both ways.
func TestExtractionsAreWrittenAsByReflection(t *testing.T) {
	short, alike := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		l := extractions(t)
		want, err := fast.Marshal(l)
		require.NoError(t, err)
		got, same, err := marshal(l)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
		if len(l.Statements) > 0 {
			want, err = fast.Marshal(l.Statements)
			require.NoError(t, err)
			require.Equal(t, string(want), string(AppendStatements(nil, l.Statements)))
		}
		if requireSameReading(t, got) {
			short++
		}
		if same {
			alike++
			read, err := unmarshal(got, func() Data { return new(LineageExtracted) })
			require.NoError(t, err)
			require.Equal(t, l, read)
		}
	})
	require.Positive(t, short, "nothing was read the short way")
	require.Positive(t, alike, "nothing was told to be read as it was")
}

// requireSameReading reads JSON both ways, and reports whether the short way took
// it as either event.
func requireSameReading(t require.TestingT, b []byte) bool {
	lineage := sameReading(t, b, func() Data { return new(LineageExtracted) })
	return sameReading(t, b, func() Data { return new(TaskDefined) }) || lineage
}

func sameReading(t require.TestingT, b []byte, fresh func() Data) bool {
	short, long := fresh(), fresh()
	if !readUsual(b, short) {
		return false
	}
	require.NoError(t, fast.Unmarshal(b, long), "%s", b)
	require.Equal(t, long, short, "%s", b)
	return true
}

// Extractions and definitions as nearly all are.
const (
	usualExtraction = `{"task":{"id":"a"},"result":"extracted","from":{"generation":0,"partition":3,"offset":12},"definitions":{"generation":0,"partition":0,"offset":0},` +
		`"parser":1,"part":1,"parts":1,"origin":"parsed","dialect":"mysql","confidence":0.5,"hash":"00","uses":[{"key":"k","found":false}],"nodes":[{"key":"k"}],` +
		`"edges":[{"from":"k","from_column":"c","to":"k","level":"column","direct":true,"via":["identity"],"statements":[1,2]}],` +
		`"statements":[{"n":1,"line":1,"column":1,"reads":["k"]}],"steps":{"nodes":[{"n":0}],"edges":[[0,1]]},"errors":[{"kind":"syntax","message":"\"x\""}]}`
	usualDefinition = ` {"sql": "SELECT a\n FROM t WHERE a \u003e '\u00e4'", "id" :"t", "namespace":"n","branch":"b","kind":"batch","name":"","owner":"o","description":"d",` +
		`"dialect":"mysql","default_source":"s","default_catalog":"c","default_schema":"d"} `
)

func TestUsualEventsAreReadTheShortWay(t *testing.T) {
	require.True(t, requireSameReading(t, []byte(usualExtraction)))
	require.True(t, requireSameReading(t, []byte(usualDefinition)))
	for _, other := range []string{`{"id":"a","id":"b"}`, `{"ID":"a"}`, `{"id":null}`, `{"id":"a","labels":{}}`, `{"id":"a",}`, `null`, ``} {
		require.False(t, requireSameReading(t, []byte(other)), other)
	}
}

// TestEncodeGivesTheEventThatDecodeGives changes an event in all ways in which it is
// not read as it was.
func TestEncodeGivesTheEventThatDecodeGives(t *testing.T) {
	usual := func() (Event, *LineageExtracted) {
		l := new(LineageExtracted)
		require.True(t, readUsual([]byte(usualExtraction), l))
		return Event{ID: "1", Source: "test", Type: TypeLineageExtracted, Time: time.Time{}.In(time.FixedZone("east", 3600)), Key: "not the key", Data: l}, l
	}
	ev, l := usual()
	rec, err := Encode(ev)
	require.NoError(t, err)
	read, err := Decode(rec.Headers, rec.Value)
	require.NoError(t, err)
	require.Equal(t, &read, rec.Event)
	require.Same(t, l, rec.Event.Data)

	for what, change := range map[string]func(*Event, *LineageExtracted){
		"a time":                  func(ev *Event, _ *LineageExtracted) { ev.Time = time.Now() },
		"no extensions":           func(ev *Event, _ *LineageExtracted) { ev.Extensions = map[string]string{} },
		"extensions":              func(ev *Event, _ *LineageExtracted) { ev.Extensions = map[string]string{"a": "b"} },
		"text that is not UTF-8":  func(_ *Event, l *LineageExtracted) { l.Errors[0].Message = "\xff" },
		"an empty list of edges":  func(_ *Event, l *LineageExtracted) { l.Edges = []LineageEdge{} },
		"an empty list of ways":   func(_ *Event, l *LineageExtracted) { l.Edges[0].Via = []string{} },
		"an empty list of places": func(_ *Event, l *LineageExtracted) { l.Edges[0].Statements = []int{} },
		"empty steps":             func(_ *Event, l *LineageExtracted) { l.Steps = json.RawMessage{} },
		"tables of Flink's":       func(_ *Event, l *LineageExtracted) { l.Flink = &Flink{Sources: []FlinkTable{}} },
	} {
		ev, l := usual()
		change(&ev, l)
		rec, err := Encode(ev)
		require.NoError(t, err, what)
		require.Nil(t, rec.Event, what)
	}
	removed, err := Encode(Event{ID: "1", Source: "test", Type: TypeTaskRemoved, Data: &TaskRemoved{Task: Task{ID: "a"}}})
	require.NoError(t, err)
	require.Nil(t, removed.Event, "nobody watches other types being written")
}

func FuzzReadingAsWritten(f *testing.F) {
	f.Add([]byte(usualExtraction))
	f.Add([]byte(usualDefinition))
	f.Fuzz(func(t *testing.T, b []byte) {
		if InvalidUTF8(b) < 0 {
			requireSameReading(t, b)
		}
	})
}

// TestChangedBytesAreReadAlike changes an event at every byte: what the short way
// still takes means the same by reflection.
func TestChangedBytesAreReadAlike(t *testing.T) {
	for _, usual := range []string{usualExtraction, usualDefinition} {
		for i := range len(usual) {
			for _, c := range []byte("\x00 \"\\{}[],:-.0e9tnu") {
				b := []byte(usual)
				b[i] = c
				requireSameReading(t, b)
				requireSameReading(t, append(b[:i:i], usual[i+1:]...))
			}
			requireSameReading(t, []byte(usual[:i]))
		}
	}
}
