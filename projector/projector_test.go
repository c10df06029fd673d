package projector_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/audit"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/log/logtest"
	"github.com/tributary-data/tributary/internal/progress"
	"github.com/tributary-data/tributary/internal/store/storetest"
	"github.com/tributary-data/tributary/projector"
	"github.com/tributary-data/tributary/schemas/event"
)

// running starts a projector that is stopped when the test ends.
func running(t *testing.T, cfg projector.Config) *projector.Projector {
	t.Helper()
	p := projector.New(cfg)
	require.NoError(t, p.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, p.Stop()) })
	return p
}

// awaitAll waits until everything that the log holds is in the tables.
func awaitAll(t *testing.T, client *log.Client, board *progress.Board) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, topic := range []string{log.TopicTasks, log.TopicDefinitions, log.TopicLineage} {
		ends, err := client.Ends(ctx, topic)
		require.NoError(t, err)
		for p, end := range ends {
			require.NoError(t, board.Wait(ctx, progress.At{Reader: progress.ReaderLineage, Topic: topic, Partition: p}, end-1))
		}
	}
}

// reasons gives the reasons of all dead letters.
func reasons(t *testing.T, client *log.Client) []string {
	t.Helper()
	var out []string
	letters, err := audit.ReadAll(t.Context(), client, log.TopicDeadletter)
	require.NoError(t, err)
	for i := range letters {
		reason, _ := letters[i].Header("tributary-deadletter-reason")
		out = append(out, string(reason))
	}
	return out
}

func TestTablesEqualAFoldOfTheLog(t *testing.T) {
	client, s, board := logtest.Start(t), storetest.Open(t), progress.NewBoard()
	s1 := newStory(1)
	_, err := client.Append(t.Context(), records(t, s1.events(400)...))
	require.NoError(t, err)
	p := running(t, projector.Config{Log: client, Store: s, Board: board})
	for range 10 {
		_, err := client.Append(t.Context(), records(t, s1.events(60)...))
		require.NoError(t, err)
	}
	awaitAll(t, client, board)
	requireAudit(t, client, s)

	// A restart folds nothing again and goes on.
	require.NoError(t, p.Stop())
	require.NoError(t, p.Stop(), "a second time")
	_, err = client.Append(t.Context(), records(t, s1.events(100)...))
	require.NoError(t, err)
	running(t, projector.Config{Log: client, Store: s, Board: board})
	awaitAll(t, client, board)
	requireAudit(t, client, s)
}

func TestRebuildGivesTheSameRows(t *testing.T) {
	client, s := logtest.Start(t), storetest.Open(t)
	_, err := client.Append(t.Context(), records(t, newStory(2).events(800)...))
	require.NoError(t, err)
	board := progress.NewBoard()
	p := running(t, projector.Config{Log: client, Store: s, Board: board})
	awaitAll(t, client, board)
	live, err := audit.Stored(t.Context(), s)
	require.NoError(t, err)
	require.NoError(t, p.Stop())

	storetest.Truncate(t, s)
	board = progress.NewBoard()
	running(t, projector.Config{Log: client, Store: s, Board: board})
	awaitAll(t, client, board)
	rebuilt, err := audit.Stored(t.Context(), s)
	require.NoError(t, err)
	require.Empty(t, audit.Differences(live, rebuilt))
}

func TestReadingAgainFromAnyPositionChangesNothing(t *testing.T) {
	client, s := logtest.Start(t), storetest.Open(t)
	_, err := client.Append(t.Context(), records(t, newStory(3).events(600)...))
	require.NoError(t, err)
	for range 3 {
		board := progress.NewBoard()
		p := running(t, projector.Config{Log: client, Store: s, Board: board})
		awaitAll(t, client, board)
		require.NoError(t, p.Stop())
		requireAudit(t, client, s)
		require.NoError(t, s.Write().Exec(t.Context(), "TRUNCATE TABLE tributary.positions"))
	}
}

func TestBadRecordsBecomeLettersAndHarmNoOther(t *testing.T) {
	client, s, board := logtest.Start(t), storetest.Open(t), progress.NewBoard()
	good := records(t, newStory(4).events(100)...)
	broken := records(t, event.Event{ID: "x", Source: "t", Type: event.TypeTaskDefined, Data: &event.TaskDefined{Task: event.Task{ID: "broken"}}})[0]
	broken.Value = []byte(`{"id": `)
	nameless := records(t, event.Event{ID: "y", Source: "t", Type: event.TypeLineageExtracted, Data: &event.LineageExtracted{
		Task: event.Task{ID: "z"}, Result: event.ResultExtracted, Origin: event.OriginParsed, Part: 1, Parts: 1, Edges: []event.LineageEdge{{From: "nonsense", To: "dataset|a|b", Direct: true}},
	}})[0]
	_, err := client.Append(t.Context(), append(good, broken, nameless))
	require.NoError(t, err)
	running(t, projector.Config{Log: client, Store: s, Board: board})
	awaitAll(t, client, board)
	require.ElementsMatch(t, []string{"MalformedEvent", "InvalidEvent"}, reasons(t, client))
	var owners uint64
	require.NoError(t, s.Read().QueryRow(t.Context(), "SELECT uniqExact(owner_id, branch, source) FROM tributary.owners").Scan(&owners))
	require.Positive(t, owners, "their neighbours are folded")
}

func TestNamesOfOneIDNeverJoin(t *testing.T) {
	client, s, board := logtest.Start(t), storetest.Open(t), progress.NewBoard()
	extraction := func(task, from, to string) event.Event {
		return event.Event{ID: task, Source: "t", Type: event.TypeLineageExtracted, Data: &event.LineageExtracted{
			Task: event.Task{ID: task}, Result: event.ResultExtracted, Origin: event.OriginParsed, Part: 1, Parts: 1, Edges: []event.LineageEdge{{From: from, To: to, Direct: true}},
		}}
	}
	const one, other = "dataset|mysql://h:3306|db.one", "dataset|mysql://h:3306|db.other"
	sameID := func(key, column string) uint64 {
		if key == other && column == "" {
			key = one
		}
		return lineage.ID(key, column)
	}
	running(t, projector.Config{Log: client, Store: s, Board: board, ID: sameID})
	_, err := client.Append(t.Context(), records(t, extraction("a", one, "dataset|mysql://h:3306|db.x")))
	require.NoError(t, err)
	awaitAll(t, client, board)
	_, err = client.Append(t.Context(), records(t, extraction("b", other, "dataset|mysql://h:3306|db.y"), extraction("c", "dataset|mysql://h:3306|db.y", "dataset|mysql://h:3306|db.x")))
	require.NoError(t, err)
	awaitAll(t, client, board)
	require.Equal(t, []string{"IDCollision"}, reasons(t, client))
	var edges uint64
	require.NoError(t, s.Read().QueryRow(t.Context(), "SELECT count() FROM tributary.edges").Scan(&edges))
	require.Equal(t, uint64(2), edges)
}
