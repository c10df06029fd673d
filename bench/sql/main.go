// Command sql measures lineage extraction: how many bytes and statements a
// second on one core for analytic statements of about 2 KB, beside other tools
// on the same statements in the same run, and how time grows when a statement
// doubles.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tributary-data/tributary/internal/heap"
	"github.com/tributary-data/tributary/parser"
)

func main() {
	python := flag.String("python", "", "Python that has the other tools; none measures ours alone")
	peers := flag.String("peers", "bench/sql/peers.py", "script that runs the other tools")
	count := flag.Int("statements", 200, "statements to measure on")
	seed := flag.Uint64("seed", 1, "seed of the statements")
	flag.Parse()
	if err := run(*python, *peers, *count, *seed); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(python, peers string, count int, seed uint64) error {
	statements := generate(seed, count)
	size := 0
	for _, s := range statements {
		size += len(s)
	}
	fmt.Printf("%d statements, %d bytes each on average, rates by processor time\n\n", count, size/count)
	runtime.GOMAXPROCS(1)
	defer heap.Room()() // as the parse role runs
	for _, dialect := range []string{"ansi", "spark", "postgres", "mysql"} {
		rate, err := ours(statements, dialect)
		if err != nil {
			return err
		}
		fmt.Printf("tributary, %-8s  %9.0f statements/s  %6.1f MB/s\n", dialect, rate, rate*float64(size)/float64(count)/1e6)
	}
	rate, err := ours(statements, "ansi")
	if err != nil {
		return err
	}
	if python != "" {
		if err := beside(python, peers, statements, rate); err != nil {
			return err
		}
	}
	fmt.Println("\nhow time grows when a statement doubles (2.0 is linear)")
	for _, g := range growths() {
		grow(g)
	}
	deepen()
	return nil
}

// used is the processor time of this process so far. Rates are by it, ours and
// the others', so that a busy machine does not change what they say.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it cannot fail for the process itself
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ours extracts the statements again and again for some seconds.
func ours(statements []string, dialect string) (perSecond float64, err error) {
	const least = 3 * time.Second
	began, done := used(), 0
	for used()-began < least {
		for _, s := range statements {
			res := parser.Extract(context.Background(), []byte(s), parser.Options{Dialect: dialect})
			if len(res.Errors) > 0 {
				return 0, fmt.Errorf("a statement was not understood as %s: %s\n%s", dialect, res.Errors[0].Message, s)
			}
			done++
		}
	}
	return float64(done) / (used() - began).Seconds(), nil
}

// beside runs the other tools on the same statements, each in its own process
// and for some seconds, and prints how many times faster ours is.
func beside(python, peers string, statements []string, rate float64) error {
	input, err := json.Marshal(statements)
	if err != nil {
		return fmt.Errorf("encoding statements: %w", err)
	}
	fmt.Println()
	for _, tool := range []string{"sqlglot", "sqllineage", "openlineage-sql"} {
		cmd := exec.CommandContext(context.Background(), python, peers, tool)
		cmd.Stdin, cmd.Stderr = bytes.NewReader(input), os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("running %s: %w", tool, err)
		}
		var peer struct {
			Version   string
			PerSecond float64 `json:"per_second"`
			Failed    int
		}
		if err := json.Unmarshal(out, &peer); err != nil {
			return fmt.Errorf("reading what %s printed: %w", tool, err)
		}
		fmt.Printf("%-16s %-8s  %9.1f statements/s, %d not understood; tributary is %.0f times as fast\n",
			tool, peer.Version, peer.PerSecond, peer.Failed, rate/peer.PerSecond)
	}
	return nil
}

// growth makes a statement of about n bytes.
type growth struct {
	name string
	make func(n int) string
}

func growths() []growth {
	repeat := func(head, item, sep, tail string) func(int) string {
		return func(n int) string {
			var parts []string
			for size := len(head) + len(tail); size < n; size += len(parts[len(parts)-1]) + len(sep) {
				parts = append(parts, strings.ReplaceAll(item, "#", strconv.Itoa(len(parts)%1000)))
			}
			return head + strings.Join(parts, sep) + tail
		}
	}
	return []growth{
		{"unions", repeat("insert into t ", "select a#, b, c from s# where d > 1", " union all ", "")},
		{"columns", repeat("insert into t select ", "coalesce(a#, b#) + c# as d#", ", ", " from s")},
		{"conditions", repeat("insert into t select a from s where ", "b# = 1", " or ", "")},
		{"IN lists", repeat("insert into t select a from s where b in (", "1#", ", ", ")")},
		{"CTEs", repeat("with ", "c# as (select a, b from s# where d = 1)", ", ", " insert into t select a from c0")},
		{"joins", repeat("insert into t select s.a from s ", "join j# on j#.id = s.id", " ", "")},
		{"nesting", repeat("insert into t ", nested(100), " union all ", "")},
	}
}

// nested makes a query of derived tables, calls and parentheses inside one another.
func nested(depth int) string {
	sql := "select a, b from s#"
	for i := range depth {
		switch i % 3 {
		case 0:
			sql = "select a, b from (" + sql + ") x where b > 1"
		case 1:
			sql = "select coalesce(a, (b + 1)) as a, b from (" + sql + ") x"
		default:
			sql = "select case when a in (select k from u#) then a else b end as a, b from (" + sql + ") x"
		}
	}
	return sql
}

// grow prints the ratios of the times from one doubling to the next, up to 4 MB. A time
// is the least processor time of several runs that each begin with a clean heap; what
// the collector does in a run is part of it. On a busy machine single steps are by chance;
// the average over all of them is less so.
func grow(g growth) {
	fmt.Printf("  %-10s", g.name)
	var first, before time.Duration
	steps := 0
	for n := 128 << 10; n <= 4<<20; n *= 2 {
		sql := g.make(min(n, 4<<20-4096))
		best := time.Duration(1 << 62)
		for range 5 {
			runtime.GC()
			began := used()
			res := parser.Extract(context.Background(), []byte(sql), parser.Options{Dialect: "spark", Limits: parser.Limits{Tokens: 4 << 20, Time: time.Minute}})
			best = min(best, used()-began)
			if len(res.Errors) > 0 {
				fmt.Printf("  %dK: %s", n>>10, res.Errors[0].Message)
				break
			}
		}
		if before > 0 {
			fmt.Printf("  %dK×%.2f", n>>10, float64(best)/float64(before))
			steps++
		} else {
			first = best
		}
		before = best
	}
	fmt.Printf("  on average ×%.2f\n", math.Pow(float64(before)/float64(first), 1/float64(steps)))
}

// deepen prints the ratios of the times when nesting doubles, up to near the limit of
// its depth. One statement would be over too soon to be measured.
func deepen() {
	fmt.Printf("  %-10s", "depth")
	var before time.Duration
	for depth := 60; depth <= 960; depth *= 2 {
		sql, best := "insert into t "+nested(depth), time.Duration(1<<62)
		for range 5 {
			runtime.GC()
			began := used()
			for range 50 {
				parser.Extract(context.Background(), []byte(sql), parser.Options{Dialect: "spark"})
			}
			best = min(best, used()-began)
		}
		if before > 0 {
			fmt.Printf("  %d×%.2f", depth, float64(best)/float64(before))
		}
		before = best
	}
	fmt.Println()
}

// generate makes statements as analysts write them: CTEs, joins, windows,
// CASE, aggregates, subqueries and unions.
func generate(seed uint64, count int) []string {
	r := rand.New(rand.NewPCG(seed, seed))
	out := make([]string, count)
	for i := range out {
		out[i] = statement(r, i)
	}
	return out
}

func statement(r *rand.Rand, i int) string {
	var b strings.Builder
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	fmt.Fprintf(&b, "INSERT INTO mart.report_%d\n", i)
	fmt.Fprintf(&b, "WITH base AS (\n  SELECT o.order_id, o.customer_id, o.store_id, o.amount, o.discount, o.created_at, c.segment, c.country\n"+
		"  FROM sales.orders_%d o\n  %s JOIN crm.customers c ON c.customer_id = o.customer_id AND c.valid = 1\n"+
		"  WHERE o.created_at >= '2026-01-01' AND o.status IN ('paid', 'shipped', '%s')\n),\n", r.IntN(50), pick("INNER", "LEFT"), pick("done", "sent", "new"))
	fmt.Fprintf(&b, "ranked AS (\n  SELECT b.*, ROW_NUMBER() OVER (PARTITION BY b.customer_id ORDER BY b.created_at DESC) AS rn,\n"+
		"         SUM(b.amount) OVER (PARTITION BY b.country ORDER BY b.created_at) AS running\n  FROM base b\n),\n")
	for k := range 2 + r.IntN(2) {
		fmt.Fprintf(&b, "agg%d AS (\n  SELECT r.store_id, r.%s AS dim, COUNT(*) AS orders, SUM(r.amount - COALESCE(r.discount, 0)) AS net,\n"+
			"         MAX(CASE WHEN r.rn = 1 THEN r.amount ELSE 0 END) AS last_amount, AVG(r.running) AS running\n"+
			"  FROM ranked r\n  WHERE r.amount > %d AND EXISTS (SELECT 1 FROM ref.stores s WHERE s.store_id = r.store_id AND s.open_on < r.created_at)\n"+
			"  GROUP BY r.store_id, r.%[2]s\n  HAVING SUM(r.amount) > %d\n),\n", k, pick("segment", "country"), r.IntN(100), r.IntN(1000))
	}
	b.WriteString("named AS (\n  SELECT s.store_id, s.name AS store_name, g.region FROM ref.stores s JOIN ref.regions g ON g.region_id = s.region_id\n)\n")
	for k := range 2 {
		if k > 0 {
			b.WriteString("UNION ALL\n")
		}
		fmt.Fprintf(&b, "SELECT n.store_name, UPPER(n.region) AS region, a.dim, a.orders, a.net, a.net / NULLIF(a.orders, 0) AS average,\n"+
			"       CASE WHEN a.net > %d THEN 'high' WHEN a.last_amount > 0 THEN 'active' ELSE '%s' END AS band,\n"+
			"       (SELECT MAX(t.target) FROM plan.targets t WHERE t.store_id = a.store_id) AS target\n"+
			"FROM agg%d a JOIN named n ON n.store_id = a.store_id\nWHERE a.dim IS NOT NULL AND n.region <> 'test'\n", r.IntN(9000), pick("low", "none"), k)
	}
	return b.String()
}
