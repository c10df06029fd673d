package progress_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/progress"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type ends []int64

func (e ends) Ends(context.Context, string) ([]int64, error) { return e, nil }

func parserAt(p int) progress.At {
	return progress.At{Reader: progress.ReaderParser, Topic: log.TopicTasks, Partition: p}
}
func tasksAt(p int) progress.At {
	return progress.At{Reader: progress.ReaderLineage, Topic: log.TopicTasks, Partition: p}
}
func lineageAt(p int) progress.At {
	return progress.At{Reader: progress.ReaderLineage, Topic: log.TopicLineage, Partition: p}
}

func TestWaitFoldedNeedsParserAndProjector(t *testing.T) {
	board := progress.NewBoard()
	w := progress.Waiter{Board: board, Log: ends{3, 5}}
	done := make(chan error, 1)
	go func() {
		done <- w.WaitFolded(t.Context(), []log.Position{{Topic: log.TopicTasks, Partition: 1, Offset: 7}})
	}()
	for _, step := range []func(){
		func() { board.Advance(parserAt(1), 8) },
		func() { board.Advance(tasksAt(1), 8) },
		func() { board.Advance(lineageAt(0), 3) },
		func() { board.Advance(lineageAt(1), 4) },
	} {
		select {
		case err := <-done:
			t.Fatalf("returned too early, with %v", err)
		default:
		}
		step()
	}
	board.Advance(lineageAt(1), 5)
	require.NoError(t, <-done)
}

func TestWaitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	err := progress.NewBoard().Wait(ctx, tasksAt(0), 0)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	w := progress.Waiter{Board: progress.NewBoard(), Log: ends{}}
	require.ErrorContains(t, w.WaitFolded(t.Context(), []log.Position{{Topic: log.TopicCatalog}}), log.TopicCatalog)
}

func TestAdvanceNeverGoesBack(t *testing.T) {
	b := progress.NewBoard()
	b.Advance(tasksAt(0), 5)
	b.Advance(tasksAt(0), 3)
	require.Equal(t, int64(5), b.Next(tasksAt(0)))
	require.NoError(t, b.Wait(t.Context(), tasksAt(0), 4))
}

func TestFollowLoadsOnlyWhileSomebodyWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := progress.NewBoard()
	var loads atomic.Int64
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		b.Follow(ctx, time.Millisecond, func(context.Context) (map[progress.At]int64, error) {
			return map[progress.At]int64{tasksAt(0): loads.Add(1)}, nil
		})
	}()
	require.Zero(t, loads.Load())
	require.NoError(t, b.Wait(ctx, tasksAt(0), 2))
	require.GreaterOrEqual(t, loads.Load(), int64(3))
	cancel()
	<-stopped
}
