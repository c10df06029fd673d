package projector

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/internal/store/storetest"
)

// What a block leaves out must be what the table puts in.
func TestColumnsThatAreLeftOutReadAsTheirUsualValues(t *testing.T) {
	s := storetest.Open(t)
	edges, extractions := newEdgeBlock(), newExtractionBlock()
	for from := range 3 {
		fillEdge(edges, uint64(from))
		fillExtraction(extractions, uint64(from))
	}
	require.NoError(t, insert(t.Context(), s, "edges", []*block{&edges.block}))
	require.NoError(t, insert(t.Context(), s, "extractions", []*block{&extractions.block}))
	require.Equal(t, uint64(3), count(t, s, `edges WHERE closed = 0 AND closed_at = toDateTime64(0, 3) AND NOT unexpanded AND who = '' AND why = ''`))
	require.Equal(t, uint64(3), count(t, s, `extractions WHERE name = '' AND run_id = '' AND columns = '' AND flink = '' AND NOT dialect_guessed AND confidence = 0`))
}

// One row with another value brings the column back for all blocks of a round.
func TestAnUncommonValueIsWrittenBesideTheUsualOnes(t *testing.T) {
	s := storetest.Open(t)
	usual, other := newEdgeBlock(), newEdgeBlock()
	fillEdge(usual, 1)
	fillEdge(other, 2)
	other.closed.rows, other.who.rows = nil, nil
	other.closed.add(7)
	other.who.add("ann")
	require.NoError(t, insert(t.Context(), s, "edges", []*block{&usual.block, &other.block}))
	require.Equal(t, uint64(1), count(t, s, `edges WHERE from_id = 1 AND closed = 0 AND who = ''`))
	require.Equal(t, uint64(1), count(t, s, `edges WHERE from_id = 2 AND closed = 7 AND who = 'ann'`))
}

// A block that is used again holds nothing of what it held before.
func TestABlockIsEmptyAfterReset(t *testing.T) {
	s := storetest.Open(t)
	b := newEdgeBlock()
	fillEdge(b, 1)
	b.closed.rows = nil
	b.closed.add(7)
	b.reset()
	require.NoError(t, insert(t.Context(), s, "edges", []*block{&b.block}))
	fillEdge(b, 2)
	require.NoError(t, insert(t.Context(), s, "edges", []*block{&b.block}))
	require.Equal(t, uint64(1), count(t, s, `edges`))
	require.Equal(t, uint64(1), count(t, s, `edges WHERE from_id = 2 AND closed = 0`))
}

// A position that no rows came with is not waited for: it is saved after a
// pause, or by a drain.
func TestAPositionWithoutRowsIsSavedLater(t *testing.T) {
	s := storetest.Open(t)
	w := newWriter(s, slog.New(slog.DiscardHandler), nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.run(ctx)
	}()
	submit := func(next int64) {
		b := w.blank()
		b.positions = []store.Position{{Reader: "r", Topic: "a", Partition: 1, Next: next}}
		<-w.submit(b)
	}
	saved := func() int64 {
		at, err := s.LoadPosition(t.Context(), "r", "a", 1)
		require.NoError(t, err)
		return at.Next
	}
	submit(9)
	submit(8)
	require.Eventually(t, func() bool { return saved() == 9 }, time.Minute, time.Millisecond)
	submit(12)
	w.drain(time.Minute)
	require.Equal(t, int64(12), saved())
	cancel()
	<-ended
}

// Partitions that are folding when a write could begin are waited for, and their
// rows go out together; one that fails is waited for no longer.
func TestAWriteWaitsForWhoFolds(t *testing.T) {
	s := storetest.Open(t)
	var inserts []string
	w := newWriter(s, slog.New(slog.DiscardHandler), func(table string) { inserts = append(inserts, table) })
	w.patience = time.Hour
	filled := func(from uint64) *blocks {
		b := w.blank()
		fillEdge(b.edges, from)
		return b
	}
	first, second := filled(1), filled(2)
	w.blank()
	done := w.submit(first)
	require.False(t, w.enough(true), "two fold")
	also := w.submit(second)
	require.False(t, w.enough(true), "one folds")
	w.drop()
	require.False(t, w.enough(false), "the writer rests")
	require.True(t, w.enough(true))

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.run(ctx)
	}()
	<-done
	<-also
	cancel()
	<-ended
	require.Equal(t, []string{"edges", "edges_by_target"}, inserts)
	require.Equal(t, uint64(2), count(t, s, "edges"))
}

func fillEdge(b *edgeBlock, from uint64) {
	b.rows++
	b.from.add(from)
	b.to.add(9)
	b.level.add(1)
	b.direct.add(true)
	b.origin.add(1)
	b.contributor.add(5)
	b.branch.add("master")
	b.opened.add(1)
	b.closed.add(0)
	b.version.add(1)
	b.partition.add(0)
	b.via.add(1)
	b.unexpanded.add(false)
	b.statements.add([]uint32{1})
	b.openedAt.add(time.UnixMilli(1))
	b.closedAt.add(orEpoch(time.Time{}))
	b.who.add("")
	b.why.add("")
}

func fillExtraction(b *extractionBlock, owner uint64) {
	b.rows++
	b.owner.add(owner)
	b.branch.add("master")
	b.source.add(1)
	b.version.add(1)
	b.partition.add(0)
	b.at.add(time.UnixMilli(1))
	b.kind.add("batch")
	b.taskName.add("")
	b.dialect.add("mysql")
	b.guessed.add(false)
	b.confidence.add(0)
	b.run.add("")
	b.statements.add("[]")
	b.givenColumns.add("")
	b.steps.add([]byte("{}"))
	b.mapped.add("")
}

func count(t *testing.T, s *store.Store, of string) (n uint64) {
	t.Helper()
	require.NoError(t, s.Read().QueryRow(t.Context(), "SELECT count() FROM tributary."+of).Scan(&n))
	return n
}
