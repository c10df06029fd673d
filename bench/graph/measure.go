package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/lineage/api"
	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/event"
)

// bench measures one loaded graph.
type bench struct {
	ctx    context.Context //nolint:containedctx // lives as long as the run
	cfg    config
	store  *store.Store
	graph  *graph.Graph
	view   *graph.View
	bare   bare
	starts []start
}

// start is a node with the size of its closure.
type start struct {
	id   graph.NodeID
	size int
}

// median gives the middle of the times that a function takes.
func median(times int, f func()) time.Duration {
	all := make([]time.Duration, times)
	for i := range all {
		began := time.Now()
		f()
		all[i] = time.Since(began)
	}
	slices.Sort(all)
	return all[times/2]
}

// medians measures two functions in turn, so that what else the machine does
// strikes both.
func medians(times int, f, g func()) (time.Duration, time.Duration) {
	one, other := make([]time.Duration, times), make([]time.Duration, times)
	for i := range times {
		began := time.Now()
		f()
		between := time.Now()
		g()
		one[i], other[i] = between.Sub(began), time.Since(between)
	}
	slices.Sort(one)
	slices.Sort(other)
	return one[times/2], other[times/2]
}

func (b *bench) memory() error {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s := b.graph.Current()
	parts := s.Memory()
	edges := float64(s.Edges())
	fmt.Printf("memory, bytes an edge: %.1f for both directions, tasks' own lists included, names aside (limit 40)\n", float64(parts.Adjacency+parts.Owners)/edges)
	fmt.Printf("  adjacency %.1f, tasks with their lists %.1f, names %.1f; the whole heap %.1f\n\n", float64(parts.Adjacency)/edges, float64(parts.Owners)/edges, float64(parts.Names)/edges, float64(m.HeapAlloc)/edges)
	return nil
}

// bare is the graph as two arrays and nothing else.
type bare struct {
	off, to []uint32
	seen    []uint64
}

func newBare(v *graph.View, nodes int) bare {
	b := bare{off: make([]uint32, nodes+1), seen: make([]uint64, nodes/64+1)}
	for id := range nodes {
		for _, n := range v.Neighbours(graph.NodeID(id), false) {
			b.to = append(b.to, uint32(n))
		}
		b.off[id+1] = uint32(len(b.to))
	}
	return b
}

// walk is a breadth-first search as plain as can be.
func (b *bare) walk(start uint32) (ids []uint32, ends []int) {
	ids = append(make([]uint32, 0, 64), start)
	b.seen[start>>6] |= 1 << (start & 63)
	ends = append(ends, 1)
	for done := 0; done < len(ids); {
		for last := len(ids); done < last; done++ {
			id := ids[done]
			for _, n := range b.to[b.off[id]:b.off[id+1]] {
				if b.seen[n>>6]>>(n&63)&1 == 0 {
					b.seen[n>>6] |= 1 << (n & 63)
					ids = append(ids, n)
				}
			}
		}
		if len(ids) > ends[len(ends)-1] {
			ends = append(ends, len(ids))
		}
	}
	for _, id := range ids {
		b.seen[id>>6] = 0
	}
	return ids, ends
}

// find looks for nodes whose closures are of about the sizes.
func (b *bench) find(sizes ...int) {
	nodes := b.graph.Current().Counts().Nodes
	for _, want := range sizes {
		best := start{}
		step := max(nodes/4000, 1)
		for id := 0; id < nodes; id += step {
			ids, _ := b.view.Reach(b.ctx, []graph.NodeID{graph.NodeID(id)}, false, graph.Unlimited)
			if distance(len(ids), want) < distance(best.size, want) {
				best = start{graph.NodeID(id), len(ids)}
			}
			if distance(best.size, want) < want/50 {
				break
			}
		}
		b.starts = append(b.starts, best)
	}
}

func distance(a, b int) int { return max(a-b, b-a) }

func (b *bench) closures() error {
	b.find(50, 2000, 16000, 100000)
	b.bare = newBare(b.view, b.graph.Current().Counts().Nodes)
	fmt.Println("closure of ids and distances in memory          nodes      bare    server   ratio (limit 2)")
	for _, s := range b.starts {
		var bareIDs, ids []uint32
		times := max(9, 2_000_000/max(s.size, 1)/10)
		plain, ours := medians(times,
			func() { bareIDs, _ = b.bare.walk(uint32(s.id)) },
			func() { ids, _ = b.view.Reach(b.ctx, []graph.NodeID{s.id}, false, graph.Unlimited) })
		if !slices.Equal(bareIDs, ids) {
			return fmt.Errorf("the closure of node %d is not that of the bare search", s.id)
		}
		fmt.Printf("  %49d %9s %9s   %.2f\n", len(ids), round(plain), round(ours), float64(ours)/float64(plain))
	}
	fmt.Println()
	return nil
}

func round(d time.Duration) time.Duration {
	switch {
	case d > 10*time.Millisecond:
		return d.Round(100 * time.Microsecond)
	case d > time.Millisecond:
		return d.Round(10 * time.Microsecond)
	}
	return d.Round(100 * time.Nanosecond)
}

// live is a graph that stays as it is.
type live struct{ *graph.Graph }

func (l live) WaitFor(context.Context, graph.Position) (*graph.Snapshot, error) {
	return l.Current(), nil
}
func (l live) Sources() api.Sources { return sources{} }

// sources are none.
type sources struct{}

func (sources) Canonical(key string) string             { return key }
func (sources) Registered() []event.SourceRegistered    { return nil }
func (sources) Mappings() []event.SourceMerged          { return nil }
func (sources) Columns(string, string) ([]string, bool) { return nil, false }
func (sources) Explain(string) []lineage.Step           { return nil }

func (b *bench) http() error {
	mux := http.NewServeMux()
	api.New(api.Config{Live: live{b.graph}, Now: time.Now, Caller: func(context.Context) api.Caller { return api.Caller{} }}).Register(mux)
	server := httptest.NewServer(mux)
	defer server.Close()
	fmt.Println("over HTTP, names and all")
	for _, s := range b.starts[:3] {
		for _, path := range []string{"/api/v1/closure", "/api/v1/graph"} {
			q := url.Values{"node": {b.view.KeyOf(s.id)}, "direction": {"down"}, "depth": {"-1"}}
			var size int
			var err error
			took := median(21, func() {
				if size, err = fetch(b.ctx, server.URL+path+"?"+q.Encode()); err != nil {
					size = 0
				}
			})
			if err != nil {
				return err
			}
			limit := ""
			if path == "/api/v1/closure" && s.size < 5000 && s.size > 1000 {
				limit = " (limit 10ms)"
			}
			fmt.Printf("  %-18s closure of %6d nodes, %7d bytes: %9s%s\n", path, s.size, size, round(took), limit)
		}
	}
	fmt.Println()
	return nil
}

func fetch(ctx context.Context, address string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	if resp.StatusCode != http.StatusOK || !json.Valid(text) {
		return 0, fmt.Errorf("%s answered %d", address, resp.StatusCode)
	}
	return len(text), nil
}

// hops bounds the recursive query, whose rows are ways and not nodes.
const hops = 4

// engine asks the same of ClickHouse: by a recursive query, and hop by hop.
func (b *bench) engine() error {
	s := b.starts[1]
	var ours int
	took := median(201, func() {
		ids, _ := b.view.Reach(b.ctx, []graph.NodeID{s.id}, false, hops)
		ours = len(ids)
	})
	whole := median(51, func() { b.view.Reach(b.ctx, []graph.NodeID{s.id}, false, graph.Unlimited) })
	recursive, n, err := b.recursive(s.id)
	if err != nil {
		return err
	}
	if int(n) != ours {
		return fmt.Errorf("the recursive query finds %d nodes within %d hops, the graph %d", n, hops, ours)
	}
	byHop, m, err := b.byHop(s.id)
	if err != nil {
		return err
	}
	if m != s.size {
		return fmt.Errorf("hop by hop there are %d nodes, in the graph %d", m, s.size)
	}
	fmt.Printf("on the same engine\n  recursive query, %d hops, %d nodes: %9s, in memory %9s: %.0f times faster (limit 100)\n", hops, n, round(recursive), round(took), float64(recursive)/float64(took))
	fmt.Printf("  hop by hop with IN, all %d nodes: %9s, in memory %9s: %.0f times faster (limit 10)\n\n", m, round(byHop), round(whole), float64(byHop)/float64(whole))
	return nil
}

func (b *bench) recursive(id graph.NodeID) (took time.Duration, found uint64, err error) {
	const query = `WITH RECURSIVE reached AS (
			SELECT {start:UInt64} AS id, 0 AS distance
			UNION ALL
			SELECT e.to_id AS id, reached.distance + 1 AS distance FROM tributary.edges AS e INNER JOIN reached ON e.from_id = reached.id WHERE reached.distance < {hops:UInt8}
		) SELECT uniqExact(id) FROM reached SETTINGS enable_analyzer = 1`
	took = median(3, func() {
		if err == nil {
			err = b.store.Read().QueryRow(b.ctx, query, clickhouse.Named("start", b.view.Hash(id)), clickhouse.Named("hops", hops)).Scan(&found)
		}
	})
	return took, found, err
}

func (b *bench) byHop(id graph.NodeID) (took time.Duration, found int, err error) {
	took = median(3, func() {
		seen := map[uint64]bool{b.view.Hash(id): true}
		frontier := []uint64{b.view.Hash(id)}
		for len(frontier) > 0 && err == nil {
			frontier, err = b.hop(frontier, seen)
		}
		found = len(seen)
	})
	return took, found, err
}

func (b *bench) hop(frontier []uint64, seen map[uint64]bool) ([]uint64, error) {
	rows, err := b.store.Read().Query(b.ctx, `SELECT DISTINCT to_id FROM tributary.edges WHERE from_id IN {ids:Array(UInt64)} AND closed = 0`, clickhouse.Named("ids", frontier))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var next []uint64
	for rows.Next() {
		var id uint64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		if !seen[id] {
			seen[id] = true
			next = append(next, id)
		}
	}
	return next, rows.Err()
}

func (b *bench) search() error {
	queries := []string{"orders_daily_12345", "orders", "dw17.pay", "invoices_raw", "9999", "ments_fact_1", "sessions_agg_2999", "nothing like it", "dim_77", "s"}
	const times = 5
	var all []time.Duration
	busy := cpu()
	for _, q := range queries {
		all = append(all, median(times, func() { b.view.Search(q, 20, nil) }))
	}
	busy = (cpu() - busy) / time.Duration(times*len(queries))
	worst := slices.Max(all)
	slices.Sort(all)
	fmt.Printf("search over %d names: %s at the median of %d kinds of text (limit 50ms), %s at worst; %s of CPU time on average\n\n", b.graph.Current().Counts().Nodes, round(all[len(all)/2]), len(queries), round(worst), round(busy))
	return nil
}

// change measures one definition that changes among all tasks, and one that
// changes in a graph of a thousand tasks: they are to cost the same.
func (b *bench) change() error {
	before := b.graph.Current().Edges()
	large, err := change(b.graph)
	if err != nil {
		return err
	}
	few, err := smallGraph(1000)
	if err != nil {
		return err
	}
	small, err := change(few)
	if err != nil {
		return err
	}
	fmt.Printf("one of %d edges of a definition changed: %d opened, %d closed, visible in %s at the median (%s among a thousand tasks); %d edges before, %d after\n",
		large.edges, large.opened, large.closed, round(large.took), round(small.took), before, b.graph.Current().Edges())
	return nil
}

// changed is what a change of one definition did.
type changed struct {
	edges, opened, closed int
	took                  time.Duration
}

// change gives a task another edge in place of one that it has, many times.
func change(g *graph.Graph) (c changed, err error) {
	key := lineage.OwnerKey{Task: "default|task_7", Branch: "master", Source: lineage.SourceDefinition}
	state, ok := g.Begin().Owner(key)
	if !ok {
		return c, fmt.Errorf("there is no task %s", key.Task)
	}
	v, i := g.Current().View(), 0
	c.edges = len(state.Items)
	c.took = median(101, func() {
		i++
		batch := g.Begin()
		next := state
		next.Version = state.Version + uint64(i)
		next.Items = slices.Concat(state.Items[min(1, len(state.Items)):], []lineage.Item{{Edge: lineage.Edge{
			From: v.KeyOf(1), To: v.KeyOf(graph.NodeID(1 + i)), Direct: true, Origin: lineage.OriginParsed,
		}}})
		err = errors.Join(err, batch.SetOwner(next))
		c.opened, c.closed = batch.Changed()
		batch.Commit(graph.Position{})
	})
	return c, err
}

// smallGraph has tasks of three edges each.
func smallGraph(tasks int) (*graph.Graph, error) {
	g := graph.New()
	batch := g.Begin()
	node := func(i int) string { return fmt.Sprint("dataset|mysql://bench:3306|dw.t", i%tasks) }
	for i := range tasks {
		s := graph.OwnerState{Key: lineage.OwnerKey{Task: fmt.Sprint("default|task_", i), Branch: "master", Source: lineage.SourceDefinition}, Status: lineage.StatusLive, Version: 1}
		for n := range 3 {
			s.Items = append(s.Items, lineage.Item{Edge: lineage.Edge{From: node(i), To: node(i*7 + n), Direct: true, Origin: lineage.OriginParsed}, Statements: []int{1}})
		}
		if err := batch.SetOwner(s); err != nil {
			return nil, err
		}
	}
	batch.Commit(graph.Position{})
	return g, nil
}
