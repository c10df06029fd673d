package feed_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/log/logtest"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/internal/store/storetest"
	"github.com/tributary-data/tributary/lineage/api"
	"github.com/tributary-data/tributary/lineage/feed"
	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/lineage/history"
	"github.com/tributary-data/tributary/projector"
	"github.com/tributary-data/tributary/schemas/event"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// story writes a log as platforms, people and the parser would: task events
// with their answers, runs, edges drawn by hand, definitions, mappings.
type story struct {
	*rand.Rand
	t      testing.TB
	client *log.Client
	n      int
}

func newStory(tb testing.TB, client *log.Client, seed uint64) *story {
	tb.Helper()
	return &story{Rand: rand.New(rand.NewPCG(seed, 7)), t: tb, client: client}
}

func (s *story) append(eventType string, data any) log.Position {
	s.n++
	rec, err := event.Encode(event.Event{ID: fmt.Sprint(s.n), Source: "story", Type: eventType, Time: time.UnixMilli(1_700_000_000_000).UTC(), Data: data})
	require.NoError(s.t, err)
	out := log.Record{Topic: rec.Topic, Key: rec.Key, Value: rec.Value}
	for _, h := range rec.Headers {
		out.Headers = append(out.Headers, log.Header(h))
	}
	positions, err := s.client.Append(s.t.Context(), []log.Record{out})
	require.NoError(s.t, err)
	return positions[0]
}

var branches = []string{"master", "develop", "feature"}

func (s *story) task() event.Task {
	t := event.Task{ID: fmt.Sprintf("task%d", s.IntN(6)), Branch: branches[s.IntN(3)]}
	if t.ID >= "task3" {
		t.Namespace = "tributary://shop" // a job spec
	}
	return t
}

var places = []string{"mysql://h:3306", "mysql://m:3306"}

// table is one of few, some of them written in another case.
func (s *story) table() string {
	return fmt.Sprintf("dataset|%s|%s.t%d", places[s.IntN(2)], []string{"db", "db", "DB"}[s.IntN(3)], s.IntN(5))
}

func (s *story) step() {
	switch s.IntN(10) {
	case 0, 1, 2, 3:
		s.extract(event.TypeTaskDefined, &event.TaskDefined{}, event.ResultExtracted)
	case 4:
		s.extract(event.TypeTaskRemoved, &event.TaskRemoved{}, event.ResultRemoved)
	case 5:
		s.extract(event.TypeTaskWithdrawn, &event.TaskWithdrawn{}, event.ResultWithdrawn)
	case 6:
		s.run()
	case 7:
		s.draw()
	case 8:
		s.define()
	default:
		s.merge()
	}
}

func (s *story) extract(eventType string, data any, result string) {
	task := s.task()
	switch d := data.(type) {
	case *event.TaskDefined:
		d.Task, d.SQL = task, fmt.Sprintf("select %d", s.n)
		d.Kind = []string{"batch", "realtime"}[s.IntN(2)]
	case *event.TaskRemoved:
		d.Task = task
	case *event.TaskWithdrawn:
		d.Task = task
	}
	x := &event.LineageExtracted{Task: task, Result: result, Part: 1, Parts: 1, Parser: 1, Origin: event.OriginParsed}
	switch d := data.(type) {
	case *event.TaskDefined:
		x.Kind = d.Kind
		s.edges(x)
		if task.Namespace != "" {
			for _, ref := range s.outputs(x) {
				d.Outputs = append(d.Outputs, event.Output{Ref: ref})
			}
		}
	case *event.TaskRemoved:
		if task.Namespace != "" {
			d.Outputs = s.outputs(x)
		}
	}
	at := s.append(eventType, data)
	x.From = event.Position{Partition: at.Partition, Offset: at.Offset}
	s.append(event.TypeLineageExtracted, x)
}

func (s *story) edges(x *event.LineageExtracted) {
	for range s.IntN(7) {
		e := event.LineageEdge{From: s.table(), To: s.table(), Direct: true, Statements: []int{1 + s.IntN(3)}}
		switch s.IntN(4) {
		case 1:
			e.FromColumn, e.ToColumn, e.Via = s.column(), s.column(), []string{event.ViaIdentity}
		case 2:
			e.FromColumn, e.Direct, e.Via = s.column(), false, []string{event.ViaFilter}
		case 3:
			e.Statements = []int{1, 2 + s.IntN(2)}
		}
		x.Edges = append(x.Edges, e)
	}
}

// outputs gives what a job spec declares: what its edges go into, and one more
// that they do not touch. The extraction mentions them.
func (s *story) outputs(x *event.LineageExtracted) []event.Ref {
	keys, starts := []string{s.table()}, map[string]bool{}
	for _, e := range x.Edges {
		keys, starts[e.From] = append(keys, e.To), true
	}
	if starts[keys[0]] {
		keys = keys[1:]
	}
	var out []event.Ref
	for _, key := range keys {
		parts := strings.Split(key, "|")
		out = append(out, event.Ref{Namespace: parts[1], Name: parts[2]})
		x.Nodes = append(x.Nodes, event.Node{Key: key})
	}
	return out
}

func (s *story) column() string { return string(rune('a' + s.IntN(3))) }

func (s *story) run() {
	task := s.task()
	at := s.append(event.TypeRunCompleted, &event.RunCompleted{Run: event.Run{RunID: fmt.Sprint("r", s.IntN(4)), Task: task}})
	x := &event.LineageExtracted{
		Task: task, Kind: "batch", Result: event.ResultExtracted, Part: 1, Parts: 1, Parser: 1, Origin: event.OriginObserved, RunID: fmt.Sprint("r", s.n),
		From:     event.Position{Partition: at.Partition, Offset: at.Offset},
		Observed: &event.Observed{State: event.RunStateCompleted, Inputs: []string{s.table()}, Outputs: []string{s.table()}},
	}
	s.append(event.TypeLineageExtracted, x)
}

func (s *story) draw() {
	e := event.Edge{From: event.Ref{Namespace: places[0], Name: fmt.Sprintf("db.t%d", s.IntN(3))}, To: event.Ref{Namespace: places[0], Name: fmt.Sprintf("db.t%d", s.IntN(3))}, Who: "ann", Why: "known", Branch: branches[s.IntN(3)]}
	if s.IntN(2) == 0 {
		e.FromColumn, e.ToColumn = s.column(), s.column()
	}
	if s.IntN(3) == 0 {
		s.append(event.TypeEdgeRemoved, &event.EdgeRemoved{Edge: e})
		return
	}
	s.append(event.TypeEdgeAdded, &event.EdgeAdded{Edge: e})
}

func (s *story) define() {
	d := event.Dataset{Namespace: places[s.IntN(2)], Name: fmt.Sprintf("db.t%d", s.IntN(5)), Branch: branches[s.IntN(3)]}
	if s.IntN(4) == 0 {
		s.append(event.TypeTableRemoved, &event.TableRemoved{Dataset: d})
		return
	}
	s.append(event.TypeTableDefined, &event.TableDefined{Dataset: d, Kind: []string{"table", "view"}[s.IntN(2)], Columns: []event.Column{{Name: "a", Type: "int"}, {Name: fmt.Sprint("d", s.IntN(2)), Masked: true}}})
}

func (s *story) merge() {
	id := fmt.Sprint("m", s.IntN(2))
	if s.IntN(2) == 0 {
		s.append(event.TypeSourceUnmerged, &event.SourceUnmerged{ID: id})
		return
	}
	n := fmt.Sprintf("db.t%d", s.IntN(5))
	s.append(event.TypeSourceMerged, &event.SourceMerged{ID: id, From: event.Place{Namespace: places[1], Prefix: n}, To: event.Place{Namespace: places[0], Prefix: n}, Exact: true, IgnoreCase: s.IntN(2) == 0, Who: "ann"})
}

// bounded is a log that ends at a position.
type bounded struct {
	*log.Client
	until graph.Position
}

func (b bounded) Ends(_ context.Context, topic string) ([]int64, error) { return b.until[topic], nil }

func (b bounded) Read(ctx context.Context, topic string, partition int, from int64, fn func([]log.Record) error) error {
	until := b.until[topic][partition]
	if from < until {
		if err := b.ReadUntil(ctx, topic, partition, from, until, fn); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

func ends(tb testing.TB, client *log.Client) graph.Position {
	tb.Helper()
	p := graph.Position{}
	for _, topic := range []string{log.TopicTasks, log.TopicLineage, log.TopicDefinitions} {
		offsets, err := client.Ends(tb.Context(), topic)
		require.NoError(tb, err)
		p[topic] = offsets
	}
	return p
}

// follow starts a feed that is stopped when the test ends.
func follow(tb testing.TB, cfg feed.Config) *feed.Feed {
	tb.Helper()
	f := feed.New(cfg)
	require.NoError(tb, f.Start(tb.Context()))
	tb.Cleanup(func() { require.NoError(tb, f.Stop()) })
	return f
}

func project(tb testing.TB, client *log.Client, s *store.Store) {
	tb.Helper()
	projectWith(tb, client, projector.Config{Store: s})
}

func projectWith(tb testing.TB, client *log.Client, cfg projector.Config) {
	tb.Helper()
	board := progress.NewBoard()
	cfg.Log, cfg.Board = client, board
	p := projector.New(cfg)
	require.NoError(tb, p.Start(tb.Context()))
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	for topic, offsets := range ends(tb, client) {
		for partition, end := range offsets {
			require.NoError(tb, board.Wait(ctx, progress.At{Reader: progress.ReaderLineage, Topic: topic, Partition: partition}, end-1))
		}
	}
	require.NoError(tb, p.Stop())
}

var chains = [][]string{{"master"}, {"develop", "master"}, {"feature", "develop", "master"}, {"feature"}}

// describe lists all that a snapshot says, by name.
func describe(s *graph.Snapshot, chain []string) []string {
	v := s.View(chain...)
	var out []string
	v.EachNode(func(id graph.NodeID) bool {
		up, down := v.Degree(id)
		if up+down == 0 && len(v.Columns(id)) == 0 {
			return true // known by name alone
		}
		here, onMaster := v.Produced(id)
		out = append(out, fmt.Sprintf("node %s %s %d %d %v %v", v.KeyOf(id), v.Kind(id), up, down, here, onMaster))
		for _, c := range v.Columns(id) {
			out = append(out, fmt.Sprintf("column %s.%s %s %v %v %v", v.KeyOf(id), c.Name, c.Defined.Type, c.Masked, c.WithMasked, c.WithManual))
		}
		for _, byColumn := range []bool{false, true} {
			for _, e := range v.EdgesFrom(id, byColumn) {
				for _, c := range v.Contributors(e) {
					who := ""
					if c.Drawn != nil {
						who = c.Drawn.Who + fmt.Sprint(c.Drawn.Explicit)
					}
					out = append(out, fmt.Sprintf("edge %+v by %v (%s %s) %s %v %v %v %s", v.Key(e), c.Owner, c.Node, c.Kind, c.Origin, c.Via.Names(), c.Statements, c.Unexpanded, who))
				}
			}
		}
		return true
	})
	slices.Sort(out)
	return out
}

func requireSame(tb testing.TB, want, got *graph.Snapshot) {
	tb.Helper()
	for _, chain := range chains {
		a, b := describe(want, chain), describe(got, chain)
		var missing, extra []string
		for _, line := range a {
			if !slices.Contains(b, line) {
				missing = append(missing, line)
			}
		}
		for _, line := range b {
			if !slices.Contains(a, line) {
				extra = append(extra, line)
			}
		}
		require.Empty(tb, missing, "chain %v: not there, but there is %s", chain, strings.Join(extra, "\n"))
		require.Empty(tb, extra, "chain %v: there, and should not be", chain)
	}
}

// A graph that was loaded from the store and then follows the log is the one
// that folded the log from its beginning.
func TestLoadedGraphEqualsFoldedGraph(t *testing.T) {
	client, s := logtest.Start(t), storetest.Open(t)
	story := newStory(t, client, 1)
	for range 150 {
		story.step()
	}
	project(t, client, s)
	past := history.New(s, client, nil)
	folded := follow(t, feed.Config{Log: client})
	loaded := follow(t, feed.Config{Log: client, Store: past})
	requireSame(t, folded.Current(), loaded.Current())
	for range 150 {
		story.step()
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	end := ends(t, client)
	a, err := folded.WaitFor(ctx, end)
	require.NoError(t, err)
	b, err := loaded.WaitFor(ctx, end)
	require.NoError(t, err)
	requireSame(t, a, b)
	project(t, client, s)
	requireSame(t, a, follow(t, feed.Config{Log: client, Store: past}).Current())
}

// Rows of tasks are written by another partition than those of their edges,
// and may not be there yet when a process ends.
func TestTasksAreKnownByTheirEdgesAlone(t *testing.T) {
	client, s := logtest.Start(t), storetest.Open(t)
	story := newStory(t, client, 3)
	for range 100 {
		story.step()
	}
	project(t, client, s)
	require.NoError(t, s.Write().Exec(t.Context(), "TRUNCATE TABLE tributary.tasks"))
	requireSame(t, follow(t, feed.Config{Log: client}).Current(), follow(t, feed.Config{Log: client, Store: history.New(s, client, nil)}).Current())
}

// A graph says how new it is though nothing came since it was loaded.
func TestNothingNewAfterALoad(t *testing.T) {
	client, s := logtest.Start(t), storetest.Open(t)
	task := event.Task{ID: "t"}
	story := newStory(t, client, 5)
	at := story.append(event.TypeTaskDefined, &event.TaskDefined{Task: task, SQL: "select 1"})
	story.append(event.TypeLineageExtracted, &event.LineageExtracted{
		Task: task, Kind: "batch", Result: event.ResultExtracted, Part: 1, Parts: 1, Parser: 1, Origin: event.OriginParsed,
		From: event.Position{Partition: at.Partition, Offset: at.Offset}, Edges: []event.LineageEdge{{From: "dataset|m|a", To: "dataset|m|b", Direct: true}},
	})
	project(t, client, s)
	loaded := follow(t, feed.Config{Log: client, Store: history.New(s, client, nil)}).Current()
	require.True(t, loaded.Position().Covers(ends(t, client)), loaded.Position())
}

// A graph that is loaded between the parts of an extraction puts them together.
func TestPartsGoOnAfterALoad(t *testing.T) {
	client, s := logtest.Start(t), storetest.Open(t)
	story := newStory(t, client, 4)
	for i, before := range []bool{false, true} {
		task := event.Task{ID: fmt.Sprint("long", i)}
		part := func(at log.Position, n, of int, to string) log.Position {
			return story.append(event.TypeLineageExtracted, &event.LineageExtracted{
				Task: task, Kind: "batch", Result: event.ResultExtracted, Part: n, Parts: of, Parser: 1, Origin: event.OriginParsed,
				From: event.Position{Partition: at.Partition, Offset: at.Offset}, Edges: []event.LineageEdge{{From: "dataset|mysql://h:3306|src", To: fmt.Sprint("dataset|mysql://h:3306|", to, i), Direct: true}},
			})
		}
		if before {
			part(story.append(event.TypeTaskDefined, &event.TaskDefined{Task: task, SQL: "select 0"}), 1, 1, "before")
		}
		at := story.append(event.TypeTaskDefined, &event.TaskDefined{Task: task, SQL: "select 1"})
		part(at, 1, 2, "first")
		project(t, client, s)
		loaded := follow(t, feed.Config{Log: client, Store: history.New(s, client, nil)})
		part(at, 2, 2, "second")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		got, err := loaded.WaitFor(ctx, ends(t, client))
		cancel()
		require.NoError(t, err)
		want := follow(t, feed.Config{Log: client}).Current()
		_, down := want.View().Degree(want.View().Node("dataset|mysql://h:3306|src"))
		require.Equal(t, 2*(i+1), down, "both parts")
		requireSame(t, want, got)
	}
}

// Two processes may each bring a name of one id before they see the other's.
func TestNamesOfOneIDAreNotLoadedAsOne(t *testing.T) {
	client, s := logtest.Start(t), storetest.Open(t)
	story := newStory(t, client, 5)
	const one, other = "dataset|mysql://h:3306|db.one", "dataset|mysql://h:3306|db.other"
	extract := func(task, from, to string) {
		story.append(event.TypeLineageExtracted, &event.LineageExtracted{
			Task: event.Task{ID: task}, Kind: "batch", Result: event.ResultExtracted, Part: 1, Parts: 1, Origin: event.OriginParsed,
			Nodes: []event.Node{{Key: from, Kind: "view"}},
			Edges: []event.LineageEdge{{From: from, To: to, Direct: true}, {From: from, FromColumn: "a", To: to, ToColumn: "a", Direct: true}},
		})
	}
	projectAs := func(id projector.IDFunc) {
		projectWith(t, client, projector.Config{Store: s, ID: id})
	}
	extract("a", one, "dataset|mysql://h:3306|db.x")
	extract("c", "dataset|mysql://h:3306|db.z", "dataset|mysql://h:3306|db.x")
	projectAs(nil)
	for _, q := range []string{"CREATE TABLE tributary.apart AS tributary.nodes", "INSERT INTO tributary.apart SELECT * FROM tributary.nodes", "TRUNCATE TABLE tributary.nodes"} {
		require.NoError(t, s.Write().Exec(t.Context(), q))
	}
	extract("b", other, "dataset|mysql://h:3306|db.y")
	projectAs(func(key, column string) uint64 {
		if key == other && column == "" {
			key = one
		}
		return lineage.ID(key, column)
	})
	require.NoError(t, s.Write().Exec(t.Context(), "INSERT INTO tributary.nodes SELECT * FROM tributary.apart"))
	require.NoError(t, s.Write().Exec(t.Context(), "DROP TABLE tributary.apart"))
	edges := func(s *graph.Snapshot) []string {
		return slices.DeleteFunc(describe(s, chains[0]), func(line string) bool { return !strings.HasPrefix(line, "edge ") })
	}
	folded, loaded := edges(follow(t, feed.Config{Log: client}).Current()), edges(follow(t, feed.Config{Log: client, Store: history.New(s, client, nil)}).Current())
	require.Subset(t, folded, loaded, "an edge of one name is none of the other")
	require.Contains(t, strings.Join(loaded, "\n"), "by {default|c ", "edges of other names are there")
	for _, key := range []string{one, "dataset|mysql://h:3306|db.x"} {
		_, err := history.New(s, client, nil).PastGraph(t.Context(), api.Scope{Keys: []string{key}, Up: true, Down: true, Depth: graph.Unlimited, Chain: chains[0], At: ends(t, client).String()})
		require.ErrorIs(t, err, graph.ErrCollision, "%s", key)
	}
}

// A time means, in each partition, what the log had taken by then.
func TestPastOfATime(t *testing.T) {
	client, s := logtest.Start(t), storetest.Open(t)
	story := newStory(t, client, 6)
	for range 40 {
		story.step()
	}
	at, then := time.Now(), follow(t, feed.Config{Log: bounded{client, ends(t, client)}}).Current()
	for time.Since(at) < 2*time.Millisecond { // the log counts in milliseconds
		runtime.Gosched()
	}
	for range 40 {
		story.step()
	}
	project(t, client, s)
	for _, chain := range chains {
		got, err := history.New(s, client, nil).PastGraph(t.Context(), api.Scope{ByColumn: true, Chain: chain, At: at.UTC().Format(time.RFC3339Nano)})
		require.NoError(t, err)
		require.NotEmpty(t, madeBy(got, chain))
		require.Equal(t, madeBy(then, chain), madeBy(got, chain), "on %v", chain)
	}
}

// What the store says of a past position is what a graph says that folded the
// log up to there: for both levels, all directions, depths, flows and chains,
// around one node or two, and of everything.
func TestPastEqualsFoldUpToThere(t *testing.T) {
	client, s := logtest.Start(t), storetest.Open(t)
	story := newStory(t, client, 2)
	var cuts []graph.Position
	for range 5 {
		for range 50 {
			story.step()
		}
		cuts = append(cuts, ends(t, client))
	}
	project(t, client, s)
	past := history.New(s, client, nil)
	for _, at := range cuts {
		then := follow(t, feed.Config{Log: bounded{client, at}}).Current()
		for range 12 {
			q := question{keys: []string{story.table()}, byColumn: story.IntN(2) == 0, depth: []int{0, 1, 2, graph.Unlimited}[story.IntN(4)], flow: graph.Flow(story.IntN(3)), chain: chains[story.IntN(len(chains))]}
			if story.IntN(3) == 0 {
				q.keys = append(q.keys, story.table())
			}
			direction := story.IntN(3)
			q.up, q.down = direction != 0, direction != 1
			got, err := past.PastGraph(t.Context(), api.Scope{Keys: q.keys, ByColumn: q.byColumn, Up: q.up, Down: q.down, Depth: q.depth, Chain: q.chain, At: at.String()})
			require.NoError(t, err)
			require.Equal(t, q.ask(then), q.ask(got), "%+v", q)
		}
		for _, chain := range chains {
			got, err := past.PastGraph(t.Context(), api.Scope{ByColumn: true, Chain: chain, At: at.String()})
			require.NoError(t, err)
			require.Equal(t, madeBy(then, chain), madeBy(got, chain), "everything on %v", chain)
		}
	}
}

// madeBy lists all edges with those who make them.
func madeBy(s *graph.Snapshot, chain []string) []string {
	v := s.View(chain...)
	var out []string
	v.EachNode(func(id graph.NodeID) bool {
		for _, byColumn := range []bool{false, true} {
			for _, e := range v.EdgesFrom(id, byColumn) {
				for _, c := range v.Contributors(e) {
					out = append(out, fmt.Sprintf("%+v by %v %s %s", v.Key(e), c.Owner, c.Node, c.Origin))
				}
			}
		}
		return true
	})
	slices.Sort(out)
	return out
}

type question struct {
	keys               []string
	byColumn, up, down bool
	depth              int
	flow               graph.Flow
	chain              []string
}

// ask gives the answer by name.
func (q question) ask(s *graph.Snapshot) []string {
	v := s.View(q.chain...)
	g := graph.Question{ByColumn: q.byColumn, Up: q.up, Down: q.down, Depth: q.depth, Flow: q.flow}
	for _, key := range q.keys {
		id := v.Node(key)
		if id == graph.NodeID(graph.NoID) || slices.Contains(g.Nodes, id) {
			continue
		}
		g.Nodes = append(g.Nodes, id)
		if q.byColumn {
			for _, c := range v.Columns(id) {
				g.Columns = append(g.Columns, c.ID)
			}
		}
	}
	around := v.Around(context.Background(), g)
	var out []string
	for _, n := range around.Nodes {
		up, down := v.Degree(graph.NodeID(n.ID))
		if q.byColumn {
			up, down = 0, 0 // table edges are counted by questions about tables
		}
		here, _ := v.Produced(graph.NodeID(n.ID))
		out = append(out, fmt.Sprintf("%s %s %d/%d %d %d %v", v.KeyOf(graph.NodeID(n.ID)), v.Kind(graph.NodeID(n.ID)), n.Up, n.Down, up, down, here))
	}
	for _, c := range around.Columns {
		node, col := v.ColumnName(graph.ColumnID(c.ID))
		out = append(out, fmt.Sprintf("%s.%s %d/%d", v.KeyOf(node), col, c.Up, c.Down))
	}
	page := v.Page(around, q.byColumn, nil, graph.Limits{Nodes: 1000, Edges: 10000})
	for _, e := range page.Edges {
		out = append(out, fmt.Sprintf("%+v", v.Key(e)))
	}
	slices.Sort(out)
	return out
}
