// Command graph measures the lineage graph on a generated one: how fast it
// loads, what it takes, and how fast it answers, with a bare breadth-first
// search over arrays, a recursive query and queries hop by hop on the same
// engine in the same run.
//
// The generated graph has clusters of several sizes with edges that go forward
// at random within them, so that closures of about those sizes are there to be
// asked; a fifth of the nodes in chains of 1,000; and 200 hubs, half of which
// take edges from everywhere and half of which feed nodes everywhere. See
// generate.go. The same seed gives the same graph.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/tributary-data/tributary/internal/engine"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/lineage/history"
	"github.com/tributary-data/tributary/schemas/clickhouse"
)

func main() {
	cfg := config{}
	flag.IntVar(&cfg.nodes, "nodes", 3_000_000, "nodes")
	flag.IntVar(&cfg.edges, "edges", 10_000_000, "edges")
	flag.IntVar(&cfg.seed, "seed", 1, "seed of the graph")
	flag.StringVar(&cfg.dir, "dir", "", "folder to keep the generated graph in, for the next run (a temporary one)")
	flag.StringVar(&cfg.library, "engine-lib", os.Getenv("TRIBUTARY_STORE_ENGINE_LIB"), "the engine's library (fetched)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, cfg)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// config says what to measure.
type config struct {
	nodes, edges, seed int
	dir, library       string
}

func run(ctx context.Context, cfg config) (err error) {
	s, done, err := open(ctx, &cfg)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := done(); err == nil {
			err = closeErr
		}
	}()
	fmt.Printf("%d CPUs, %s, graph of %d nodes and %d edges, seed %d\n\n", runtime.NumCPU(), runtime.Version(), cfg.nodes, cfg.edges, cfg.seed)
	if err := generate(ctx, s, cfg); err != nil {
		return err
	}
	g := graph.New()
	if err := load(ctx, s, g); err != nil {
		return err
	}
	b := bench{ctx: ctx, cfg: cfg, store: s, graph: g, view: g.Current().View()}
	for _, step := range []func() error{b.memory, b.closures, b.http, b.engine, b.search, b.change} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// open starts the engine on the folder, and gives what closes it again.
func open(ctx context.Context, cfg *config) (*store.Store, func() error, error) {
	remove := func() error { return nil }
	if cfg.dir == "" {
		dir, err := os.MkdirTemp("", "tributary-bench-*")
		if err != nil {
			return nil, nil, err
		}
		cfg.dir, remove = dir, func() error { return os.RemoveAll(dir) }
	}
	if cfg.library == "" {
		library, err := engine.Fetch(ctx, engine.FetchConfig{Progress: os.Stderr})
		if err != nil {
			return nil, nil, err
		}
		cfg.library = library
	}
	e, err := engine.Open(engine.Config{Library: cfg.library, Dir: cfg.dir})
	if err != nil {
		return nil, nil, err
	}
	s, err := store.Open(ctx, store.Config{Engine: e, QueryMemory: 4 << 30})
	if err == nil {
		err = s.Migrate(ctx, clickhouse.Migrations)
	}
	if err != nil {
		return nil, nil, err
	}
	return s, func() error {
		for _, end := range []func() error{s.Close, e.Close, remove} {
			if err := end(); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// load measures how fast the graph comes from the store.
func load(ctx context.Context, s *store.Store, g *graph.Graph) error {
	began, busy := time.Now(), cpu()
	l := g.Load()
	if _, err := history.New(s, nil, nil).Load(ctx, l); err != nil {
		return err
	}
	read := time.Since(began)
	c := l.Finish(graph.Position{}).Counts()
	took := time.Since(began)
	fmt.Printf("load from ClickHouse, names and tasks too   %8.1f s   %9.0f edges a second (limit 500,000)\n", took.Seconds(), float64(c.Table)/took.Seconds())
	busy = cpu() - busy
	fmt.Printf("  in CPU time of both sides %.1f s, %.0f edges a second of one CPU\n", busy.Seconds(), float64(c.Table)/busy.Seconds())
	fmt.Printf("  of which reading rows %.1f s, building the adjacency %.1f s; %d nodes, %d edges\n\n", read.Seconds(), (took - read).Seconds(), c.Nodes, c.Table)
	return nil
}

// cpu gives the CPU time that the process has taken so far: on a machine that
// does other things it says more than the clock.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
