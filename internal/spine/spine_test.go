package spine_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/log/logtest"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/internal/store/storetest"
	"github.com/tributary-data/tributary/parser/consumer"
	"github.com/tributary-data/tributary/projector"
	"github.com/tributary-data/tributary/schemas/event"
)

// spine is a log, a store, and the roles between them.
type spine struct {
	t      *testing.T
	log    *log.Client
	store  *store.Store
	board  *progress.Board
	waiter *progress.Waiter
	sent   int

	consumer  *consumer.Consumer
	projector *projector.Projector
}

func newSpine(t *testing.T) *spine {
	t.Helper()
	s := &spine{t: t, log: logtest.Start(t), store: storetest.Open(t)}
	s.start()
	t.Cleanup(s.stop)
	return s
}

func (s *spine) start() {
	s.t.Helper()
	s.board = progress.NewBoard()
	s.waiter = &progress.Waiter{Board: s.board, Log: s.log}
	s.consumer = consumer.New(consumer.Config{Log: s.log, Store: s.store, Board: s.board})
	s.projector = projector.New(projector.Config{Log: s.log, Store: s.store, Board: s.board})
	require.NoError(s.t, s.consumer.Start(s.t.Context()))
	require.NoError(s.t, s.projector.Start(s.t.Context()))
}

func (s *spine) stop() {
	require.NoError(s.t, s.consumer.Stop())
	require.NoError(s.t, s.projector.Stop())
}

// send appends events and waits until they are folded.
func (s *spine) send(data ...any) []log.Position {
	s.t.Helper()
	var recs []log.Record
	for _, d := range data {
		s.sent++
		recs = append(recs, record(s.t, fmt.Sprint(s.sent), d))
	}
	at, err := s.log.Append(s.t.Context(), recs)
	require.NoError(s.t, err)
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	require.NoError(s.t, s.waiter.WaitFolded(ctx, at))
	return at
}

// settle waits until all lineage that is in the log is in the rows.
func (s *spine) settle() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	ends, err := s.log.Ends(ctx, log.TopicLineage)
	require.NoError(s.t, err)
	for p, end := range ends {
		require.NoError(s.t, s.board.Wait(ctx, progress.At{Reader: progress.ReaderLineage, Topic: log.TopicLineage, Partition: p}, end-1))
	}
}

// record encodes an event.
func record(tb testing.TB, id string, data any) log.Record {
	tb.Helper()
	rec, err := event.Encode(event.Event{ID: id, Source: "spine", Type: typeOf(tb, data), Data: data})
	require.NoError(tb, err)
	out := log.Record{Topic: rec.Topic, Key: rec.Key, Value: rec.Value}
	for _, h := range rec.Headers {
		out.Headers = append(out.Headers, log.Header(h))
	}
	return out
}

func typeOf(tb testing.TB, data any) string {
	tb.Helper()
	for _, e := range event.Entries() {
		if fmt.Sprintf("%T", e.New()) == fmt.Sprintf("%T", data) {
			return e.Type
		}
	}
	tb.Fatalf("no event has data of type %T", data)
	return ""
}

// column gives the texts of a query's only column.
func (s *spine) column(query string) []string {
	s.t.Helper()
	rows, err := s.store.Read().Query(s.t.Context(), query)
	require.NoError(s.t, err)
	defer rows.Close()
	out := []string{}
	for rows.Next() {
		var text string
		require.NoError(s.t, rows.Scan(&text))
		out = append(out, text)
	}
	require.NoError(s.t, rows.Err())
	return out
}

func (s *spine) tables() []string {
	return s.column("SELECT concat(from_name, ' > ', to_name) FROM tributary.lineage_edges ORDER BY 1")
}

func (s *spine) columns() []string {
	return s.column("SELECT concat(from_column, ' > ', to_column) FROM tributary.lineage_columns WHERE direct ORDER BY 1")
}

// soon waits until a condition holds.
func (s *spine) soon(condition func() bool, message string) {
	s.t.Helper()
	require.Eventually(s.t, condition, 30*time.Second, 20*time.Millisecond, message)
}

const shop = "mysql://shop:3306"

func task(id, sql string) *event.TaskDefined {
	return &event.TaskDefined{Task: event.Task{ID: id}, SQL: sql, Dialect: "mysql", DefaultSource: shop, DefaultSchema: "db"}
}

func table(name string, columns ...string) *event.TableDefined {
	d := &event.TableDefined{Dataset: event.Dataset{Namespace: shop, Name: name}}
	for _, c := range columns {
		d.Columns = append(d.Columns, event.Column{Name: c})
	}
	return d
}

func TestFromSQLToRows(t *testing.T) {
	s := newSpine(t)
	s.send(task("load", "INSERT INTO dw.orders (id, amount) SELECT o.id, o.price * o.n FROM orders o WHERE o.paid = 1"))
	require.Equal(t, []string{"db.orders > dw.orders"}, s.tables())
	require.Equal(t, []string{"id > id", "n > amount", "price > amount"}, s.columns())
	require.Equal(t, []string{"paid"}, s.column("SELECT from_column FROM tributary.lineage_columns WHERE NOT direct"))

	// Another definition closes exactly what it no longer makes.
	s.send(task("load", "INSERT INTO dw.orders (id) SELECT o.id FROM orders o"))
	require.Equal(t, []string{"id > id"}, s.columns())
	require.Equal(t, []string{"3"}, s.column("SELECT toString(count()) FROM tributary.edges FINAL WHERE closed > 0"))

	s.send(&event.TaskRemoved{Task: event.Task{ID: "load"}})
	require.Empty(t, s.tables())
	require.Empty(t, s.columns())
}

func TestRepeatsLeaveNoRowsAndAreStillWaitedFor(t *testing.T) {
	s := newSpine(t)
	d := task("load", "INSERT INTO dw.orders (id) SELECT id FROM orders")
	s.send(d)
	before := s.column("SELECT concat(name, ' ', toString(total_rows)) FROM system.tables WHERE database = 'tributary' AND engine LIKE '%MergeTree' AND name != 'positions' ORDER BY 1")
	for range 20 {
		s.send(d, d, d)
	}
	after := s.column("SELECT concat(name, ' ', toString(total_rows)) FROM system.tables WHERE database = 'tributary' AND engine LIKE '%MergeTree' AND name != 'positions' ORDER BY 1")
	require.Equal(t, before, after)
}

func TestRepeatAfterARestartIsKnown(t *testing.T) {
	s := newSpine(t)
	d := task("load", "INSERT INTO dw.orders (id) SELECT id FROM orders")
	s.send(d)
	s.stop()
	s.start()
	at := s.send(d)
	require.Equal(t, event.ResultUnchanged, s.lineageOf(at[0]).Result)
}

// lineageOf gives the record that the parser wrote for a task event.
func (s *spine) lineageOf(at log.Position) *event.LineageExtracted {
	s.t.Helper()
	var found *event.LineageExtracted
	ends, err := s.log.Ends(s.t.Context(), log.TopicLineage)
	require.NoError(s.t, err)
	for p, end := range ends {
		require.NoError(s.t, s.log.ReadUntil(s.t.Context(), log.TopicLineage, p, 0, end, func(recs []log.Record) error {
			for _, r := range recs {
				ev, err := event.Decode(r.Headers, r.Value)
				require.NoError(s.t, err)
				if x := ev.Data.(*event.LineageExtracted); x.From.Partition == at.Partition && x.From.Offset == at.Offset {
					found = x
				}
			}
			return nil
		}))
	}
	require.NotNil(s.t, found)
	return found
}

func TestADefinitionExtractsItsDependantsAgainAndNoOthers(t *testing.T) {
	s := newSpine(t)
	s.send(
		task("star", "INSERT INTO dw.star SELECT * FROM orders"),
		task("other", "INSERT INTO dw.other SELECT * FROM customers"),
	)
	require.Equal(t, []string{"* > *", "* > *"}, s.columns())
	at := s.send(table("db.orders", "id", "amount"))
	require.Equal(t, log.TopicDefinitions, at[0].Topic)
	s.soon(func() bool { return fmt.Sprint(s.columns()) == "[* > * amount > amount id > id]" }, "orders are expanded, customers are not")

	s.settle()
	versions := s.column("SELECT concat(task, ' ', toString(version)) FROM tributary.owners FINAL ORDER BY 1")
	s.send(table("db.unrelated", "x"), table("db.orders", "id", "amount"))
	s.settle()
	require.Equal(t, versions, s.column("SELECT concat(task, ' ', toString(version)) FROM tributary.owners FINAL ORDER BY 1"))

	s.send(table("db.orders", "id"))
	s.soon(func() bool { return fmt.Sprint(s.columns()) == "[* > * id > id]" }, "a column fewer")
}

func TestColumnsThatSQLGivesAreKnown(t *testing.T) {
	s := newSpine(t)
	s.send(task("reader", "INSERT INTO dw.out SELECT * FROM dw.made"))
	require.Equal(t, []string{"* > *"}, s.columns())
	s.send(task("maker", "CREATE TABLE dw.made AS SELECT id, price FROM orders"))
	s.soon(func() bool { return fmt.Sprint(s.columns()) == "[id > id id > id price > price price > price]" }, "the reader sees the maker's columns")

	// What the platform says of the table counts before that.
	s.send(table("dw.made", "id", "price", "extra"))
	s.soon(func() bool {
		return fmt.Sprint(s.columns()) == "[extra > extra id > id id > id price > price price > price]"
	}, "the definition counts first")

	s.send(&event.TableRemoved{Dataset: event.Dataset{Namespace: shop, Name: "dw.made"}}, &event.TaskRemoved{Task: event.Task{ID: "maker"}})
	s.soon(func() bool { return fmt.Sprint(s.columns()) == "[* > *]" }, "nobody gives columns any more")
}

func TestSourcesGiveNamesTheirAddress(t *testing.T) {
	s := newSpine(t)
	d := task("load", "INSERT INTO dw.orders (id) SELECT id FROM orders")
	d.DefaultSource = "shop"
	s.send(d)
	require.Equal(t, []string{"dataset|shop|db.orders"}, s.column("SELECT from_key FROM tributary.lineage_edges"))
	s.send(&event.SourceRegistered{ID: "shop", Engine: "mysql", Addresses: []string{"mysql://shop"}})
	s.soon(func() bool {
		return fmt.Sprint(s.column("SELECT from_key FROM tributary.lineage_edges")) == "[dataset|mysql://shop:3306|db.orders]"
	}, "the task is extracted again with the address")
}

func TestErrorsInOneStatementLeaveTheOthers(t *testing.T) {
	s := newSpine(t)
	at := s.send(task("mixed", "INSERT INTO dw.a (id) SELECT id FROM x;\nSELEC nonsense;\nINSERT INTO dw.b (id) SELECT id FROM y;"))
	require.Equal(t, []string{"db.x > dw.a", "db.y > dw.b"}, s.tables())
	x := s.lineageOf(at[0])
	require.NotEmpty(t, x.Errors)
	require.Equal(t, 2, x.Errors[0].Line)
	require.Equal(t, []string{"1"}, s.column("SELECT toString(length(kinds)) FROM tributary.sql_errors FINAL"))

	// A script without errors takes them away.
	s.send(task("mixed", "INSERT INTO dw.a (id) SELECT id FROM x"))
	require.Equal(t, []string{"0"}, s.column("SELECT toString(length(kinds)) FROM tributary.sql_errors FINAL"))
}

func TestDeclaredObservedAndManualEdges(t *testing.T) {
	s := newSpine(t)
	ref := func(n string) event.Ref { return event.Ref{Namespace: shop, Name: n} }
	s.send(
		&event.TaskDefined{Task: event.Task{ID: "declared"}, Inputs: []event.Input{{Ref: ref("db.a")}}, Outputs: []event.Output{{Ref: ref("db.b"), ColumnEdges: []event.ColumnEdge{{From: ref("db.a"), FromColumn: "x", ToColumn: "y"}}}}},
		&event.TaskDefined{Task: event.Task{ID: "prices"}, Kind: event.KindAPI, SQL: "SELECT price FROM orders", Dialect: "mysql", DefaultSource: shop, DefaultSchema: "db"},
		&event.RunStarted{Run: event.Run{RunID: "r", Task: event.Task{ID: "seen"}, Inputs: []event.Input{{Ref: ref("db.c")}}}},
		&event.RunCompleted{Run: event.Run{RunID: "r", Task: event.Task{ID: "seen"}, Outputs: []event.Output{{Ref: ref("db.d")}}}},
		&event.EdgeAdded{Edge: event.Edge{From: ref("db.e"), To: ref("db.f"), Who: "ann"}},
	)
	require.Equal(t, []string{"db.a > db.b [declared]", "db.c > db.d [observed]", "db.e > db.f [manual]", "db.orders > prices [parsed]"},
		s.column("SELECT concat(from_name, ' > ', to_name, ' [', arrayStringConcat(origins), ']') FROM tributary.lineage_edges ORDER BY 1"))
	require.Equal(t, []string{"price > price", "x > y"}, s.columns())
	require.Equal(t, []string{"completed"}, s.column("SELECT state FROM tributary.runs"))
}

func TestTablesOfClickHouseThatStandForOthersAreOneForEveryTask(t *testing.T) {
	s := newSpine(t)
	maker := func(sql string) *event.TaskDefined {
		return &event.TaskDefined{Task: event.Task{ID: "maker"}, SQL: sql, Dialect: "clickhouse", DefaultSource: "clickhouse://mart", DefaultSchema: "mart"}
	}
	local := "CREATE TABLE sales_local (day Date) ENGINE = MergeTree ORDER BY day;\n"
	s.send(maker(local + "CREATE TABLE sales AS sales_local ENGINE = Distributed('main', 'mart', 'sales_local', rand());"))
	merged := func() []string {
		return s.column(`SELECT concat(argMax(from_prefix, opened), ' = ', argMax(to_prefix, opened)) FROM tributary.source_mappings
			GROUP BY id HAVING argMax(status, opened) = 'merged'`)
	}
	s.soon(func() bool { return fmt.Sprint(merged()) == "[mart.sales = mart.sales_local]" }, "the mapping follows from the SQL")

	// The same SQL again changes nothing; without the table the mapping ends.
	s.send(maker(local + "CREATE TABLE sales AS sales_local ENGINE = Distributed('main', 'mart', 'sales_local', rand()); -- again"))
	require.Equal(t, []string{"1"}, s.column("SELECT toString(count()) FROM tributary.source_mappings FINAL"))
	s.send(maker(local))
	s.soon(func() bool { return len(merged()) == 0 }, "the mapping ends with the table")
}
