package consumer

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tributary-data/tributary/internal/store"
)

// saveInterval is how often positions are saved while records come in.
const saveInterval = 250 * time.Millisecond

// saver saves the positions of all partitions of the process together, now and
// then: an insert costs the store much the same for one and for many. Saving
// late costs some extractions that are made again, and nothing else.
type saver struct {
	store interface {
		SavePosition(ctx context.Context, positions ...store.Position) error
	}
	logger *slog.Logger
	wake   chan struct{}
	hurry  chan struct{} // ends a pause

	mu      sync.Mutex
	unsaved map[int32]store.Position // by partition
	round   chan struct{}            // closed once all that is unsaved now is saved
}

func newSaver(s *store.Store, logger *slog.Logger) *saver {
	return &saver{
		store: s, logger: logger, wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1),
		unsaved: map[int32]store.Position{}, round: make(chan struct{}),
	}
}

// save has a position saved before long.
func (s *saver) save(p store.Position) {
	s.mu.Lock()
	s.unsaved[p.Partition] = p
	s.mu.Unlock()
	signal(s.wake)
}

// flush returns when what was given to save is saved, or with the context.
func (s *saver) flush(ctx context.Context) {
	s.mu.Lock()
	round := s.round
	s.mu.Unlock()
	signal(s.wake)
	signal(s.hurry)
	select {
	case <-round:
	case <-ctx.Done():
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run saves until ctx ends.
func (s *saver) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		s.mu.Lock()
		positions, round := slices.Collect(maps.Values(s.unsaved)), s.round
		s.unsaved, s.round = map[int32]store.Position{}, make(chan struct{})
		s.mu.Unlock()
		for wait := firstBackoff; ; wait = min(2*wait, mostBackoff) {
			err := s.store.SavePosition(ctx, positions...)
			if err == nil {
				break
			}
			if ctx.Err() != nil {
				return
			}
			s.logger.Warn("saving the parser's positions fails, trying again", "wait", wait, "error", err)
			if !pause(ctx, wait) {
				return
			}
		}
		close(round)
		select {
		case <-ctx.Done():
			return
		case <-s.hurry:
		case <-time.After(saveInterval):
		}
	}
}
