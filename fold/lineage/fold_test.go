package lineage_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/schemas/event"
)

// tables is what a store holds after it took rows: of each identity the row of
// the greatest version, as ReplacingMergeTree keeps it.
type tables struct {
	edges    map[edgeID]lineage.EdgeRow
	mentions map[mentionID]lineage.MentionRow
	errors   map[lineage.OwnerKey]lineage.ErrorsRow
	owners   map[lineage.OwnerKey]storedOwner
}

type edgeID struct {
	edge   lineage.Edge
	owner  lineage.OwnerKey
	opened uint64
}

type mentionID struct {
	owner lineage.OwnerKey
	key   string
}

type storedOwner struct {
	partition int
	version   uint64
	state     string
}

func newTables() *tables {
	return &tables{
		edges: map[edgeID]lineage.EdgeRow{}, mentions: map[mentionID]lineage.MentionRow{},
		errors: map[lineage.OwnerKey]lineage.ErrorsRow{}, owners: map[lineage.OwnerKey]storedOwner{},
	}
}

// put stores rows; without owners it is a crash before they were written.
func (s *tables) put(t require.TestingT, rows *lineage.Rows, owners bool) {
	for _, r := range rows.Edges {
		id := edgeID{r.Edge, r.Owner, r.Opened}
		if r.Version >= s.edges[id].Version {
			s.edges[id] = r
		}
	}
	for _, r := range rows.Mentions {
		id := mentionID{r.Owner, r.Key}
		if r.Version >= s.mentions[id].Version {
			s.mentions[id] = r
		}
	}
	for _, r := range rows.Errors {
		if r.Version >= s.errors[r.Owner].Version {
			s.errors[r.Owner] = r
		}
	}
	if !owners {
		return
	}
	for _, o := range rows.Owners {
		state, err := o.EncodeState()
		require.NoError(t, err)
		if o.Version >= s.owners[o.Key].version {
			s.owners[o.Key] = storedOwner{o.Partition, o.Version, string(state)}
		}
	}
}

func (s *tables) load(t require.TestingT, key lineage.OwnerKey) *lineage.Owner {
	row, ok := s.owners[key]
	if !ok {
		return &lineage.Owner{Key: key}
	}
	o, err := lineage.DecodeState(key, row.partition, row.version, []byte(row.state))
	require.NoError(t, err)
	return o
}

// open lists the edges that are there, with who makes them.
func (s *tables) open() map[string]bool {
	out := map[string]bool{}
	for id, r := range s.edges {
		if r.Closed == 0 {
			out[fmt.Sprint(id.edge, id.owner)] = true
		}
	}
	return out
}

// folder folds records in batches, with owners cached between them.
type folder struct {
	store *tables
	cache map[lineage.OwnerKey]*lineage.Owner
}

func (f *folder) batch(t require.TestingT, recs []lineage.Record, owners bool) {
	var rows lineage.Rows
	for _, rec := range recs {
		for _, key := range lineage.OwnersOf(rec.Data) {
			o := f.cache[key]
			if o == nil {
				o = f.store.load(t, key)
				f.cache[key] = o
			}
			o.Apply(rec, &rows)
		}
	}
	f.store.put(t, &rows, owners)
}

func foldAll(t require.TestingT, recs []lineage.Record) *tables {
	f := folder{store: newTables(), cache: map[lineage.OwnerKey]*lineage.Owner{}}
	f.batch(t, recs, true)
	return f.store
}

// reference is the plain model: it keeps nothing but the latest word of each
// owner, and says which edges are there.
func reference(recs []lineage.Record) map[string]bool {
	type last struct {
		order lineage.Order
		edges map[lineage.Edge]bool
	}
	owners := map[lineage.OwnerKey]*last{}
	drawn := map[lineage.OwnerKey]map[lineage.Edge]bool{}
	for _, rec := range recs {
		for _, key := range lineage.OwnersOf(rec.Data) {
			switch d := rec.Data.(type) {
			case *event.LineageExtracted:
				if d.Result == event.ResultUnchanged {
					continue
				}
				if l := owners[key]; l != nil && lineage.OrderOf(d).Compare(l.order) <= 0 {
					continue
				}
				l := &last{order: lineage.OrderOf(d), edges: map[lineage.Edge]bool{}}
				if d.Result == event.ResultExtracted {
					for _, e := range d.Edges {
						origin := lineage.OriginParsed
						if e.Origin == event.OriginDeclared {
							origin = lineage.OriginDeclared
						}
						l.edges[lineage.Edge{From: e.From, To: e.To, FromColumn: e.FromColumn, ToColumn: e.ToColumn, Direct: e.Direct, Origin: origin}] = true
					}
				}
				owners[key] = l
			case *event.EdgeAdded:
				e := manualEdge(d.Edge)
				if drawn[key] == nil {
					drawn[key] = map[lineage.Edge]bool{}
				}
				drawn[key][e] = true
			case *event.EdgeRemoved:
				e := manualEdge(d.Edge)
				delete(drawn[key], e)
				if e.FromColumn == "" {
					maps.DeleteFunc(drawn[key], func(o lineage.Edge, _ bool) bool { return o.From == e.From && o.To == e.To })
				}
			}
		}
	}
	out := map[string]bool{}
	for key, l := range owners {
		for e := range l.edges {
			out[fmt.Sprint(e, key)] = true
		}
	}
	for key, edges := range drawn {
		for e := range edges {
			out[fmt.Sprint(e, key)] = true
			out[fmt.Sprint(lineage.Edge{From: e.From, To: e.To, Direct: true, Origin: lineage.OriginManual}, key)] = true
		}
	}
	return out
}

func manualEdge(e event.Edge) lineage.Edge {
	return lineage.Edge{From: e.From.NodeKey().String(), To: e.To.NodeKey().String(), FromColumn: e.FromColumn, ToColumn: e.ToColumn, Direct: true, Origin: lineage.OriginManual}
}

func table(i int) string { return fmt.Sprintf("dataset|mysql://h:3306|db.t%d", i) }

// extraction draws what a parser might write for one of few tasks, late and
// repeated ones included.
func extraction(t *rapid.T) *event.LineageExtracted {
	x := &event.LineageExtracted{
		Task:        event.Task{ID: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "task"), Branch: rapid.SampledFrom([]string{"", "dev"}).Draw(t, "branch")},
		Result:      rapid.SampledFrom([]string{"extracted", "extracted", "extracted", "unchanged", "removed", "withdrawn"}).Draw(t, "result"),
		From:        event.Position{Offset: int64(rapid.IntRange(0, 6).Draw(t, "from"))},
		Definitions: event.Position{Offset: int64(rapid.IntRange(0, 2).Draw(t, "definitions"))},
		Parser:      1, Part: 1, Parts: 1, Origin: event.OriginParsed,
	}
	if x.Result != event.ResultExtracted {
		return x
	}
	for range rapid.IntRange(0, 4).Draw(t, "edges") {
		e := event.LineageEdge{
			From: table(rapid.IntRange(0, 2).Draw(t, "from table")), To: table(rapid.IntRange(0, 2).Draw(t, "to table")),
			Direct: true, Statements: []int{rapid.IntRange(1, 2).Draw(t, "statement")},
		}
		if rapid.Bool().Draw(t, "column") {
			e.FromColumn, e.Direct = "c", rapid.Bool().Draw(t, "direct")
			if e.Direct {
				e.ToColumn = "d"
			}
		}
		if rapid.Bool().Draw(t, "declared") {
			e.Origin = event.OriginDeclared
		}
		x.Edges = append(x.Edges, e)
	}
	if rapid.Bool().Draw(t, "kind") {
		x.Nodes = []event.Node{{Key: table(0), Kind: rapid.SampledFrom([]string{"view", "topic"}).Draw(t, "kind of node")}}
	}
	if rapid.Bool().Draw(t, "error") {
		x.Errors = []event.SQLError{{Kind: "syntax", Line: 1, Message: "expected a table"}}
	}
	return x
}

func manual(t *rapid.T) any {
	e := event.Edge{From: event.Ref{Namespace: "mysql://h", Name: "db.t0"}, To: event.Ref{Namespace: "mysql://h", Name: "db.t1"}, Who: rapid.SampledFrom([]string{"ann", "bob"}).Draw(t, "who")}
	if rapid.Bool().Draw(t, "column") {
		e.FromColumn, e.ToColumn = "c", rapid.SampledFrom([]string{"d", "e"}).Draw(t, "to column")
	}
	if rapid.Bool().Draw(t, "add") {
		return &event.EdgeAdded{Edge: e}
	}
	return &event.EdgeRemoved{Edge: e}
}

// logs draws the partitions of tributary.lineage (task a, task b) and the one
// of tributary.tasks that manual edges stand in.
func logs(t *rapid.T) [][]lineage.Record {
	out := make([][]lineage.Record, 3)
	for range rapid.IntRange(1, 25).Draw(t, "events") {
		var data any
		p := 2
		if rapid.IntRange(0, 3).Draw(t, "manual") == 0 {
			data = manual(t)
		} else {
			x := extraction(t)
			data, p = x, int(x.Task.ID[0]-'a')
		}
		out[p] = append(out[p], at(p, len(out[p]), data))
	}
	return out
}

func at(partition, offset int, data any) lineage.Record {
	return lineage.Record{Partition: partition, Version: event.Version(0, int64(offset)), At: time.UnixMilli(int64(1000 + offset)).UTC(), Data: data}
}

func TestFoldEqualsReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		recs := slices.Concat(logs(t)...)
		require.Equal(t, reference(recs), foldAll(t, recs).open())
	})
}

// TestAnyWayOfReading reads the partitions in any interleaving, in batches of
// any size, with crashes after any part of a batch's rows was written and
// reading again from any earlier position: the tables are those of a fold from
// scratch.
func TestAnyWayOfReading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := logs(t)
		want := foldAll(t, slices.Concat(parts...))

		f := folder{store: newTables(), cache: map[lineage.OwnerKey]*lineage.Owner{}}
		next := make([]int, len(parts))
		for remaining := func() []int {
			var open []int
			for p := range parts {
				if next[p] < len(parts[p]) {
					open = append(open, p)
				}
			}
			return open
		}; len(remaining()) > 0; {
			p := rapid.SampledFrom(remaining()).Draw(t, "partition")
			n := rapid.IntRange(1, len(parts[p])-next[p]).Draw(t, "batch")
			crash := rapid.IntRange(0, 3).Draw(t, "crash") == 0
			f.batch(t, parts[p][next[p]:next[p]+n], !crash)
			next[p] += n
			if crash {
				f.cache = map[lineage.OwnerKey]*lineage.Owner{}
				next[p] -= n
			} else if rapid.IntRange(0, 5).Draw(t, "again") == 0 {
				next[p] = rapid.IntRange(0, next[p]).Draw(t, "rewound to")
				f.cache = map[lineage.OwnerKey]*lineage.Owner{}
			}
		}
		require.Equal(t, want, f.store)
	})
}

func TestRepeatsMakeNoRows(t *testing.T) {
	x := extractionOf(0, 1, edge(0, 1))
	o := &lineage.Owner{Key: lineage.OwnersOf(x)[0]}
	var rows lineage.Rows
	require.Equal(t, lineage.OutcomeApplied, o.Apply(at(0, 0, x), &rows))
	require.Len(t, rows.Edges, 1)
	rows = lineage.Rows{}
	require.Equal(t, lineage.OutcomeRepeated, o.Apply(at(0, 0, x), &rows))
	require.Equal(t, lineage.OutcomeRepeated, o.Apply(at(0, 1, x), &rows))
	unchanged := *x
	unchanged.Result, unchanged.Edges, unchanged.From.Offset = event.ResultUnchanged, nil, 9
	require.Equal(t, lineage.OutcomeUnchanged, o.Apply(at(0, 2, &unchanged), &rows))
	require.Equal(t, lineage.Rows{}, rows)
}

func TestNewDefinitionClosesExactlyWhatItNoLongerMakes(t *testing.T) {
	first, second := extractionOf(0, 0, edge(0, 1), edge(0, 2)), extractionOf(1, 0, edge(0, 2), edge(1, 2))
	s := foldAll(t, []lineage.Record{at(0, 0, first), at(0, 1, second)})
	owner := lineage.OwnersOf(first)[0]
	require.Equal(t, map[string]bool{
		fmt.Sprint(parsed(0, 2), owner): true,
		fmt.Sprint(parsed(1, 2), owner): true,
	}, s.open())
	closed := s.edges[edgeID{parsed(0, 1), owner, event.Version(0, 0)}]
	require.Equal(t, event.Version(0, 1), closed.Closed)
	kept := s.edges[edgeID{parsed(0, 2), owner, event.Version(0, 0)}]
	require.Equal(t, event.Version(0, 0), kept.Version, "an edge that both make gets no new row")
}

func TestLateExtractionIsDropped(t *testing.T) {
	newer, older := extractionOf(5, 3, edge(0, 1)), extractionOf(5, 2, edge(1, 2))
	gone := &event.LineageExtracted{Task: newer.Task, Result: event.ResultRemoved, From: event.Position{Offset: 6}, Part: 1, Parts: 1}
	s := foldAll(t, []lineage.Record{at(0, 0, newer), at(0, 1, older)})
	require.Equal(t, map[string]bool{fmt.Sprint(parsed(0, 1), lineage.OwnersOf(newer)[0]): true}, s.open())
	s = foldAll(t, []lineage.Record{at(0, 0, gone), at(0, 1, newer)})
	require.Empty(t, s.open(), "an extraction from before the removal")
}

func TestPartsCountOnceAllAreThere(t *testing.T) {
	part := func(n int, e event.LineageEdge) *event.LineageExtracted {
		x := extractionOf(1, 0, e)
		x.Part, x.Parts = n, 2
		return x
	}
	old := extractionOf(0, 0, edge(2, 0))
	f := folder{store: newTables(), cache: map[lineage.OwnerKey]*lineage.Owner{}}
	f.batch(t, []lineage.Record{at(0, 0, old), at(0, 1, part(2, edge(1, 2)))}, true)
	owner := lineage.OwnersOf(old)[0]
	require.Equal(t, map[string]bool{fmt.Sprint(parsed(2, 0), owner): true}, f.store.open())

	// A restart in between keeps the part.
	f.cache = map[lineage.OwnerKey]*lineage.Owner{}
	f.batch(t, []lineage.Record{at(0, 2, part(2, edge(1, 2))), at(0, 3, part(1, edge(0, 1)))}, true)
	require.Equal(t, map[string]bool{fmt.Sprint(parsed(0, 1), owner): true, fmt.Sprint(parsed(1, 2), owner): true}, f.store.open())
}

func TestManualAndParsedEdgeAreTwo(t *testing.T) {
	x := extractionOf(0, 0, edge(0, 1))
	drawn := event.Edge{From: event.Ref{Namespace: "mysql://h", Name: "db.t0"}, To: event.Ref{Namespace: "mysql://h", Name: "db.t1"}, Who: "ann"}
	both := []lineage.Record{at(0, 0, x), at(2, 0, &event.EdgeAdded{Edge: drawn})}
	people := lineage.OwnersOf(&event.EdgeAdded{Edge: drawn})[0]
	require.Len(t, foldAll(t, both).open(), 2)

	s := foldAll(t, append(both, at(2, 1, &event.EdgeRemoved{Edge: drawn})))
	require.Equal(t, map[string]bool{fmt.Sprint(parsed(0, 1), lineage.OwnersOf(x)[0]): true}, s.open())

	s = foldAll(t, append(both, at(0, 1, extractionOf(1, 0))))
	require.Equal(t, map[string]bool{fmt.Sprint(manualEdge(drawn), people): true}, s.open())
}

func TestLastColumnEdgeTakesTheTableEdge(t *testing.T) {
	column := func(to string) event.Edge {
		return event.Edge{From: event.Ref{Namespace: "mysql://h", Name: "db.t0"}, FromColumn: "c", To: event.Ref{Namespace: "mysql://h", Name: "db.t1"}, ToColumn: to, Who: "ann"}
	}
	recs := []lineage.Record{
		at(2, 0, &event.EdgeAdded{Edge: column("d")}), at(2, 1, &event.EdgeAdded{Edge: column("e")}), at(2, 2, &event.EdgeRemoved{Edge: column("d")}),
	}
	require.Len(t, foldAll(t, recs).open(), 2, "one column edge and its table edge")
	require.Empty(t, foldAll(t, append(recs, at(2, 3, &event.EdgeRemoved{Edge: column("e")}))).open())
}

func TestRunsAccumulateAndACompleteOneReplaces(t *testing.T) {
	run := func(from int, id, state string, inputs, outputs []string) lineage.Record {
		return at(0, from, &event.LineageExtracted{
			Task: event.Task{ID: "a"}, Result: event.ResultExtracted, From: event.Position{Offset: int64(from)}, Part: 1, Parts: 1,
			Origin: event.OriginObserved, RunID: id, Observed: &event.Observed{State: state, Inputs: inputs, Outputs: outputs},
		})
	}
	observed := func(from, to int) string {
		return fmt.Sprint(lineage.Edge{From: table(from), To: table(to), Direct: true, Origin: lineage.OriginObserved}, lineage.OwnerKey{Task: "default|a", Branch: "master", Source: lineage.SourceRuns})
	}
	recs := []lineage.Record{
		run(0, "r1", event.RunStateRunning, []string{table(0)}, nil),
		run(1, "r1", event.RunStateCompleted, nil, []string{table(1)}),
	}
	require.Equal(t, map[string]bool{observed(0, 1): true}, foldAll(t, recs).open())

	recs = append(recs, run(2, "r2", event.RunStateFailed, []string{table(1)}, []string{table(2)}))
	require.Equal(t, map[string]bool{observed(0, 1): true, observed(1, 2): true}, foldAll(t, recs).open(), "a failed run adds")

	recs = append(recs, run(3, "r3", event.RunStateCompleted, []string{table(0)}, []string{table(2)}))
	require.Equal(t, map[string]bool{observed(0, 2): true}, foldAll(t, recs).open())

	blind := append(slices.Clone(recs), run(4, "r4", event.RunStateCompleted, nil, nil))
	require.Equal(t, map[string]bool{observed(0, 2): true}, foldAll(t, blind).open(), "a run that names nothing replaces nothing")

	recs = append(recs, run(4, "r3", event.RunStateFailed, nil, nil))
	require.Equal(t, map[string]bool{observed(0, 2): true}, foldAll(t, recs).open(), "a state that ends a run stays")
}

func TestStateSurvivesStorage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		recs := slices.Concat(logs(t)...)
		cache := map[lineage.OwnerKey]*lineage.Owner{}
		for _, rec := range recs {
			for _, key := range lineage.OwnersOf(rec.Data) {
				if cache[key] == nil {
					cache[key] = &lineage.Owner{Key: key}
				}
				cache[key].Apply(rec, &lineage.Rows{})
			}
		}
		for key, o := range cache {
			state, err := o.EncodeState()
			require.NoError(t, err)
			back, err := lineage.DecodeState(key, o.Partition, o.Version, state)
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(o, back, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(lineage.Owner{}, "At")))
			again, err := back.EncodeState()
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(string(state), string(again)))
		}
	})
}

func FuzzDecodeState(f *testing.F) {
	f.Add([]byte(`{"form":1,"order":[0,0,0,0,0,0],"strings":["x"],"items":[[0,0,0,0,1,1,1,1,0,0,1]]}`))
	f.Add([]byte(`{"form":1,"order":[0,0,0,0,0,0],"items":[[7]]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if o, err := lineage.DecodeState(lineage.OwnerKey{}, 0, 1, b); err == nil {
			_, err = o.EncodeState()
			require.NoError(t, err)
		}
	})
}

func TestColumnIDIsNoNodeID(t *testing.T) {
	require.NotEqual(t, lineage.ID("dataset|n|a.b", ""), lineage.ID("dataset|n|a", "b"))
}

func edge(from, to int) event.LineageEdge {
	return event.LineageEdge{From: table(from), To: table(to), Direct: true}
}

func parsed(from, to int) lineage.Edge {
	return lineage.Edge{From: table(from), To: table(to), Direct: true, Origin: lineage.OriginParsed}
}

func extractionOf(from, definitions int64, edges ...event.LineageEdge) *event.LineageExtracted {
	return &event.LineageExtracted{
		Task: event.Task{ID: "a"}, Result: event.ResultExtracted, From: event.Position{Offset: from}, Definitions: event.Position{Offset: definitions},
		Parser: 1, Part: 1, Parts: 1, Origin: event.OriginParsed, Edges: edges,
	}
}

func TestNodesOfAnExtraction(t *testing.T) {
	x := extractionOf(0, 0, event.LineageEdge{From: table(0), FromColumn: "a", To: table(1), ToColumn: "b", Direct: true})
	require.Equal(t, []lineage.NodeRow{
		{Key: "task|default|a"}, {Key: table(0)}, {Key: table(0), Column: "a"}, {Key: table(1)}, {Key: table(1), Column: "b"},
	}, lineage.NodesOf(x, nil))
	require.Empty(t, lineage.NodesOf(&event.LineageExtracted{Result: event.ResultUnchanged, Task: x.Task}, nil))
}
