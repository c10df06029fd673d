package history_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/log/logtest"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/internal/store/storetest"
	"github.com/tributary-data/tributary/lineage/api"
	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/lineage/history"
	"github.com/tributary-data/tributary/projector"
	"github.com/tributary-data/tributary/schemas/api/lineageapi"
	"github.com/tributary-data/tributary/schemas/event"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// Every statement of the documentation runs, and the one that goes several
// hops finds what lies there.
func TestDocumentedSQLRuns(t *testing.T) {
	client, s := logtest.Start(t), storetest.Open(t)
	const monthly, report = "dataset|mysql://shop:3306|shop.monthly", "dataset|mysql://shop:3306|shop.report"
	var chain []any
	for i, e := range [][2]string{{orders, daily}, {daily, monthly}, {monthly, report}, {orders, monthly}, {report, orders}} {
		chain = append(chain, &event.LineageExtracted{
			Task: event.Task{ID: fmt.Sprint(i)}, Kind: "batch", Result: event.ResultExtracted, Part: 1, Parts: 1, Origin: event.OriginParsed,
			Edges: []event.LineageEdge{{From: e[0], To: e[1], Direct: true}},
		})
	}
	project(t, client, s, chain...)
	text, err := os.ReadFile("../../docs/sql-views.md")
	require.NoError(t, err)
	blocks := strings.Split(string(text), "```sql\n")[1:]
	require.NotEmpty(t, blocks)
	hops := 0
	for _, block := range blocks {
		sql, _, _ := strings.Cut(block, "```")
		rows, err := s.Read().Query(t.Context(), sql)
		require.NoError(t, err, sql)
		var found []string
		for rows.Next() {
			if strings.Contains(sql, "hop3") {
				var distance uint8
				var key string
				require.NoError(t, rows.Scan(&distance, &key))
				found = append(found, fmt.Sprint(distance, " ", key))
			}
		}
		require.NoError(t, rows.Err(), sql)
		require.NoError(t, rows.Close())
		if found != nil {
			hops++
			require.Equal(t, []string{"1 " + daily, "1 " + monthly, "2 " + report, "3 " + orders}, found)
		}
	}
	require.Equal(t, 1, hops)
}

const orders, daily = "dataset|mysql://shop:3306|shop.orders", "dataset|mysql://shop:3306|shop.daily"

// project writes events into a log and lets a projector fold them.
func project(t *testing.T, client *log.Client, s *store.Store, data ...any) {
	t.Helper()
	for i, d := range data {
		types := map[string]string{
			"*event.TaskDefined": event.TypeTaskDefined, "*event.TaskRemoved": event.TypeTaskRemoved, "*event.LineageExtracted": event.TypeLineageExtracted,
			"*event.RunStarted": event.TypeRunStarted, "*event.RunCompleted": event.TypeRunCompleted, "*event.TableDefined": event.TypeTableDefined, "*event.EdgeAdded": event.TypeEdgeAdded,
		}
		rec, err := event.Encode(event.Event{ID: fmt.Sprint(t.Name(), i), Source: "test", Type: types[fmt.Sprintf("%T", d)], Time: time.UnixMilli(1_700_000_000_000).UTC(), Data: d})
		require.NoError(t, err)
		out := log.Record{Topic: rec.Topic, Key: rec.Key, Value: rec.Value}
		for _, h := range rec.Headers {
			out.Headers = append(out.Headers, log.Header(h))
		}
		_, err = client.Append(t.Context(), []log.Record{out})
		require.NoError(t, err)
	}
	board := progress.NewBoard()
	p := projector.New(projector.Config{Log: client, Store: s, Board: board})
	require.NoError(t, p.Start(t.Context()))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, topic := range []string{log.TopicTasks, log.TopicDefinitions, log.TopicLineage} {
		ends, err := client.Ends(ctx, topic)
		require.NoError(t, err)
		for partition, end := range ends {
			require.NoError(t, board.Wait(ctx, progress.At{Reader: progress.ReaderLineage, Topic: topic, Partition: partition}, end-1))
		}
	}
	require.NoError(t, p.Stop())
}

func TestDetails(t *testing.T) {
	client, s := logtest.Start(t), storetest.Open(t)
	task := event.Task{ID: "daily"}
	began, ended := time.UnixMilli(1_700_000_000_000).UTC(), time.UnixMilli(1_700_000_060_000).UTC()
	project(t, client, s,
		&event.TaskDefined{Task: task, Owner: "ann", Labels: map[string]string{"team": "shop"}, SQL: "insert into daily select x from orders;\nselec 1"},
		&event.LineageExtracted{
			Task: task, Kind: "batch", Result: event.ResultExtracted, Part: 1, Parts: 1, Parser: 7, Origin: event.OriginParsed, Dialect: "mysql", DialectGuessed: true,
			Edges:      []event.LineageEdge{{From: orders, To: daily, Direct: true, Statements: []int{1}}},
			Statements: []event.Statement{{N: 1, Line: 1, Column: 1, EndLine: 1, Kind: "insert", Reads: []string{orders}, Writes: []string{daily}}},
			Errors:     []event.SQLError{{Kind: "syntax", Statement: 2, Line: 2, Column: 1, Message: "expected a statement"}, {Kind: "ambiguous", Statement: 1, Line: 1, Column: 3, Message: "x"}},
		},
		&event.RunStarted{Run: event.Run{RunID: "r1", Task: task, Started: &began}},
		&event.RunCompleted{Run: event.Run{RunID: "r1", Task: task, Ended: &ended}},
		&event.TableDefined{Dataset: event.Dataset{Namespace: "mysql://shop", Name: "shop.orders"}, Columns: []event.Column{{Name: "x"}}},
		&event.EdgeAdded{Edge: event.Edge{From: event.Ref{Namespace: "mysql://shop", Name: "shop.orders"}, To: event.Ref{Namespace: "mysql://shop", Name: "shop.daily"}, Who: "ann"}},
		&event.TaskDefined{Task: event.Task{ID: "gone"}, SQL: "select 1"}, &event.TaskRemoved{Task: event.Task{ID: "gone"}},
	)
	h := history.New(s, client, nil)
	ctx := t.Context()

	d, err := h.Task(ctx, "default|daily", "master")
	require.NoError(t, err)
	require.Equal(t, []any{"ann", "mysql", true, 7, "insert"}, []any{d.Owner, d.Dialect, d.Guessed, d.Parser, d.Statements[0].Kind})
	require.Contains(t, d.SQL, "selec 1")
	d, err = h.Task(ctx, "default|nobody", "master")
	require.NoError(t, err)
	require.Nil(t, d)

	errs, err := h.Errors(ctx, []api.TaskOn{{Task: "default|daily", Branch: "master"}, {Task: "default|daily", Branch: "dev"}})
	require.NoError(t, err)
	require.Len(t, errs, 2)
	require.Equal(t, "default|daily", errs[0].Task)
	statements, tasks, err := h.Unparseds(ctx, nil)
	require.NoError(t, err)
	require.Equal(t, [2]int{2, 1}, [2]int{statements, tasks})
	nothing := func(string) bool { return false }
	statements, tasks, err = h.Unparseds(ctx, nothing)
	require.NoError(t, err)
	require.Zero(t, statements+tasks)
	hidden, err := h.Unparsed(ctx, api.UnparsedQuestion{Limit: 1, See: nothing})
	require.NoError(t, err)
	require.Zero(t, len(hidden.Errors)+hidden.Total)
	all, err := h.Unparsed(ctx, api.UnparsedQuestion{Limit: 1, See: func(task string) bool { return task == "default|daily" }})
	require.NoError(t, err)
	require.Equal(t, 2, all.Total)
	list, err := h.Unparsed(ctx, api.UnparsedQuestion{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, [2]int{1, 2}, [2]int{len(list.Errors), list.Total})
	list, err = h.Unparsed(ctx, api.UnparsedQuestion{Limit: 1, Cursor: list.Cursor})
	require.NoError(t, err)
	require.Len(t, list.Errors, 1)
	require.Empty(t, list.Cursor)
	list, err = h.Unparsed(ctx, api.UnparsedQuestion{Limit: 10, Kind: "syntax", Task: "default|daily"})
	require.NoError(t, err)
	require.Equal(t, "expected a statement", list.Errors[0].Message)
	_, err = h.Unparsed(ctx, api.UnparsedQuestion{Limit: 1, Cursor: "'; DROP"})
	require.ErrorIs(t, err, graph.ErrCursor)

	runs, err := h.Runs(ctx, []string{"default|daily"}, 5)
	require.NoError(t, err)
	require.Equal(t, "completed", runs[0].State)
	require.Equal(t, ended, runs[0].Ended)

	recent, err := h.Recent(ctx, nil, 2, "")
	require.NoError(t, err)
	require.Len(t, recent.Changes, 2)
	require.NotEmpty(t, recent.Cursor)
	recent, err = h.Recent(ctx, []string{"task|default|gone"}, 10, "")
	require.NoError(t, err)
	require.Equal(t, []string{"removed", "defined"}, []string{recent.Changes[0].Change, recent.Changes[1].Change})

	for _, q := range []string{
		`INSERT INTO tributary.catalog_datasets (space, namespace, name, version) VALUES ('s', 'mysql://shop', 'shop.orders', 1), ('s', 'store1', 'shop.orders', 1), ('s', 'store2', 'shop.orders', 1)`,
		`INSERT INTO tributary.catalog_branches (space, namespace, name, branch, incarnation, parent, head, deleted, version) VALUES
			('s', 'mysql://shop', 'shop.orders', 'f', 1, 'master', 't2', false, 1), ('s', 'mysql://shop', 'shop.orders', 'old', 1, '', '', true, 1), ('s', 'store2', 'shop.orders', 'g', 1, '', '', false, 1), ('s', 'store1', 'shop.orders', 'named', 1, '', 't3', false, 1)`,
		`INSERT INTO tributary.catalog_transactions (space, transaction, namespace, name, branch, type, state, opened, opened_at, closed_at, rows, actor, version) VALUES
			('s', 't1', 'mysql://shop', 'shop.orders', 'f', 'SNAPSHOT', 'COMMITTED', 1, 1700000000, 1700000001, 7, 'ann', 1), ('s', 't2', 'mysql://shop', 'shop.orders', 'f', 'APPEND', 'OPEN', 2, 1700000002, 0, 0, 'ann', 1)`,
		`INSERT INTO tributary.catalog_job_specs (space, branch, spec, outputs, withdrawn, version) VALUES ('s', 'g', 'a', ['mysql://shop|shop.orders'], false, 1), ('s', 'f', 'b', ['mysql://shop|shop.orders'], true, 1)`,
		`INSERT INTO tributary.catalog_builds (space, build, state, branch, fallbacks, requested, requested_at, version) VALUES
			('s', 'b1', 'SUCCEEDED', 'f', ['old'], 1, 1700000000, 1), ('s', 'b2', 'FAILED', 'f', ['develop', 'master'], 2, 1700000001, 1), ('s', 'b3', 'REFUSED', 'f', ['x'], 3, 1700000002, 1), ('s', 'b4', 'SUCCEEDED', 'f', [], 4, 1700000003, 1)`,
	} {
		require.NoError(t, s.Write().Exec(ctx, q))
	}
	table, err := h.Dataset(ctx, api.DatasetQuestion{Keys: []string{orders}, Is: func(key string) bool { return key == orders || key == "dataset|store1|shop.orders" }, Limit: 10})
	require.NoError(t, err)
	require.Equal(t, []lineageapi.NodeBranch{{Name: "f", Parent: "master", Transaction: "t2"}, {Name: "g", HasJobSpec: true}, {Name: "master", HasDefinition: true}, {Name: "named", Transaction: "t3"}}, table.Branches, "under the id of its source too")
	require.Equal(t, []string{"t2", "t1"}, []string{table.Transactions[0].Id, table.Transactions[1].Id})
	require.True(t, table.Transactions[0].Closed.IsZero())
	require.Equal(t, int64(7), table.Transactions[1].Rows)

	chains := history.NewChains(h, time.Now)
	chain, err := chains.Chain(ctx, "f")
	require.NoError(t, err)
	require.Equal(t, []string{"f", "develop", "master"}, chain)
	chain, err = chains.Chain(ctx, "nowhere")
	require.NoError(t, err)
	require.Nil(t, chain)

	seen, err := h.Seen(ctx, graph.EdgeKey{From: orders, To: daily, Direct: true})
	require.NoError(t, err)
	require.Len(t, seen, 2)
	require.False(t, seen[api.SeenBy{Contributor: "default|daily", Branch: "master", Origin: "parsed"}].First.IsZero())
}
