package spine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/audit"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/parser/consumer"
	"github.com/tributary-data/tributary/projector"
	"github.com/tributary-data/tributary/schemas/event"
)

// inCI gives the full size in CI and a small one elsewhere.
func inCI[T any](full, small T) T {
	if os.Getenv("CI") == "true" {
		return full
	}
	return small
}

// audit compares the tables with a fold of the log, once all is folded.
func (s *spine) audit() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 2*time.Minute)
	defer cancel()
	require.NoError(s.t, compare(ctx, s.log, s.store, s.board))
}

func (s *spine) count(table string) uint64 {
	s.t.Helper()
	var n uint64
	require.NoError(s.t, s.store.Read().QueryRow(s.t.Context(), "SELECT count() FROM tributary."+table).Scan(&n))
	return n
}

func TestAMillionRepeatsAreAsManyRowsAsOne(t *testing.T) {
	s := newSpine(t)
	d := task("load", "INSERT INTO dw.orders (id, amount) SELECT id, amount FROM orders WHERE paid = 1")
	s.send(d)
	tables := []string{"nodes", "edges", "edges_by_target", "owners", "extractions", "tasks", "mentions", "sql_errors"}
	before := map[string]uint64{}
	for _, table := range tables {
		before[table] = s.count(table)
	}
	total := 20_000 // a million of them go through the built binary, without the race detector
	const batch = 2000
	recs := make([]log.Record, batch)
	for sent := 0; sent < total; sent += batch {
		for i := range recs {
			recs[i] = record(t, fmt.Sprint("again-", sent+i), d)
		}
		_, err := s.log.Append(t.Context(), recs)
		require.NoError(t, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	ends, err := s.log.Ends(ctx, log.TopicTasks)
	require.NoError(t, err)
	for p, end := range ends {
		require.NoError(t, s.waiter.WaitFolded(ctx, []log.Position{{Topic: log.TopicTasks, Partition: p, Offset: end - 1}}))
	}
	for _, table := range tables {
		require.Equal(t, before[table], s.count(table), table)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	require.Less(t, memory.HeapAlloc, uint64(1<<30))
}

// TestRebalances lets members of both groups come and go while events come in.
func TestRebalances(t *testing.T) {
	s := newSpine(t)
	random := rand.New(rand.NewPCG(7, 7))
	for round := range inCI(10, 3) {
		other := consumer.New(consumer.Config{Log: s.log, Store: s.store, Board: s.board})
		another := projector.New(projector.Config{Log: s.log, Store: s.store, Board: s.board})
		_, err := s.log.Append(t.Context(), storyRecords(t, random, 3000*round, 100))
		require.NoError(t, err)
		require.NoError(t, other.Start(t.Context()))
		require.NoError(t, another.Start(t.Context()))
		_, err = s.log.Append(t.Context(), storyRecords(t, random, 3000*round+1000, 100))
		require.NoError(t, err)
		require.NoError(t, another.Stop())
		require.NoError(t, other.Stop())
	}
	s.audit()
}

// TestStoreAway takes a table away while events come in: nothing is lost, and
// nothing becomes a dead letter because of the store.
func TestStoreAway(t *testing.T) {
	s := newSpine(t)
	random := rand.New(rand.NewPCG(8, 8))
	exec := func(statement string) { require.NoError(t, s.store.Write().Exec(t.Context(), statement)) }
	exec("RENAME TABLE tributary.edges_by_target TO tributary.edges_away")
	back := func() { exec("RENAME TABLE tributary.edges_away TO tributary.edges_by_target") }
	away := inCI(60*time.Second, 3*time.Second)
	for until := time.Now().Add(away); time.Now().Before(until); {
		_, err := s.log.Append(t.Context(), storyRecords(t, random, random.IntN(1_000_000), 20))
		if err != nil {
			back()
			require.NoError(t, err)
		}
	}
	back()
	s.audit()
	letters, err := audit.ReadAll(t.Context(), s.log, log.TopicDeadletter)
	require.NoError(t, err)
	require.Empty(t, letters)
}

// TestHostileSQLIsAResult sends scripts that hurt parsers among ordinary ones.
func TestHostileSQLIsAResult(t *testing.T) {
	s := newSpine(t)
	good := func(i int) *event.TaskDefined {
		return task(fmt.Sprint("good", i), fmt.Sprintf("INSERT INTO dw.t%d (id) SELECT id FROM s%d", i, i))
	}
	at := s.send(good(0),
		task("parens", "SELECT "+strings.Repeat("(", 100_000)+"1"+strings.Repeat(")", 100_000)),
		task("subqueries", "INSERT INTO a "+strings.Repeat("SELECT * FROM (", 100_000)),
		task("ors", "INSERT INTO a SELECT b FROM c WHERE "+strings.Repeat("x = 1 OR ", 200_000)+"x = 2"),
		task("empty", "-- nothing here"),
		task("noise", "\x00\x01;;;'\"`"),
		good(1))
	require.Subset(t, s.tables(), []string{"db.s0 > dw.t0", "db.s1 > dw.t1"})
	for _, hostile := range at[1:3] {
		require.NotEmpty(t, s.lineageOf(hostile).Errors)
	}
	require.Empty(t, s.lineageOf(at[4]).Errors)
}

// TestALongExtractionTravelsInParts has more edges than one record may hold.
func TestALongExtractionTravelsInParts(t *testing.T) {
	s := newSpine(t)
	var columns, exprs []string
	for i := range 11_000 {
		columns = append(columns, fmt.Sprintf("c%d", i))
		exprs = append(exprs, fmt.Sprintf("s.x%d + s.y", i))
	}
	s.send(task("wide", "INSERT INTO dw.wide ("+strings.Join(columns, ",")+") SELECT "+strings.Join(exprs, ",")+" FROM src s"))
	s.settle()
	require.Len(t, s.columns(), 22_000)
	// The next definition takes it away again.
	s.send(task("wide", "INSERT INTO dw.wide (c0) SELECT s.x0 FROM src s"))
	s.settle()
	require.Equal(t, []string{"x0 > c0"}, s.columns())
}
