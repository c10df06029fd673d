package catalog

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	fold "github.com/tributary-data/tributary/fold/catalog"
	"github.com/tributary-data/tributary/internal/catalogfold"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/log/logtest"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/internal/store/storetest"
	"github.com/tributary-data/tributary/schemas/event"
)

func TestMain(m *testing.M) { storetest.Main(m) }

const space = "shop"

func head() event.CatalogHead { return event.CatalogHead{Space: space, Rules: 1, Actor: "ann"} }

func dataset(name string) event.CatalogDataset {
	return event.CatalogDataset{Namespace: "lake", Name: name}
}

// story is a life of a space: people's transactions, builds that succeed, fail, are queued, refused and
// aborted, a retry, and repeats.
func story() []event.Event {
	var list []event.Event
	add := func(typ string, d any) {
		n := len(list)
		list = append(list, event.Event{ID: fmt.Sprintf("e%d", n), Source: "test", Type: typ, Time: time.UnixMilli(1_700_000_000_000 + int64(n)).UTC(), Data: d})
	}
	transaction := func(n int) string { return fmt.Sprintf("00000000-0000-0000-0000-%012d", n) }
	put := func(path string) event.Manifest {
		return event.Manifest{Put: []event.File{{Path: path, Location: "s3://lake/" + path, Rows: 7, Bytes: 70, Checksum: "md5:0"}}}
	}
	for _, name := range []string{"A", "D"} {
		add(event.TypeDatasetCreated, &event.DatasetCreated{CatalogHead: head(), Dataset: dataset(name)})
		add(event.TypeBranchCreated, &event.BranchCreated{CatalogHead: head(), Dataset: dataset(name), Branch: "m"})
	}
	open := func(n int, branch, typ string) {
		add(event.TypeTransactionOpened, &event.TransactionOpened{CatalogHead: head(), Dataset: dataset("A"), BranchHandle: event.BranchHandle{Branch: branch}, Transaction: transaction(n), Type: typ})
	}
	commit := func(n int, m event.Manifest) {
		add(event.TypeTransactionCommitted, &event.TransactionCommitted{CatalogHead: head(), Transaction: transaction(n), Manifest: m, Schema: []event.Field{{Name: "id", Type: "Int64"}}})
	}
	open(1, "m", "SNAPSHOT")
	add(event.TypeTransactionFilesAdded, &event.TransactionFilesAdded{CatalogHead: head(), Transaction: transaction(1), Manifest: put("a0")})
	commit(1, put("a1"))
	add(event.TypeBranchCreated, &event.BranchCreated{CatalogHead: head(), Dataset: dataset("A"), Branch: "f", Parent: &event.BranchHandle{Branch: "m"}})
	open(2, "f", "APPEND")
	commit(2, put("a1"))
	add(event.TypeTransactionAborted, &event.TransactionAborted{CatalogHead: head(), Transaction: transaction(2), Reason: "a mistake"})
	add(event.TypeBranchDeleted, &event.BranchDeleted{CatalogHead: head(), Dataset: dataset("A"), BranchHandle: event.BranchHandle{Branch: "f"}})
	specs := &event.JobSpecPublished{CatalogHead: head(), Branch: "m", Commit: "abc"}
	for _, edge := range [][2]string{{"A", "B"}, {"B", "C"}} {
		specs.Specs = append(specs.Specs, event.JobSpec{
			ID: "job" + edge[1], Inputs: []event.SpecInput{{Dataset: dataset(edge[0])}}, Outputs: []event.SpecOutput{{Dataset: dataset(edge[1]), Type: "APPEND"}},
			Logic: event.Logic{Language: "sql", Dialect: "clickhouse", Text: "SELECT 1"}, Engine: "clickhouse-sql", Properties: map[string]string{"k": "v"},
		})
	}
	add(event.TypeJobSpecPublished, specs)
	build := func(id, branch, target string, retries int) {
		add(event.TypeBuildRequested, &event.BuildRequested{CatalogHead: head(), Build: id, Branch: branch, Fallbacks: []string{"m"}[:map[bool]int{true: 0, false: 1}[branch == "m"]], Targets: []event.CatalogDataset{dataset(target)}, Mode: "upstream", Retries: retries})
	}
	attempt := func(id string, job, n int) event.AttemptHandle {
		return event.AttemptHandle{Build: id, Job: job, Token: fmt.Sprintf("%032d", job*100+n) + id}
	}
	begin := func(id string, job, n int) {
		add(event.TypeAttemptStarted, &event.AttemptStarted{CatalogHead: head(), AttemptHandle: attempt(id, job, n), Attempt: n, Runner: "r1"})
	}
	finish := func(id string, job, n int, name string) {
		add(event.TypeAttemptFinished, &event.AttemptFinished{CatalogHead: head(), AttemptHandle: attempt(id, job, n), Outputs: []event.AttemptOutput{{Dataset: dataset(name), Manifest: put(fmt.Sprintf("%s/%d", id, n))}}})
	}
	build("b1", "m", "C", 1)
	build("b2", "m", "C", 0)
	build("b3", "f", "C", 0)
	build("b4", "f", "nothing", 0)
	begin("b1", 0, 1)
	add(event.TypeAttemptFailed, &event.AttemptFailed{CatalogHead: head(), AttemptHandle: attempt("b1", 0, 1), Message: "no space"})
	begin("b1", 0, 2)
	finish("b1", 0, 2, "B")
	begin("b1", 1, 1)
	finish("b1", 1, 1, "C")
	begin("b3", 0, 1)
	add(event.TypeBuildAborted, &event.BuildAborted{CatalogHead: head(), Build: "b3", Reason: "not wanted"})
	add(event.TypeAttemptExpired, &event.AttemptExpired{CatalogHead: head(), AttemptHandle: attempt("b3", 0, 1)})
	add(event.TypeRetentionSwept, &event.RetentionSwept{CatalogHead: head()})
	list = append(list, list[5], list[8])
	return list
}

// write appends the story, cut where the cuts say, and returns its partition.
func write(t *testing.T, client *log.Client, events []event.Event) int {
	t.Helper()
	var recs []log.Record
	for _, e := range events {
		rec, err := event.Encode(e)
		require.NoError(t, err)
		out := log.Record{Topic: rec.Topic, Key: rec.Key, Value: rec.Value}
		for _, h := range rec.Headers {
			out.Headers = append(out.Headers, log.Header(h))
		}
		recs = append(recs, out)
	}
	positions, err := client.Append(context.Background(), recs)
	require.NoError(t, err)
	return positions[0].Partition
}

// choppy gives records in small random batches, so that a crash falls anywhere.
type choppy struct {
	*log.Client
	random *rand.Rand
}

func (c choppy) Read(ctx context.Context, topic string, partition int, from int64, fn func([]log.Record) error) error {
	return c.Client.Read(ctx, topic, partition, from, func(recs []log.Record) error {
		for len(recs) > 0 {
			n := min(len(recs), 1+c.random.IntN(8))
			if err := fn(recs[:n]); err != nil {
				return err
			}
			recs = recs[n:]
		}
		return nil
	})
}

// dump writes all rows of all tables as text.
func dump(t *testing.T, s *store.Store) string {
	t.Helper()
	var out strings.Builder
	for _, table := range tables {
		rows, err := s.Read().Query(context.Background(), "SELECT toString(tuple("+strings.Join(table.columns, ", ")+")) AS line FROM tributary."+table.name+" FINAL ORDER BY line")
		require.NoError(t, err)
		for rows.Next() {
			var line string
			require.NoError(t, rows.Scan(&line))
			fmt.Fprintf(&out, "%s %s\n", table.name, line)
		}
		require.NoError(t, rows.Err())
		require.NoError(t, rows.Close())
	}
	return out.String()
}

var errCrash = errors.New("crash")

// project runs a projector until it has written everything before the offset, or fails.
func project(t *testing.T, cfg Config, partition int, until int64) error {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cfg.Board = progress.NewBoard()
	p := New(cfg)
	n, err := cfg.Log.Partitions(ctx, log.TopicCatalog)
	require.NoError(t, err)
	p.partitions = n
	done := make(chan error, 1)
	go func() { done <- p.Project(ctx, partition) }()
	waited := make(chan error, 1)
	go func() {
		waited <- cfg.Board.Wait(ctx, progress.At{Reader: Reader, Topic: log.TopicCatalog, Partition: partition}, until-1)
	}()
	select {
	case err := <-done:
		cancel()
		<-waited
		return err
	case err := <-waited:
		require.NoError(t, err)
		cancel()
		<-done
		return nil
	}
}

// crashEvery is how far apart the inserts are before which the projector is ended. It shares no factor with
// the number of tables, so every table has its turn.
const crashEvery = 7

// TestRowsDoNotDependOnTheSizeOfInserts writes rows one by one and finds those of large inserts.
func TestRowsDoNotDependOnTheSizeOfInserts(t *testing.T) {
	s := storetest.Open(t)
	client := logtest.Start(t)
	events := story()
	partition := write(t, client, events)
	inserts := func(bytes int) (count int, rows string) {
		storetest.Truncate(t, s)
		cfg := Config{Log: client, Store: s, BatchBytes: bytes, Step: func(string) error { count++; return nil }}
		require.NoError(t, project(t, cfg, partition, int64(len(events))))
		return count, dump(t, s)
	}
	few, want := inserts(0)
	many, got := inserts(1)
	require.Equal(t, want, got)
	require.LessOrEqual(t, few, len(tables))
	require.Greater(t, many, len(events))
}

// TestALongQueueTakesFewRows queues builds behind each other that want the same, and lets them run: the rows
// grow with the queue, not with its square.
func TestALongQueueTakesFewRows(t *testing.T) {
	bytes := func(n int) int {
		state, r := fold.New(), newRows(0, 0)
		for i, e := range queue(n) {
			state.Apply(&fold.Event{Offset: int64(i), Source: e.Source, ID: e.ID, Time: e.Time, Type: e.Type, Data: e.Data.(event.CatalogEvent)})
			require.True(t, state.Changes().Outcome.Accepted(), "%v", state.Changes().Outcome)
			r.take(state.Changes())
		}
		require.Len(t, r.byTable["catalog_builds"], n)
		return r.bytes
	}
	require.Less(t, bytes(400), 9*bytes(50))
}

// queue is builds that want the same dataset, all asked for before the first of them ends.
func queue(n int) []event.Event {
	var list []event.Event
	add := func(typ string, d any) {
		id := len(list)
		list = append(list, event.Event{ID: fmt.Sprintf("e%d", id), Source: "test", Type: typ, Time: time.UnixMilli(1_700_000_000_000 + int64(id)).UTC(), Data: d})
	}
	add(event.TypeDatasetCreated, &event.DatasetCreated{CatalogHead: head(), Dataset: dataset("A")})
	add(event.TypeJobSpecPublished, &event.JobSpecPublished{CatalogHead: head(), Branch: "m", Commit: "abc", Specs: []event.JobSpec{{
		ID: "job", Outputs: []event.SpecOutput{{Dataset: dataset("A"), Type: "APPEND"}}, Logic: event.Logic{Text: "v"}, Engine: "command",
	}}})
	for i := range n {
		add(event.TypeBuildRequested, &event.BuildRequested{CatalogHead: head(), Build: fmt.Sprintf("b%d", i), Branch: "m", Targets: []event.CatalogDataset{dataset("A")}, Force: true})
	}
	for i := range n {
		handle := event.AttemptHandle{Build: fmt.Sprintf("b%d", i), Token: fmt.Sprintf("%032d", i)}
		add(event.TypeAttemptStarted, &event.AttemptStarted{CatalogHead: head(), AttemptHandle: handle, Attempt: 1, Runner: "r"})
		add(event.TypeAttemptFinished, &event.AttemptFinished{CatalogHead: head(), AttemptHandle: handle, Outputs: []event.AttemptOutput{{Dataset: dataset("A")}}})
	}
	return list
}

// TestCrashAnywhereLeavesTheSameRows ends the projector before inserts from the first to the last, lets
// another one go on, and finds the rows of a run without a crash.
func TestCrashAnywhereLeavesTheSameRows(t *testing.T) {
	s := storetest.Open(t)
	client := logtest.Start(t)
	events := story()
	partition := write(t, client, events)
	end := int64(len(events))
	require.NoError(t, project(t, Config{Log: client, Store: s}, partition, end))
	want := dump(t, s)
	require.Equal(t, 4+2+4+4, strings.Count(want, "catalog_builds")+strings.Count(want, "catalog_job_specs")+strings.Count(want, "catalog_datasets")+strings.Count(want, "catalog_attempts"))
	crashes := 0
	for at := 1; ; at += crashEvery {
		storetest.Truncate(t, s)
		steps := 0
		cfg := Config{Log: choppy{client, rand.New(rand.NewPCG(uint64(at), 1))}, Store: s, SnapshotEvery: 5, Step: func(string) error {
			if steps++; steps == at {
				return errCrash
			}
			return nil
		}}
		if err := project(t, cfg, partition, end); err == nil {
			break
		} else {
			require.ErrorIs(t, err, errCrash)
		}
		crashes++
		require.NoError(t, project(t, cfg, partition, end))
		require.Equal(t, want, dump(t, s), "after a crash before insert %d", at)
	}
	require.Greater(t, crashes, 3)
}

func TestSnapshotIsTheState(t *testing.T) {
	s := storetest.Open(t)
	client := logtest.Start(t)
	events := story()
	partition := write(t, client, events)
	require.NoError(t, project(t, Config{Log: choppy{client, rand.New(rand.NewPCG(1, 1))}, Store: s, SnapshotEvery: 5}, partition, int64(len(events))))
	state, err := catalogfold.Recover(context.Background(), catalogfold.StoreSnapshots{Store: s}, partition)
	require.NoError(t, err)
	require.Positive(t, state.Next())
	pure := fold.New()
	err = catalogfold.Follow(context.Background(), client, partition, log.EmbeddedPartitions, 0, func(recs []catalogfold.Record) error {
		for _, rec := range recs {
			if rec.Event.Offset == state.Next() {
				return errCrash
			}
			pure.Apply(rec.Event)
		}
		return errCrash
	})
	require.ErrorIs(t, err, errCrash)
	require.Equal(t, pure.Snapshot(), state.Snapshot())
}

func TestViewsAnswerWhichVersionIsInWhich(t *testing.T) {
	s := storetest.Open(t)
	client := logtest.Start(t)
	events := story()
	partition := write(t, client, events)
	require.NoError(t, project(t, Config{Log: client, Store: s}, partition, int64(len(events))))
	for query, want := range map[string]string{
		`SELECT input FROM tributary.transaction_inputs AS i JOIN tributary.transactions AS t USING (space, transaction) WHERE t.name = 'B' AND i.name = 'A'`: "00000000-0000-0000-0000-000000000001",
		`SELECT toString(files) FROM tributary.views WHERE name = 'A' AND branch = 'm'`:                                                                       "2",
		`SELECT state FROM tributary.builds WHERE build = 'b1'`:                                                                                               "SUCCEEDED",
		`SELECT code FROM tributary.builds WHERE build = 'b4'`:                                                                                                "JobSpecNotFound",
		`SELECT toString(count()) FROM tributary.branch_history WHERE name = 'A' AND branch = 'f'`:                                                            "4",
		`SELECT code FROM tributary.outcomes WHERE event_type LIKE '%transaction.committed%' AND NOT accepted AND repeat_of < 0`:                              "FileAlreadyInView",
	} {
		var got string
		require.NoError(t, s.Read().QueryRow(context.Background(), query).Scan(&got), query)
		require.Equal(t, want, got, query)
	}
}
