package consumer

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/parser"
	"github.com/tributary-data/tributary/schemas/event"
)

const orders = "dataset|mysql://shop:3306|db.orders"

func testCatalog() *catalog { return newCatalog(nil, slog.New(slog.DiscardHandler), 0) }

// define gives the catalog a definition, as the log would.
func define(t require.TestingT, c *catalog, data any, eventType string) {
	rec, err := encode(event.Event{ID: fmt.Sprint(c.next), Source: "test", Type: eventType, Data: data})
	require.NoError(t, err)
	rec.Offset = c.next
	c.take([]log.Record{rec})
}

func columnsOf(branch, by string, names ...string) *event.TableDefined {
	d := &event.TableDefined{Dataset: event.Dataset{Namespace: "mysql://shop", Name: "db.orders", Branch: branch}, DerivedBy: by}
	for _, n := range names {
		d.Columns = append(d.Columns, event.Column{Name: n})
	}
	return d
}

// remember notes a task that looked the orders up.
func remember(m *memory, name string, offset int64, found uint64) taskID {
	id := idOf(name, "master")
	m.expect(id, "master", sumOf([]byte(name)), offset, true)
	m.learn(id, offset, []use{{orders, found}})
	return id
}

func TestOnlyDependantsGoToTheLaneAndEachOnce(t *testing.T) {
	c := testCatalog()
	m := newMemory(c)
	defer c.watch(m, m.change)()
	user := remember(m, "user", 1, 0)
	other := idOf("other", "master")
	m.expect(other, "master", sumOf([]byte("other")), 2, true)
	m.learn(other, 2, []use{{"dataset|mysql://shop:3306|db.customers", 0}})

	define(t, c, columnsOf("", "", "id"), event.TypeTableDefined)
	define(t, c, columnsOf("", "", "id", "amount"), event.TypeTableDefined)
	require.Equal(t, []taskID{user}, m.lane.take(10))
	offset, ok := m.due(user, parser.Version)
	require.True(t, ok)
	require.Equal(t, int64(1), offset)
	require.Empty(t, m.lane.take(10))

	// Once it has seen the columns of now it is not due.
	m.learn(user, 1, []use{{orders, c.defs.UseHash(orders, "master")}})
	_, ok = m.due(user, parser.Version)
	require.False(t, ok)
	_, ok = m.due(user, parser.Version+1)
	require.True(t, ok, "a newer parser")
}

func TestWhatChangedDuringAnExtractionIsNoticed(t *testing.T) {
	c := testCatalog()
	m := newMemory(c)
	define(t, c, columnsOf("", "", "id"), event.TypeTableDefined)
	id := remember(m, "late", 1, 0) // looked up before the columns were there
	require.Equal(t, []taskID{id}, m.lane.take(1))
}

func TestARepeatIsKnownUntilItIsNoLongerWhatTheTaskIs(t *testing.T) {
	m := newMemory(testCatalog())
	id := idOf("a", "dev")
	first, second := sumOf([]byte("first")), sumOf([]byte("second"))
	m.expect(id, "dev", first, 1, true)
	branch, ok := m.repeated(first)
	require.True(t, ok)
	require.Equal(t, "dev", branch)
	m.expect(id, "dev", second, 2, true)
	_, ok = m.repeated(first)
	require.False(t, ok)
	m.expect(id, "dev", second, 3, false)
	_, ok = m.repeated(second)
	require.False(t, ok, "a task that is removed comes back by the same event")
}

func TestTasksThatNeverSettleAreGivenUp(t *testing.T) {
	c := testCatalog()
	m := newMemory(c)
	defer c.watch(m, m.change)()
	id := remember(m, "restless", 1, 0)
	rounds := 0
	for i := range 2 * maxRounds {
		define(t, c, columnsOf("", "default|maker", fmt.Sprint("c", i)), event.TypeTableDefined)
		for _, waiting := range m.lane.take(10) {
			if _, ok := m.due(waiting, parser.Version); ok {
				rounds++
			}
		}
	}
	require.Equal(t, maxRounds, rounds)
	define(t, c, columnsOf("", "", "said"), event.TypeTableDefined)
	_, ok := m.due(id, parser.Version)
	require.True(t, ok, "a definition by the platform counts again")
}

// TestTheIndexIsThatOfAFreshOne: however uses come and go, the tasks filed
// under a definition are those that use it.
func TestTheIndexIsThatOfAFreshOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMemory(testCatalog())
		for offset := range rapid.IntRange(1, 20).Draw(t, "events") {
			name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "task")
			id := idOf(name, "master")
			m.expect(id, "master", sumOf([]byte(fmt.Sprint(name, offset))), int64(offset), true)
			var uses []use
			for _, n := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"x", "y", "z"}), rapid.ID[string]).Draw(t, "uses") {
				uses = append(uses, use{"dataset|n|" + n, 0})
			}
			m.learn(id, int64(offset), uses)
		}
		got := map[string]map[taskID]bool{}
		for k, ids := range m.users {
			for _, id := range ids.tasks {
				if got[k] == nil {
					got[k] = map[taskID]bool{}
				}
				require.False(t, got[k][id], "filed twice")
				got[k][id] = true
			}
		}
		m.reindex()
		for k, ids := range m.users {
			require.Len(t, got[k], len(ids.tasks))
			for _, id := range ids.tasks {
				require.True(t, got[k][id])
			}
			delete(got, k)
		}
		require.Empty(t, got)
	})
}

func TestConsistentTriesAgainWhenALookUpChanges(t *testing.T) {
	c := testCatalog()
	tries := 0
	l, at := c.consistent("master", func(l *lookup) {
		tries++
		_, _ = l.columns(orders)
		if tries == 1 {
			define(t, c, columnsOf("", "", "id"), event.TypeTableDefined)
		}
	})
	require.Equal(t, 2, tries)
	require.Len(t, l.uses, 1)
	require.Equal(t, orders, l.uses[0].key)
	require.NotZero(t, l.uses[0].hash)
	require.Equal(t, int64(1), at.Offset)
}

func TestSplitKeepsEverythingInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := head(event.Task{ID: "a"}, event.Position{}, event.ResultExtracted, event.OriginParsed)
		for i := range rapid.IntRange(0, 30).Draw(t, "edges") {
			x.Edges = append(x.Edges, event.LineageEdge{From: fmt.Sprint(i)})
		}
		for i := range rapid.IntRange(0, 10).Draw(t, "nodes") {
			x.Nodes = append(x.Nodes, event.Node{Key: fmt.Sprint(i)})
		}
		x.Steps = []byte(`{}`)
		items := rapid.IntRange(1, 12).Draw(t, "items")
		var edges []event.LineageEdge
		var nodes []event.Node
		parts := split(x, items)
		for i, p := range parts {
			require.LessOrEqual(t, size(p), items)
			require.Equal(t, []int{i + 1, len(parts)}, []int{p.Part, p.Parts})
			require.Equal(t, i == 0, p.Steps != nil)
			edges, nodes = append(edges, p.Edges...), append(nodes, p.Nodes...)
		}
		require.Equal(t, x.Edges, edges)
		require.Equal(t, x.Nodes, nodes)
	})
}

func TestWhatNoRecordHoldsIsALimitError(t *testing.T) {
	x := head(event.Task{ID: "a"}, event.Position{}, event.ResultExtracted, event.OriginParsed)
	x.Edges = []event.LineageEdge{{From: strings.Repeat("x", log.MaxRecordBytes), To: "y"}}
	recs, err := encodeLineage(x)
	require.NoError(t, err)
	require.Len(t, recs, 1)
	ev, err := event.Decode(recs[0].Headers, recs[0].Value)
	require.NoError(t, err)
	require.Equal(t, "limit", ev.Data.(*event.LineageExtracted).Errors[0].Kind)
}

func TestDeriveTellsNewAndLostColumns(t *testing.T) {
	c := testCatalog()
	e := &extractor{catalog: c}
	x := head(event.Task{ID: "maker"}, event.Position{}, event.ResultExtracted, event.OriginParsed)
	x.Columns = []event.NodeColumns{{Key: orders, Names: []string{"id", "ID", "amount"}}, {Key: "api|default|maker", Names: []string{"x"}}}
	out := &extraction{lineage: x, task: x.Task}
	e.derive(out, []string{"dataset|mysql://shop:3306|db.old"})
	require.Len(t, out.columns, 2)
	require.Equal(t, []string{"id", "amount"}, lineage.ColumnNames(out.columns[0].(*event.TableDefined).Columns))
	require.Equal(t, "db.old", out.columns[1].(*event.TableRemoved).Name)

	define(t, c, out.columns[0], event.TypeTableDefined)
	again := &extraction{lineage: x, task: x.Task}
	e.derive(again, out.given)
	require.Empty(t, again.columns, "known by now")
}
