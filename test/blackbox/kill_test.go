package blackbox_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/audit"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/api/eventsapi"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
)

// load sends events that change until the server is gone, and notes what was
// acknowledged.
type load struct {
	mu    sync.Mutex
	acked map[string]log.Position // by event id
	sent  int
	// enough is closed when wanted events were acknowledged.
	enough chan struct{}
	wanted int
}

func newLoad(wanted int) *load {
	return &load{acked: map[string]log.Position{}, enough: make(chan struct{}), wanted: wanted}
}

// random draws the next event: definitions of a few tasks and tables, over
// and over, so that edges open and close and definitions are extracted again.
func (l *load) random(r *rand.Rand) sent {
	l.mu.Lock()
	l.sent++
	id := fmt.Sprint("e", l.sent)
	l.mu.Unlock()
	t := event.Task{ID: fmt.Sprint("task", r.IntN(40))}
	if r.IntN(6) == 0 {
		t.Branch = "dev"
	}
	switch r.IntN(12) {
	case 0:
		return eventOf(id, event.TypeTaskRemoved, &event.TaskRemoved{Task: t})
	case 1:
		columns := []event.Column{{Name: "a"}, {Name: "b"}, {Name: "c"}}
		return eventOf(id, event.TypeTableDefined, &event.TableDefined{
			Dataset: event.Dataset{Namespace: shop, Name: fmt.Sprint("db.t", r.IntN(8))}, Columns: columns[:1+r.IntN(3)],
		})
	case 2:
		return eventOf(id, event.TypeEdgeAdded, &event.EdgeAdded{Edge: event.Edge{
			From: event.Ref{Namespace: shop, Name: fmt.Sprint("db.t", r.IntN(8))}, To: event.Ref{Namespace: shop, Name: fmt.Sprint("db.m", r.IntN(4))}, Who: "ann",
		}})
	}
	sql := fmt.Sprintf("INSERT INTO db.t%d SELECT * FROM t%d JOIN t%d USING (a)", r.IntN(8), r.IntN(8), r.IntN(8)) //nolint:unqueryvet // stars are what is tested
	if r.IntN(4) == 0 {
		sql = fmt.Sprintf("CREATE TABLE db.v%d AS SELECT a, b + %d AS n FROM t%d; SELEC;", r.IntN(4), r.IntN(100), r.IntN(8))
	}
	return eventOf(id, event.TypeTaskDefined, &event.TaskDefined{Task: t, SQL: sql, Dialect: "mysql", DefaultSource: shop, DefaultSchema: "db"})
}

// run sends batches from several senders until the server does not answer.
func (l *load) run(base string, seed uint64, stop <-chan struct{}) {
	const senders = 4
	var group sync.WaitGroup
	for s := range senders {
		group.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(s)))
			for {
				select {
				case <-stop:
					return
				default:
				}
				batch := make([]sent, 1+r.IntN(20))
				for i := range batch {
					batch[i] = l.random(r)
				}
				a, _, err := tryPost(base, lines(batch...))
				if err != nil {
					return
				}
				l.note(batch, a.Results)
			}
		})
	}
	group.Wait()
}

func (l *load) note(batch []sent, results []eventsapi.EventResult) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range results {
		if r.Status == eventsapi.EventResultStatusAccepted {
			l.acked[batch[r.Index].ID] = log.Position{Topic: r.Topic, Partition: *r.Partition, Offset: *r.Offset}
			if len(l.acked) == l.wanted {
				close(l.enough)
			}
		}
	}
}

// requireAcked finds every acknowledged event in the log, where the answer
// said that it is.
func (l *load) requireAcked(t *testing.T, client *log.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), settleTime)
	defer cancel()
	there := map[log.Position]string{}
	for _, topic := range []string{log.TopicTasks, log.TopicDefinitions} {
		recs, err := audit.ReadAll(ctx, client, topic)
		require.NoError(t, err)
		for i := range recs {
			id, _ := recs[i].Header("ce_id")
			there[log.Position{Topic: topic, Partition: recs[i].Partition, Offset: recs[i].Offset}] = string(id)
		}
	}
	require.NotEmpty(t, l.acked)
	for id, at := range l.acked {
		require.Equal(t, id, there[at], "event %s was acknowledged at %s", id, at)
	}
}

func TestKilledAtRandomMoments(t *testing.T) {
	s := seed(t)
	r := rand.New(rand.NewPCG(s, 0))
	dir := t.TempDir()
	l := newLoad(0)
	n := rounds(t, 5, 50)
	for range n {
		p := serve(t, dir)
		// Some die while they still fold what the one before left, some under
		// load, some when all is done.
		dies := time.AfterFunc(time.Duration(r.IntN(1200))*time.Millisecond, func() { _ = p.cmd.Process.Kill() })
		l.run(p.URL, r.Uint64(), p.done)
		<-p.done
		dies.Stop()
		require.NotZero(t, p.cmd.ProcessState.ExitCode(), "it was killed")
	}
	p := serve(t, dir)
	client := connect(t, p.Brokers)
	l.requireAcked(t, client)
	picture := requireAudit(t, client, p.Store)
	requireComplete(t, p)
	t.Logf("%d kills, %d of %d events acknowledged, %d rows equal to a fold of the log", n, len(l.acked), l.sent, picture.Rows())
	require.Zero(t, p.interrupt())
}

func TestRebuildGivesTheSameRows(t *testing.T) {
	s := seed(t)
	dir := t.TempDir()
	l := newLoad(500)
	p := serve(t, dir)
	l.run(p.URL, s, l.enough)
	client := connect(t, p.Brokers)
	live := requireAudit(t, client, p.Store)
	before, err := ends(t.Context(), client)
	require.NoError(t, err)
	require.Zero(t, p.interrupt())

	// The tables are made anew from the log as it stands: nothing is parsed
	// again, so the log does not grow.
	removeAll(t, dir, "store")
	p = serve(t, dir)
	client = connect(t, p.Brokers)
	rebuilt := requireAudit(t, client, p.Store)
	require.NoError(t, different(live, rebuilt))
	after, err := ends(t.Context(), client)
	require.NoError(t, err)
	require.Equal(t, before, after)
	requireComplete(t, p)
	t.Logf("%d events, %d rows, the same after a rebuild", len(l.acked), live.Rows())
	require.Zero(t, p.interrupt())
}

func TestStoppedUnderLoad(t *testing.T) {
	s := seed(t)
	dir := t.TempDir()
	l := newLoad(200)
	p := serve(t, dir)
	over := make(chan struct{})
	go func() {
		defer close(over)
		l.run(p.URL, s, p.done)
	}()
	<-l.enough
	require.Zero(t, p.interrupt(), "it drains and ends well")
	<-over
	p = serve(t, dir)
	client := connect(t, p.Brokers)
	l.requireAcked(t, client)
	requireAudit(t, client, p.Store)
	require.Zero(t, p.interrupt())
}

// requireComplete compares what is answered about every table of a branch,
// over all hops, with a plain walk over the edges in the store.
func requireComplete(t *testing.T, p *process) {
	t.Helper()
	next := map[string][]string{}
	for _, row := range query(t, p.Store, "SELECT from_key, to_key FROM tributary.lineage_edges WHERE has(branches, 'master') FORMAT TSV") {
		from, to, _ := strings.Cut(row, "\t")
		next[from] = append(next[from], to)
	}
	require.NotEmpty(t, next)
	for node := range next {
		want := walk(next, node)
		poll(t, settleTime, func() error {
			var c lineageapi.Closure
			if err := tryGet(p.URL, "/api/v1/closure", url.Values{"node": {node}, "direction": {"down"}}, &c); err != nil {
				return err
			}
			if got := reached(c); !slices.Equal(want, got) {
				return fmt.Errorf("from %s the store's edges lead to\n%s\nthe answer is\n%s", node, strings.Join(want, "\n"), strings.Join(got, "\n"))
			}
			return nil
		})
	}
}

// walk gives what is reached from a node, as reached does.
func walk(next map[string][]string, node string) []string {
	distance := map[string]int{node: 0}
	var out []string
	for queue := []string{node}; len(queue) > 0; queue = queue[1:] {
		for _, to := range next[queue[0]] {
			if _, ok := distance[to]; !ok {
				distance[to] = distance[queue[0]] + 1
				queue = append(queue, to)
				out = append(out, fmt.Sprint(distance[to], " ", to))
			}
		}
	}
	slices.Sort(out)
	return out
}
