package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/lineage/api"
	"github.com/tributary-data/tributary/lineage/feed"
	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/parser/consumer"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// memoryLog is a log of one partition a topic, in memory.
type memoryLog struct {
	mu      sync.Mutex
	topics  map[string][]log.Record
	changed chan struct{}
}

func newMemoryLog() *memoryLog {
	return &memoryLog{topics: map[string][]log.Record{}, changed: make(chan struct{})}
}

func (l *memoryLog) Partitions(context.Context, string) (int, error) { return 1, nil }

func (l *memoryLog) Ends(_ context.Context, topic string) ([]int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return []int64{int64(len(l.topics[topic]))}, nil
}

func (l *memoryLog) Read(ctx context.Context, topic string, _ int, from int64, fn func([]log.Record) error) error {
	for {
		l.mu.Lock()
		recs, changed := slices.Clone(l.topics[topic][min(int(from), len(l.topics[topic])):]), l.changed
		l.mu.Unlock()
		if len(recs) > 0 {
			from += int64(len(recs))
			if err := fn(recs); err != nil {
				return err
			}
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (l *memoryLog) Append(_ context.Context, recs []log.Record) ([]log.Position, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]log.Position, len(recs))
	for i, r := range recs {
		r.Offset, r.Time = int64(len(l.topics[r.Topic])), time.UnixMilli(1_700_000_000_000).UTC()
		l.topics[r.Topic] = append(l.topics[r.Topic], r)
		out[i] = log.Position{Topic: r.Topic, Offset: r.Offset}
	}
	close(l.changed)
	l.changed = make(chan struct{})
	return out, nil
}

// server is a server whose tasks are given as SQL.
type server struct {
	t    testing.TB
	log  *memoryLog
	feed *feed.Feed
	http *httptest.Server
	n    int
	// caller is who asks; all requests of a test are one caller's.
	caller  api.Caller
	details *details
	past    past
	chains  chains
}

// chains are the branches that the catalog knows, all without fallbacks.
type chains []string

func (s *server) Chain(context.Context, string) ([]string, error) { return nil, nil }

func (s *server) Has(_ context.Context, branch string) (bool, error) {
	return slices.Contains(s.chains, branch), nil
}

// past gives snapshots that a test has kept, by the time that it says they are of.
type past map[string]*graph.Snapshot

func (p past) PastGraph(_ context.Context, s api.Scope) (*graph.Snapshot, error) {
	if p[s.At] == nil {
		return nil, fmt.Errorf("%w: %s", api.ErrTooLarge, s.At)
	}
	return p[s.At], nil
}

func start(tb testing.TB) *server {
	tb.Helper()
	return startWithin(tb, api.Limits{})
}

func startWithin(tb testing.TB, limits api.Limits) *server {
	tb.Helper()
	s := &server{t: tb, log: newMemoryLog(), caller: api.Caller{Name: "ann"}, details: &details{tasks: map[string]event.TaskDefined{}}, past: past{}}
	s.feed = feed.New(feed.Config{Log: s.log})
	require.NoError(tb, s.feed.Start(tb.Context()))
	mux := http.NewServeMux()
	api.New(api.Config{
		Live: s.feed, Details: s.details, Past: s.past, Chains: s, Log: feed.Appender{Log: s.log}, Now: time.Now, Caller: func(context.Context) api.Caller { return s.caller },
		Extract: s.extract, Limits: limits,
	}).Register(mux)
	s.http = httptest.NewServer(mux)
	tb.Cleanup(func() {
		s.http.Close()
		require.NoError(tb, s.feed.Stop())
	})
	return s
}

func (s *server) extract(ctx context.Context, task event.TaskDefined, keep bool) (x *event.LineageExtracted, _ error) {
	s.feed.Definitions(func(d *lineage.Definitions) { x = consumer.Extract(ctx, &task, d, keep) })
	return x, nil
}

// details know the definitions of tasks and nothing else.
type details struct {
	api.Details
	tasks map[string]event.TaskDefined
	// asked is the latest question about a dataset.
	asked api.DatasetQuestion
}

func (d *details) Task(_ context.Context, task, branch string) (*api.TaskDetails, error) {
	t, ok := d.tasks[task]
	if !ok || t.OnBranch() != branch {
		return nil, nil //nolint:nilnil // the interface answers an unknown task so
	}
	return &api.TaskDetails{SQL: t.SQL, Dialect: t.Dialect, Definition: &t}, nil
}

func (d *details) Errors(context.Context, []api.TaskOn) ([]lineageapi.SQLError, error) {
	return nil, nil
}

func (d *details) Unparseds(_ context.Context, see func(string) bool) (statements, tasks int, err error) {
	for task := range d.tasks {
		if see == nil || see(task) {
			tasks++
		}
	}
	return tasks, tasks, nil
}

func (d *details) Dataset(_ context.Context, q api.DatasetQuestion) (api.DatasetDetails, error) {
	d.asked = q
	return api.DatasetDetails{}, nil
}

func (d *details) Runs(context.Context, []string, int) ([]lineageapi.Run, error) { return nil, nil }

const shop = "mysql://shop:3306"

func key(table string) string { return "dataset|" + shop + "|shop." + table }

// put appends an event and waits until the graph has it.
func (s *server) put(eventType string, data any) {
	s.t.Helper()
	s.n++
	position, err := feed.Appender{Log: s.log}.Append(s.t.Context(), event.Event{ID: fmt.Sprint(s.n), Source: "test", Type: eventType, Time: time.UnixMilli(0).UTC(), Data: data})
	require.NoError(s.t, err)
	p, err := graph.ParsePosition(position)
	require.NoError(s.t, err)
	if _, task := p[log.TopicTasks]; task {
		return // there once the parser has answered
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Second)
	defer cancel()
	_, err = s.feed.WaitFor(ctx, p)
	require.NoError(s.t, err)
}

// task defines a task by its SQL, and answers for the parser.
func (s *server) task(d event.TaskDefined) {
	s.t.Helper()
	if d.DefaultSource == "" {
		d.DefaultSource, d.DefaultSchema, d.Dialect = shop, "shop", "mysql"
	}
	x, err := s.extract(s.t.Context(), d, false)
	require.NoError(s.t, err)
	require.Empty(s.t, x.Errors)
	ends, err := s.log.Ends(s.t.Context(), log.TopicTasks)
	require.NoError(s.t, err)
	x.From = event.Position{Offset: ends[0]}
	s.put(event.TypeTaskDefined, &d)
	s.put(event.TypeLineageExtracted, x)
	s.details.tasks[d.TaskKey()] = d
}

func (s *server) sql(id, sql string) { s.task(event.TaskDefined{Task: event.Task{ID: id}, SQL: sql}) }

func (s *server) table(name string, columns ...string) {
	d := &event.TableDefined{Dataset: event.Dataset{Namespace: shop, Name: "shop." + name}, Kind: "table"}
	for _, c := range columns {
		masked := strings.HasPrefix(c, "!")
		d.Columns = append(d.Columns, event.Column{Name: strings.TrimPrefix(c, "!"), Type: "int", Masked: masked})
	}
	s.put(event.TypeTableDefined, d)
}

// call makes a request and reads the answer into out; it gives the status and
// the refusal, if it is one.
func (s *server) call(method, path string, body, out any) (int, lineageapi.Error) {
	s.t.Helper()
	var r io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		require.NoError(s.t, err)
		r = strings.NewReader(string(text))
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.http.URL+path, r)
	require.NoError(s.t, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	var refused lineageapi.Error
	if resp.StatusCode != http.StatusOK {
		require.NoError(s.t, json.Unmarshal(text, &refused), "%s", text)
		require.NotEmpty(s.t, refused.Code)
		require.NotEmpty(s.t, refused.Message)
	} else if out != nil {
		require.NoError(s.t, json.Unmarshal(text, out), "%s", text)
	}
	return resp.StatusCode, refused
}

func (s *server) get(path string, out any, pairs ...string) {
	s.t.Helper()
	status, refused := s.call("GET", path+"?"+query(pairs...), nil, out)
	require.Equal(s.t, 200, status, "%+v", refused)
}

func query(pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Add(pairs[i], pairs[i+1])
	}
	return q.Encode()
}

func (s *server) refused(status int, code, path string, pairs ...string) lineageapi.Error {
	s.t.Helper()
	got, refused := s.call("GET", path+"?"+query(pairs...), nil, nil)
	require.Equal(s.t, status, got, "%+v", refused)
	require.Equal(s.t, code, refused.Code, "%s", refused.Message)
	return refused
}

// names lists the nodes of a graph with their distances, sorted.
func names(g lineageapi.Graph) []string {
	var out []string
	for _, n := range g.Nodes {
		out = append(out, fmt.Sprintf("%s %d/%d", n.Name, n.Distance, n.Side))
	}
	slices.Sort(out)
	return out
}

func arrows(edges []lineageapi.Edge) []string {
	var out []string
	for _, e := range edges {
		short := func(key, col string) string {
			key = key[strings.LastIndexByte(key, '|')+1:]
			if col != "" {
				key += "." + col
			}
			return strings.TrimPrefix(key, "shop.")
		}
		out = append(out, short(e.From, e.FromColumn)+"→"+short(e.To, e.ToColumn))
	}
	slices.Sort(out)
	return out
}

// chain is orders → daily → monthly → report, with customers into daily.
func (s *server) chain() {
	s.table("orders", "id", "customer", "!card", "amount")
	s.table("customers", "id", "name")
	s.sql("daily", "insert into daily (customer, total, card) select c.name, o.amount, o.card from orders o join customers c on c.id = o.customer")
	s.sql("monthly", "insert into monthly (customer, total) select customer, sum(total) from daily group by customer")
	s.sql("report", "insert into report (total) select total from monthly")
}

func TestGraphAroundATable(t *testing.T) {
	s := start(t)
	s.chain()
	var g lineageapi.Graph
	s.get("/api/v1/graph", &g, "node", key("daily"))
	require.Equal(t, []string{"shop.customers 1/-1", "shop.daily 0/0", "shop.monthly 1/1", "shop.orders 1/-1"}, names(g))
	require.Equal(t, []string{"customers→daily", "daily→monthly", "orders→daily"}, arrows(g.Edges))
	require.NotEmpty(t, g.Position)
	for _, n := range g.Nodes {
		switch n.Name {
		case "shop.daily":
			require.True(t, n.Centre)
			require.Equal(t, [2]int{2, 1}, [2]int{n.UpstreamCount, n.DownstreamCount})
			require.True(t, n.WithMasked, "card flows into it")
		case "shop.monthly":
			require.False(t, n.IsOpen, "all it reads is shown")
			require.False(t, n.WithMasked)
		}
	}
	s.get("/api/v1/graph", &g, "node", "shop.orders", "direction", "down", "depth", "-1")
	require.Equal(t, []string{"shop.daily 1/1", "shop.monthly 2/1", "shop.orders 0/0", "shop.report 3/1"}, names(g))
}

// An API built from A and B, entered from A, is open: it has another upstream.
func TestIsOpenAndReverseExpand(t *testing.T) {
	s := start(t)
	s.table("a", "x")
	s.table("b", "y")
	s.task(event.TaskDefined{Task: event.Task{ID: "prices"}, Kind: event.KindAPI, Inputs: []event.Input{
		{Ref: event.Ref{Namespace: shop, Name: "shop.a"}}, {Ref: event.Ref{Namespace: shop, Name: "shop.b"}},
	}})
	var g lineageapi.Graph
	s.get("/api/v1/graph", &g, "node", key("a"))
	require.Equal(t, []string{"prices 1/1", "shop.a 0/0"}, names(g))
	for _, n := range g.Nodes {
		if n.Name == "prices" {
			require.Equal(t, lineageapi.NodeFamilyApi, n.Family)
			require.True(t, n.IsOpen)
			require.Equal(t, 2, n.UpstreamCount)
		}
	}
	status, refused := s.call("POST", "/api/v1/graph/expand", map[string]any{"node": "prices", "side": "up", "layers": 1, "shown": []string{key("a"), "api|default|prices"}}, &g)
	require.Equal(t, 200, status, "%+v", refused)
	require.Equal(t, []string{"shop.b 1/-1"}, names(g))
	require.Equal(t, []string{"a→prices", "b→prices"}, arrows(g.Edges))
}

func TestExpandAtTableLevelBringsColumnsWhenAsked(t *testing.T) {
	s := start(t)
	s.table("a", "x", "y")
	s.table("b", "x", "w")
	s.sql("one", "insert into b (x) select x from a where y > 1")
	s.sql("two", "insert into c (x) select x from b")
	ask := func(with bool) (g lineageapi.Graph) {
		body := map[string]any{"node": key("a"), "side": "down", "layers": 2, "shown": []string{key("a")}, "with_columns": with}
		status, refused := s.call("POST", "/api/v1/graph/expand", body, &g)
		require.Equal(t, 200, status, "%+v", refused)
		return g
	}
	plain, both := ask(false), ask(true)
	require.Equal(t, names(plain), names(both))
	var tables []lineageapi.Edge
	var columns []string
	for _, e := range both.Edges {
		if e.Level == lineageapi.EdgeLevelTable {
			tables = append(tables, e)
		} else {
			columns = append(columns, fmt.Sprintf("%s→%s %v", e.FromColumn, e.ToColumn, e.Direct))
		}
	}
	require.Equal(t, arrows(plain.Edges), arrows(tables))
	require.ElementsMatch(t, []string{"x→x true", "y→ false", "x→x true"}, columns)
	for _, n := range both.Nodes {
		require.Equal(t, "x", n.Columns[0].Name)
		require.False(t, n.Columns[0].Centre)
	}
}

func TestExpandIsBoundedAndCursorCompletes(t *testing.T) {
	s := start(t)
	for i := range 130 {
		s.sql(fmt.Sprintf("t%03d", i), fmt.Sprintf("insert into child%03d (a) select a from hub", i))
	}
	var g lineageapi.Graph
	shown := []string{key("hub")}
	cursor := ""
	for range 3 {
		body := map[string]any{"node": key("hub"), "side": "down", "layers": 1, "shown": shown, "cursor": cursor}
		status, refused := s.call("POST", "/api/v1/graph/expand", body, &g)
		require.Equal(t, 200, status, "%+v", refused)
		require.LessOrEqual(t, len(g.Nodes), 50)
		for _, n := range g.Nodes {
			require.NotContains(t, shown, n.Key)
			shown = append(shown, n.Key)
		}
		if len(g.More) == 0 {
			break
		}
		require.Equal(t, 131-len(shown), g.More[0].Count)
		require.Equal(t, lineageapi.TruncatedReasonNodes, g.Truncated.Reason)
		cursor = g.More[0].Cursor
		g = lineageapi.Graph{}
	}
	require.Len(t, shown, 131)
}

func TestPagesCompleteTheSet(t *testing.T) {
	s := start(t)
	for i := range 60 {
		s.sql(fmt.Sprintf("t%02d", i), fmt.Sprintf("insert into child%02d (a) select a from hub; insert into sink (a) select a from child%02d", i, i))
	}
	nodes, edges := map[string]bool{}, map[string]bool{}
	cursor := ""
	for {
		var g lineageapi.Graph
		s.get("/api/v1/graph", &g, "node", key("hub"), "depth", "2", "limit", "7", "cursor", cursor)
		for _, n := range g.Nodes {
			require.False(t, nodes[n.Key], "%s comes twice", n.Key)
			nodes[n.Key] = true
		}
		for _, a := range arrows(g.Edges) {
			require.False(t, edges[a], "%s comes twice", a)
			edges[a] = true
		}
		if g.Cursor == "" {
			break
		}
		require.Positive(t, g.Truncated.NodesLeft)
		cursor = g.Cursor
	}
	require.Len(t, nodes, 62)
	require.Len(t, edges, 120)
}

func TestColumnsIndirectAndMasked(t *testing.T) {
	s := start(t)
	s.chain()
	var g lineageapi.Graph
	s.get("/api/v1/graph", &g, "node", key("orders"), "column", "card", "direction", "down", "depth", "-1")
	require.Equal(t, []string{"shop.daily 1/1", "shop.orders 0/0"}, names(g))
	require.Equal(t, []string{"orders.card→daily.card"}, arrows(g.Edges))
	require.True(t, g.Nodes[1].Columns[0].WithMasked)
	require.False(t, g.Nodes[1].Columns[0].Masked)

	var c lineageapi.Closure
	s.get("/api/v1/closure", &c, "node", key("customers"), "column", "id", "direction", "down", "flow", "direct")
	require.Zero(t, c.Total, "it decides only which rows are joined")
	s.get("/api/v1/closure", &c, "node", key("customers"), "column", "id", "direction", "down", "depth", "1")
	require.Equal(t, 3, c.Total, "all of daily's columns at one hop")
	require.Equal(t, []int{3}, c.ByDistance)
}

func TestTasksArePutInBetween(t *testing.T) {
	s := start(t)
	s.task(event.TaskDefined{Task: event.Task{ID: "stream"}, Kind: event.KindRealtime, DefaultSource: shop, DefaultSchema: "shop", Dialect: "mysql", SQL: "insert into b (x) select x from a; insert into d (x) select x from c"})
	s.sql("batch", "insert into e (x) select x from b")
	var g lineageapi.Graph
	s.get("/api/v1/graph", &g, "node", key("b"))
	require.Equal(t, []string{"shop.a 1/-1", "shop.b 0/0", "shop.e 1/1", "stream 1/-1"}, names(g))
	require.Equal(t, []string{"a→b", "a→stream", "b→e", "stream→b"}, arrows(g.Edges), "c goes to d elsewhere")
	for _, e := range g.Edges {
		if e.Kind == lineageapi.EdgeKindTask {
			require.Equal(t, []int{1}, e.Statements)
		}
	}
	s.get("/api/v1/graph", &g, "node", key("b"), "tasks", "all")
	require.Contains(t, names(g), "batch 1/1")

	s.get("/api/v1/graph", &g, "node", "stream")
	require.Equal(t, []string{"shop.a 1/-1", "shop.b 1/1", "shop.c 1/-1", "shop.d 1/1", "stream 0/0"}, names(g))
	require.Equal(t, []string{"a→b", "a→stream", "c→d", "c→stream", "stream→b", "stream→d"}, arrows(g.Edges), "each once")
	var d lineageapi.NodeDetails
	s.get("/api/v1/node", &d, "node", "stream")
	require.Equal(t, [2]int{2, 2}, [2]int{d.Node.UpstreamCount, d.Node.DownstreamCount})
	s.get("/api/v1/graph", &g, "node", "stream", "level", "column")
	require.Len(t, g.Centres, 2, "each result table is a centre")
}

func TestTemporaryTablesAreSeenThroughOrShown(t *testing.T) {
	s := start(t)
	s.sql("job", "create temporary table tmp as select x from a; insert into b select x from tmp; insert into c select x from a")
	var g lineageapi.Graph
	s.get("/api/v1/graph", &g, "node", key("a"))
	require.Equal(t, []string{"a→b", "a→c"}, arrows(g.Edges))
	s.get("/api/v1/graph", &g, "node", key("a"), "temporary", "true")
	require.Equal(t, []string{"a→c", "a→tmp", "tmp→b"}, arrows(g.Edges))
	for _, n := range g.Nodes {
		require.Equal(t, n.Name == "shop.tmp", n.Temporary, n.Name)
	}
	s.refused(400, "InvalidParameter", "/api/v1/graph", "node", key("a"), "temporary", "true", "level", "column")
}

func TestManualEdges(t *testing.T) {
	s := start(t)
	s.chain()
	add := map[string]any{"from": key("customers"), "to": key("report"), "why": "by mail"}
	var changed lineageapi.Changed
	status, refused := s.call("POST", "/api/v1/edges", add, &changed)
	require.Equal(t, 200, status, "%+v", refused)
	require.True(t, changed.Visible)
	require.True(t, changed.Edge.WithManual)
	require.True(t, changed.Edge.CanDelete)
	require.Equal(t, "ann", changed.Edge.Manual[0].Who)
	status, refused = s.call("POST", "/api/v1/edges", add, nil)
	require.Equal(t, 409, status)
	require.Equal(t, "EdgeExists", refused.Code)

	status, refused = s.call("DELETE", "/api/v1/edges?"+query("from", key("orders"), "to", key("daily")), nil, nil)
	require.Equal(t, 409, status)
	require.Equal(t, "EdgeParsed", refused.Code)
	require.Equal(t, []string{"task|default|daily"}, refused.Details.Tasks)

	// Both by hand and parsed: removing the manual part leaves the parsed one.
	status, refused = s.call("POST", "/api/v1/edges", map[string]any{"from": key("orders"), "to": key("daily")}, nil)
	require.Equal(t, 200, status, "%+v", refused)
	status, refused = s.call("DELETE", "/api/v1/edges?"+query("from", key("orders"), "to", key("daily")), nil, &changed)
	require.Equal(t, 200, status, "%+v", refused)
	require.False(t, changed.Edge.WithManual)
	require.Equal(t, []string{"parsed"}, changed.Edge.Origins)

	status, _ = s.call("DELETE", "/api/v1/edges?"+query("from", key("customers"), "to", key("report")), nil, &changed)
	require.Equal(t, 200, status)
	status, refused = s.call("DELETE", "/api/v1/edges?"+query("from", key("customers"), "to", key("report")), nil, nil)
	require.Equal(t, 404, status)
	require.Equal(t, "UnknownEdge", refused.Code)

	status, refused = s.call("POST", "/api/v1/edges", map[string]any{"from": key("report"), "to": key("orders")}, &changed)
	require.Equal(t, 200, status, "%+v", refused)
	require.Len(t, changed.Warnings, 1, "it closes a cycle")
	var g lineageapi.Graph
	s.get("/api/v1/graph", &g, "node", key("daily"), "depth", "-1")
	require.Len(t, g.Nodes, 5)
	status, refused = s.call("POST", "/api/v1/edges", map[string]any{"from": key("daily"), "to": key("daily")}, nil)
	require.Equal(t, 400, status)
	require.Equal(t, "SelfEdge", refused.Code)
}

func TestColumnEdgeByHandMakesTheTableEdge(t *testing.T) {
	s := start(t)
	s.chain()
	pair := map[string]any{"from": key("customers"), "from_column": "name", "to": key("report"), "to_column": "total"}
	status, refused := s.call("POST", "/api/v1/edges", pair, nil)
	require.Equal(t, 200, status, "%+v", refused)
	var g lineageapi.Graph
	s.get("/api/v1/graph", &g, "node", key("report"), "direction", "up")
	require.Contains(t, arrows(g.Edges), "customers→report")
	status, refused = s.call("DELETE", "/api/v1/edges?"+query("from", key("customers"), "to", key("report")), nil, nil)
	require.Equal(t, 409, status)
	require.Equal(t, "EdgeOfColumns", refused.Code)
	pair["to_column"] = "totl"
	status, refused = s.call("POST", "/api/v1/edges", map[string]any{"from": key("customers"), "from_column": "nam", "to": key("report"), "to_column": "total"}, nil)
	require.Equal(t, 404, status)
	require.Equal(t, "UnknownColumn", refused.Code)
	require.Contains(t, refused.Details.Near, "name")
}

func TestImpact(t *testing.T) {
	s := start(t)
	s.chain()
	var i lineageapi.Impact
	ask := func(body map[string]any) {
		t.Helper()
		i = lineageapi.Impact{}
		status, refused := s.call("POST", "/api/v1/impact", body, &i)
		require.Equal(t, 200, status, "%+v", refused)
	}
	ask(map[string]any{"node": key("orders"), "column": "amount"})
	require.True(t, i.Breaks)
	require.Equal(t, 3, i.Total)
	require.Equal(t, []string{"total"}, i.Affected[0].Columns)
	require.True(t, i.Affected[2].Direct)
	require.Equal(t, []string{"task|default|daily"}, i.Tasks)
	require.Equal(t, "daily", i.Display["task|default|daily"])
	require.True(t, strings.HasSuffix(i.Display[i.Affected[0].Because], "shop.orders.amount"), "%v", i.Display)
	ask(map[string]any{"node": key("report")})
	require.False(t, i.Breaks)

	source := map[string]any{"sql": "insert into monthly (customer) select customer from daily", "default_source": shop, "default_schema": "shop", "dialect": "mysql"}
	ask(map[string]any{"sql": source, "task": "monthly"})
	require.True(t, i.Breaks)
	require.Contains(t, arrows(i.Lost), "daily.total→monthly.total")
	require.Equal(t, 2, i.Total, "monthly, and report that reads its total")

	source["sql"] = "insert into monthly (customer) selec customer from daily"
	ask(map[string]any{"sql": source, "task": "monthly"})
	require.NotEmpty(t, i.Errors, "what cannot be read is said")
	require.Equal(t, 1, i.Errors[0].Line)
}

func TestSearchFindsAndRanks(t *testing.T) {
	s := start(t)
	s.chain()
	var r lineageapi.SearchResult
	s.get("/api/v1/search", &r, "q", "DAILY")
	require.Equal(t, []string{"task|default|daily", key("daily")}, []string{r.Hits[0].Key, r.Hits[1].Key})
	s.get("/api/v1/search", &r, "q", "ail", "kinds", "table")
	require.Len(t, r.Hits, 1)
	s.get("/api/v1/search", &r, "q", "amount", "columns", "true")
	require.Equal(t, "amount", r.Hits[0].Column)
	s.refused(400, "InvalidParameter", "/api/v1/search", "q", " ")
	for _, path := range []string{"/api/v1/search", "/api/v1/unparsed", "/api/v1/recent", "/api/v1/graph", "/api/v1/diff", "/api/v1/paths"} {
		s.refused(400, "InvalidParameter", path, "q", "a", "node", key("orders"), "from", key("orders"), "to", key("report"), "limit", "-1")
	}
}

func TestNodeSaysThatMoreTasksReadIt(t *testing.T) {
	s := start(t)
	for i := range 201 {
		if i == 200 {
			var d lineageapi.NodeDetails
			s.get("/api/v1/node", &d, "node", key("hub"))
			require.Len(t, d.Consumers, 200)
			require.False(t, d.MoreConsumers)
		}
		s.sql(fmt.Sprint("t", i), fmt.Sprintf("insert into t%d (x) select x from hub", i))
	}
	var d lineageapi.NodeDetails
	s.get("/api/v1/node", &d, "node", key("hub"))
	require.Len(t, d.Consumers, 200)
	require.True(t, d.MoreConsumers)
	require.False(t, d.MoreProducers)
}

func TestPathsAndDiff(t *testing.T) {
	s := start(t)
	s.chain()
	var p lineageapi.Paths
	s.get("/api/v1/paths", &p, "from", key("orders"), "to", key("report"))
	require.True(t, p.Found)
	require.Equal(t, 3, p.Length)
	require.Equal(t, 1, p.WaysTotal)
	require.Len(t, p.Ways[0], 4)
	s.get("/api/v1/paths", &p, "from", key("report"), "to", key("orders"))
	require.False(t, p.Found)

	s.task(event.TaskDefined{Task: event.Task{ID: "monthly", Branch: "dev"}, SQL: "insert into monthly (customer) select name from customers"})
	var d lineageapi.Diff
	s.get("/api/v1/diff", &d, "branch", "dev", "fallback", "master", "base_branch", "master")
	require.Equal(t, [2]int{1, 1}, [2]int{d.Added, d.Removed})
	require.Equal(t, []string{"customers→monthly", "daily→monthly"}, arrows(d.Edges))
	s.get("/api/v1/diff", &d, "branch", "dev", "fallback", "master", "base_branch", "master", "node", key("monthly"))
	require.Equal(t, 1, d.Unchanged)
	s.refused(400, "InvalidParameter", "/api/v1/diff", "branch", "master", "base_branch", "master")
	for _, wrong := range [][]string{{"branch", "nowhere"}, {"branch", "dev", "fallback", "nowhere"}, {"base_branch", "nowhere"}, {"branch", "dev", "base_branch", "dev", "base_fallback", "nowhere"}} {
		s.refused(404, "UnknownBranch", "/api/v1/diff", wrong...)
	}
	s.chains = chains{"catalogued"}
	s.get("/api/v1/diff", &d, "branch", "catalogued")
	require.Equal(t, [2]int{0, 0}, [2]int{d.Added, d.Removed}, "a branch without lineage of its own is its fallback")
}

func TestDiffOfTwoTimes(t *testing.T) {
	s := start(t)
	s.chain()
	const then = "2026-01-31T12:00:00Z"
	s.past[then] = s.feed.Current()
	s.sql("report", "insert into report (total) select total from daily")
	var d lineageapi.Diff
	for _, around := range [][]string{{}, {"node", key("report")}} {
		d = lineageapi.Diff{}
		s.get("/api/v1/diff", &d, append(around, "base_as_of", then)...)
		require.Equal(t, [2]int{1, 1}, [2]int{d.Added, d.Removed})
		require.Contains(t, arrows(d.Edges), "daily→report")
		require.Contains(t, arrows(d.Edges), "monthly→report")
		require.Equal(t, then, d.Base.AsOf)
	}
	d = lineageapi.Diff{}
	s.get("/api/v1/diff", &d, "base_as_of", then, "limit", "1")
	require.Len(t, d.Edges, 1)
	require.NotEmpty(t, d.Cursor)
	require.Equal(t, 1, d.Truncated.EdgesLeft)
	require.Len(t, d.Nodes, 2)
	s.get("/api/v1/diff", &d, "base_as_of", then, "limit", "1", "cursor", d.Cursor)
	require.Equal(t, []string{"monthly→report"}, arrows(d.Edges))
	d = lineageapi.Diff{}
	s.get("/api/v1/diff", &d, "base_as_of", then, "limit", "0")
	require.Empty(t, d.Cursor)
	require.Equal(t, [2]int{1, 1}, [2]int{d.Added, d.Removed})
	s.refused(400, "InvalidParameter", "/api/v1/diff", "base_as_of", "2026-01-30T12:00:00Z")
}

// Two engines over one database, with tasks on each, are registered after the
// fact: one node, connected; taken back, they are two again.
func TestSourcesRegisteredLater(t *testing.T) {
	s := start(t)
	on := func(id, source, sql string) {
		s.task(event.TaskDefined{Task: event.Task{ID: id}, DefaultSource: source, DefaultSchema: "shop", Dialect: "mysql", SQL: sql})
	}
	on("load", "warehouse_a", "insert into orders (id) select id from raw")
	on("use", "warehouse_b", "insert into final (id) select id from orders")
	down := func() []string {
		var c lineageapi.Closure
		s.get("/api/v1/closure", &c, "node", "dataset|warehouse_a|shop.raw", "direction", "down")
		var out []string
		for _, n := range c.Nodes {
			out = append(out, fmt.Sprint(n.Distance, " ", n.Key[strings.LastIndexByte(n.Key, '|')+1:]))
		}
		return out
	}
	require.Equal(t, []string{"1 shop.orders"}, down())
	for _, id := range []string{"warehouse_a", "warehouse_b"} {
		s.put(event.TypeSourceRegistered, &event.SourceRegistered{ID: id, Name: id, Engine: "starrocks", Addresses: []string{"starrocks://db:9030"}})
	}
	require.Equal(t, []string{"1 shop.orders", "2 shop.final"}, down())
	var r lineageapi.SearchResult
	s.get("/api/v1/search", &r, "q", "shop.orders")
	require.Len(t, r.Hits, 1, "one node")
	var n lineageapi.NodeDetails
	s.get("/api/v1/node", &n, "node", "dataset|warehouse_b|shop.orders")
	for _, namespace := range []string{"warehouse_a", "warehouse_b", "starrocks://db:9030"} {
		require.Contains(t, s.details.asked.Keys, "dataset|"+namespace+"|shop.orders", "the catalog may call it so")
	}
	require.True(t, s.details.asked.Is("dataset|warehouse_a|shop.orders"))
	require.False(t, s.details.asked.Is("dataset|warehouse_c|shop.orders"))
	s.put(event.TypeSourceRemoved, &event.SourceRemoved{ID: "warehouse_b"})
	require.Equal(t, []string{"1 shop.orders"}, down())
}

// A filter by kind takes nodes out of an answer and nothing else: distances
// stay, and a bridge stands for each way over hidden nodes.
func TestKindsFilterEqualsReference(t *testing.T) {
	kinds := []string{"table", "view", "topic"}
	for seed := range uint64(8) {
		s, r := start(t), rand.New(rand.NewPCG(seed, 1))
		const tables = 9
		next := map[string]map[string]bool{}
		kind := map[string]string{}
		var sql []string
		for i := range tables {
			name := fmt.Sprint("t", i)
			kind[key(name)], next[key(name)] = kinds[r.IntN(len(kinds))], map[string]bool{}
			s.put(event.TypeTableDefined, &event.TableDefined{Dataset: event.Dataset{Namespace: shop, Name: "shop." + name}, Kind: kind[key(name)]})
		}
		for range 14 {
			from, to := fmt.Sprint("t", r.IntN(tables)), fmt.Sprint("t", r.IntN(tables))
			next[key(from)][key(to)] = true
			sql = append(sql, fmt.Sprintf("insert into %s (x) select x from %s", to, from))
		}
		s.sql("all", strings.Join(sql, ";"))
		for i := range tables {
			start, shown := key(fmt.Sprint("t", i)), []string{kinds[r.IntN(len(kinds))], kinds[r.IntN(len(kinds))]}
			if len(next[start]) == 0 {
				continue
			}
			want, all := map[string]int{}, walk(next, start)
			for k, d := range all {
				if d > 0 && slices.Contains(shown, kind[k]) {
					want[k] = d
				}
			}
			var c lineageapi.Closure
			s.get("/api/v1/closure", &c, "node", start, "direction", "down", "kinds", shown[0], "kinds", shown[1])
			got := map[string]int{}
			for _, n := range c.Nodes {
				got[n.Key] = n.Distance
			}
			require.Equal(t, want, got, "seed %d from %s, %v", seed, start, shown)

			want[start] = 0
			var g lineageapi.Graph
			s.get("/api/v1/graph", &g, "node", start, "direction", "down", "depth", "-1", "kinds", shown[0], "kinds", shown[1])
			got, bridges := map[string]int{}, map[[2]string]int{}
			for _, n := range g.Nodes {
				got[n.Key] = n.Distance
			}
			for _, e := range g.Edges {
				if e.Kind == lineageapi.EdgeKindBridge {
					bridges[[2]string{e.From, e.To}] = e.Hidden
				}
			}
			require.Equal(t, want, got)
			require.Equal(t, bridged(next, all, want), bridges, "seed %d from %s, %v", seed, start, shown)
		}
	}
}

// walk gives the least distances from a node.
func walk(next map[string]map[string]bool, start string) map[string]int {
	dist, frontier := map[string]int{start: 0}, []string{start}
	for len(frontier) > 0 {
		at := frontier[0]
		frontier = frontier[1:]
		for to := range next[at] {
			if _, ok := dist[to]; !ok {
				dist[to] = dist[at] + 1
				frontier = append(frontier, to)
			}
		}
	}
	return dist
}

// bridged gives, for each two shown nodes that hidden ones join, the least
// number of hidden nodes between them.
func bridged(next map[string]map[string]bool, all, shown map[string]int) map[[2]string]int {
	out := map[[2]string]int{}
	for from := range shown {
		over := map[string]map[string]bool{from: {}}
		for at := range all {
			if _, ok := shown[at]; !ok {
				over[at] = next[at]
			}
		}
		for to := range next[from] {
			if _, ok := shown[to]; !ok {
				over[from][to] = true
			}
		}
		for at, d := range walk(over, from) {
			for to := range over[at] {
				if _, ok := shown[to]; ok && d > 0 {
					pair := [2]string{from, to}
					if least, known := out[pair]; !known || d < least {
						out[pair] = d
					}
				}
			}
		}
	}
	return out
}

func TestSimilarSources(t *testing.T) {
	s := start(t)
	s.sql("one", "insert into orders (id) select id from raw")
	s.task(event.TaskDefined{Task: event.Task{ID: "two"}, DefaultSource: "hive://m:9083", DefaultSchema: "shop", Dialect: "hive", SQL: "insert into final select id from orders"})
	var c lineageapi.Closure
	s.get("/api/v1/closure", &c, "node", key("raw"), "direction", "down")
	require.Equal(t, 1, c.Total)
	status, refused := s.call("POST", "/api/v1/sources/mappings", map[string]any{"id": "m", "namespace": "hive://m:9083", "prefix": "shop.orders", "exact": true, "canonical_namespace": shop, "canonical_prefix": "shop.orders", "why": "an external table"}, nil)
	require.Equal(t, 200, status, "%+v", refused)
	s.get("/api/v1/closure", &c, "node", key("raw"), "direction", "down")
	require.Equal(t, 2, c.Total, "one node, connected")
	var g lineageapi.Graph
	s.get("/api/v1/graph", &g, "node", "dataset|hive://m:9083|shop.orders")
	require.Equal(t, key("orders"), g.Centres[0].Key, "an old key still resolves")
	var why lineageapi.SourceWhy
	s.get("/api/v1/sources/why", &why, "a", key("orders"), "b", "dataset|hive://m:9083|shop.orders")
	require.True(t, why.Same)
	require.Equal(t, "m", why.B.Steps[0].By)
	require.Equal(t, "ann", why.B.Steps[0].Who)
	status, refused = s.call("DELETE", "/api/v1/sources/mappings?id=m", nil, nil)
	require.Equal(t, 200, status, "%+v", refused)
	s.get("/api/v1/closure", &c, "node", key("raw"), "direction", "down")
	require.Equal(t, 1, c.Total, "two again, as before")
}

// A job spec shows in the icon of what it produces; a branch without a known
// chain falls back on master.
func TestJobSpecsShowOnTheirBranchesAndBehind(t *testing.T) {
	s := start(t)
	spec := func(id, branch, sql string) {
		s.task(event.TaskDefined{Task: event.Task{Namespace: "tributary://shop", ID: id, Branch: branch}, SQL: sql})
	}
	s.sql("plain", "insert into daily select * from orders")
	spec("a", "", "insert into weekly select * from daily")
	spec("b", "f", "insert into daily select * from orders")
	icons := func(pairs ...string) map[string][2]bool {
		var g lineageapi.Graph
		s.get("/api/v1/graph", &g, append(pairs, "node", key("daily"))...)
		out := map[string][2]bool{}
		for _, n := range g.Nodes {
			out[n.Name] = [2]bool{n.HasJobSpec, n.HasJobSpecOnMaster}
		}
		return out
	}
	require.Equal(t, map[string][2]bool{"shop.orders": {}, "shop.daily": {}, "shop.weekly": {true, true}}, icons())
	require.Equal(t, map[string][2]bool{"shop.orders": {}, "shop.daily": {true, false}, "shop.weekly": {true, true}}, icons("branch", "f"))
	require.Equal(t, map[string][2]bool{"shop.orders": {}, "shop.daily": {true, false}}, icons("branch", "f", "fallback", "nowhere"))
}

func TestHiddenNodesAreNotThere(t *testing.T) {
	s := start(t)
	s.chain()
	s.caller.See = func(k string) bool { return k != key("daily") }
	refused := s.refused(404, "UnknownNode", "/api/v1/graph", "node", key("daily"))
	require.NotContains(t, refused.Details.Near, key("daily"))
	var g lineageapi.Graph
	s.get("/api/v1/graph", &g, "node", key("orders"), "depth", "-1")
	require.Equal(t, []string{"shop.orders 0/0"}, names(g), "no way leads through it")
	require.Zero(t, g.Nodes[0].DownstreamCount)
	var r lineageapi.SearchResult
	s.get("/api/v1/search", &r, "q", "daily", "kinds", "table")
	require.Empty(t, r.Hits)
	var c lineageapi.Counts
	s.get("/api/v1/counts", &c)
	require.Equal(t, 1, c.Edges["table"], "three of four touch it")
	require.Equal(t, 3, c.UnparsedTasks)
	s.caller.See = func(k string) bool { return !strings.HasPrefix(k, "task|") }
	s.get("/api/v1/counts", &c)
	require.Equal(t, 4, c.Edges["table"])
	require.Zero(t, c.UnparsedTasks)
	s.caller.See = func(k string) bool { return k != key("daily") }
	for _, format := range []string{"json", "csv", "dot", "openlineage"} {
		require.NotContains(t, s.export("format", format), "shop.daily")
	}
}

// Whatever is asked, what may not be seen is neither named nor counted.
func TestHiddenNodesAreInNoAnswer(t *testing.T) {
	s := start(t)
	s.chain()
	s.past["2026-01-31T12:00:00Z"] = s.feed.Current()
	s.sql("report", "insert into report (total) select total from daily")
	s.caller.See = func(k string) bool { return k != key("daily") && k != "task|default|daily" }
	for _, q := range [][]string{
		{"/api/v1/graph", "node", key("daily")}, {"/api/v1/closure", "node", key("daily"), "direction", "up"}, {"/api/v1/node", "node", key("daily")},
		{"/api/v1/paths", "from", key("orders"), "to", key("daily")}, {"/api/v1/edge", "from", key("orders"), "to", key("daily")}, {"/api/v1/export", "node", key("daily"), "format", "json"},
	} {
		refused := s.refused(404, "UnknownNode", q[0], q[1:]...)
		require.NotContains(t, refused.Details.Near, key("daily"))
	}
	for _, path := range []string{
		"/api/v1/graph?" + query("node", key("orders"), "depth", "-1", "level", "column"), "/api/v1/graph?" + query("node", key("orders"), "as_of", "2026-01-31T12:00:00Z", "tasks", "all"),
		"/api/v1/closure?" + query("node", key("orders"), "direction", "down"), "/api/v1/paths?" + query("from", key("orders"), "to", key("report")),
		"/api/v1/node?" + query("node", key("orders")), "/api/v1/node?" + query("node", key("monthly")), "/api/v1/search?" + query("q", "ai", "columns", "true"),
		"/api/v1/diff?" + query("base_as_of", "2026-01-31T12:00:00Z"), "/api/v1/sources/why?" + query("a", key("orders"), "b", key("report")),
	} {
		var answer map[string]any
		status, refused := s.call("GET", path, nil, &answer)
		require.Equal(t, 200, status, "%s %+v", path, refused)
		require.NotContains(t, fmt.Sprint(answer), "daily", path)
	}
	for path, body := range map[string]any{
		"/api/v1/impact":       map[string]any{"node": key("orders")},
		"/api/v1/graph/expand": map[string]any{"node": key("orders"), "side": "down", "layers": 3, "shown": []string{key("orders")}},
	} {
		var answer map[string]any
		status, refused := s.call("POST", path, body, &answer)
		require.Equal(t, 200, status, "%s %+v", path, refused)
		require.NotContains(t, fmt.Sprint(answer), "daily", path)
	}
}

func (s *server) export(pairs ...string) string {
	s.t.Helper()
	resp, err := http.Get(s.http.URL + "/api/v1/export?" + query(pairs...))
	require.NoError(s.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	require.Equal(s.t, 200, resp.StatusCode, "%s", text)
	return string(text)
}

func TestExport(t *testing.T) {
	s := start(t)
	s.chain()
	require.Contains(t, s.export("format", "csv"), key("orders")+",,"+key("daily")+",,table,true,,parsed,task|default|daily,1\n")
	require.Contains(t, s.export("format", "dot", "node", key("daily")), `"`+key("orders")+`" -> "`+key("daily")+`" [style=solid];`)
	require.Contains(t, s.export("format", "openlineage"), `"inputFields"`)
	require.Equal(t, 4, strings.Count(s.export("format", "json"), `"edge"`))
	require.Equal(t, "'=cmd|'/c'", api.SafeCell("=cmd|'/c'"))
}

func TestKindsFilterBridges(t *testing.T) {
	s := start(t)
	s.chain()
	s.put(event.TypeTableDefined, &event.TableDefined{Dataset: event.Dataset{Namespace: shop, Name: "shop.daily"}, Kind: "view"})
	var g lineageapi.Graph
	s.get("/api/v1/graph", &g, "node", key("orders"), "depth", "-1", "direction", "down", "kinds", "table")
	require.Equal(t, []string{"shop.monthly 2/1", "shop.orders 0/0", "shop.report 3/1"}, names(g))
	require.Equal(t, []string{"monthly→report", "orders→monthly"}, arrows(g.Edges))
	for _, e := range g.Edges {
		if e.Kind == lineageapi.EdgeKindBridge {
			require.Equal(t, 1, e.Hidden)
		}
	}
}

func TestBadRequests(t *testing.T) {
	s := start(t)
	s.chain()
	refused := s.refused(404, "UnknownNode", "/api/v1/graph", "node", key("dayly"))
	require.Contains(t, refused.Details.Near, key("daily"))
	s.refused(404, "UnknownColumn", "/api/v1/graph", "node", key("daily"), "column", "ttal")
	for _, bad := range [][]string{
		{"node", key("daily"), "depth", "-2"},
		{"node", key("daily"), "depth", "many"},
		{"node", key("daily"), "depth", "99999999999999999999"},
		{"node", key("daily"), "direction", "sideways"},
		{"node", key("daily"), "level", "table", "column", "total"},
		{"node", key("daily"), "flow", "direct"},
		{"node", key("daily"), "as_of", "yesterday"},
		{"node", key("daily"), "as_of", "2026-01-01T00:00:00Z", "min_position", "tributary.tasks/0/1"},
		{"node", key("daily"), "cursor", "x"},
		{"node", key("daily"), "limit", "0"},
		{"node", key("daily"), "kinds", "no kind"},
		{"node", key("daily"), "branch", "a", "fallback", "b", "fallback", "a"},
		{},
	} {
		s.refused(400, "InvalidParameter", "/api/v1/graph", bad...)
	}
	s.refused(400, "InvalidParameter", "/api/v1/closure", "node", key("daily"))
	status, _ := s.call("POST", "/api/v1/impact", map[string]any{}, nil)
	require.Equal(t, 400, status)
	status, _ = s.call("POST", "/api/v1/graph/expand", map[string]any{"node": key("daily"), "side": "left"}, nil)
	require.Equal(t, 400, status)
}

func TestParametersThatCannotBeReadSayWhatTheyShouldBe(t *testing.T) {
	s := start(t)
	s.chain()
	require.Equal(t, "depth must be a whole number from -1, which is without end", s.refused(400, "InvalidParameter", "/api/v1/graph", "node", key("daily"), "depth", "unlimited").Message)
	require.Equal(t, "limit must be a whole number from 0", s.refused(400, "InvalidParameter", "/api/v1/search", "q", "daily", "limit", "x").Message)
	require.Equal(t, "temporary must be true or false", s.refused(400, "InvalidParameter", "/api/v1/graph", "node", key("daily"), "temporary", "often").Message)
}

func TestMinPositionWaits(t *testing.T) {
	s := start(t)
	s.chain()
	ends, err := s.log.Ends(t.Context(), log.TopicLineage)
	require.NoError(t, err)
	done := make(chan int)
	go func() {
		status, _ := s.call("GET", "/api/v1/graph?"+query("node", key("report"), "min_position", fmt.Sprintf("tributary.lineage/0/%d", ends[0])), nil, nil)
		done <- status
	}()
	s.sql("late", "insert into late (a) select total from report")
	require.Equal(t, 200, <-done)
}

func TestSQLThatIsNotStored(t *testing.T) {
	s := start(t)
	s.chain()
	var r lineageapi.SQLResult
	status, refused := s.call("POST", "/api/v1/sql", map[string]any{"sql": "insert into copy select * from customers", "default_source": shop, "default_schema": "shop", "dialect": "mysql", "steps": true}, &r)
	require.Equal(t, 200, status, "%+v", refused)
	require.Contains(t, r.Columns, lineageapi.FromTo{From: "shop.customers.name", To: "shop.copy.name"}, "the server knows the columns")
	require.NotEmpty(t, r.Steps.Nodes)
}
