package consumer

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/internal/store"
)

// positions keeps what is saved, and refuses the first time.
type positions struct {
	mu    sync.Mutex
	tries int
	saved map[int32]int64
}

func (p *positions) SavePosition(_ context.Context, list ...store.Position) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tries++
	if p.tries == 1 {
		return errors.New("the store is away")
	}
	for _, one := range list {
		p.saved[one.Partition] = max(p.saved[one.Partition], one.Next)
	}
	return nil
}

func TestPositionsOfAllPartitionsAreSavedTogetherAndBeforeAFlushReturns(t *testing.T) {
	at := &positions{saved: map[int32]int64{}}
	s := newSaver(nil, slog.New(slog.DiscardHandler))
	s.store = at
	for next := range int64(100) {
		s.save(store.Position{Partition: int32(next % 4), Next: next})
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { s.run(ctx) })
	s.flush(t.Context())
	at.mu.Lock()
	require.Equal(t, map[int32]int64{0: 96, 1: 97, 2: 98, 3: 99}, at.saved)
	require.LessOrEqual(t, at.tries, 3, "one refused, one with all positions, and one that found none")
	at.mu.Unlock()
	s.save(store.Position{Partition: 2, Next: 200})
	s.flush(t.Context())
	at.mu.Lock()
	require.Equal(t, int64(200), at.saved[2])
	at.mu.Unlock()
	cancel()
	running.Wait()
	s.save(store.Position{Partition: 2, Next: 300})
	s.flush(ctx) // nobody saves any more, and nobody waits for ever
}
