// Package progress tells how far the readers of the log have come, and waits
// for them: within a process by what they announce, across processes by the
// positions that they save.
package progress

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Readers that announce their progress.
const (
	// ReaderParser turns tributary.tasks into tributary.lineage.
	ReaderParser = "parser"
	// ReaderLineage writes the rows of lineage.
	ReaderLineage = "lineage"
)

// At names a reader's place in one partition.
type At struct {
	Reader, Topic string
	Partition     int
}

// Board holds how far readers have come. It is safe for concurrent use.
type Board struct {
	mu      sync.Mutex
	next    map[At]int64
	waiting int
	changed chan struct{}
	wanted  chan struct{}
}

// NewBoard gives a board on which nobody has come anywhere.
func NewBoard() *Board {
	return &Board{next: map[At]int64{}, changed: make(chan struct{}), wanted: make(chan struct{}, 1)}
}

// Advance says that a reader has done all before the offset next. A lesser
// one than was said before changes nothing.
func (b *Board) Advance(at At, next int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if next <= b.next[at] {
		return
	}
	b.next[at] = next
	if b.waiting > 0 {
		close(b.changed)
		b.changed = make(chan struct{})
	}
}

// Next gives the offset that a reader goes on at, as far as is known here.
func (b *Board) Next(at At) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.next[at]
}

// Wait returns when a reader has done the record at the offset, or with the
// context's error.
func (b *Board) Wait(ctx context.Context, at At, offset int64) error {
	for {
		b.mu.Lock()
		if b.next[at] > offset {
			b.mu.Unlock()
			return nil
		}
		b.waiting++
		changed := b.changed
		b.mu.Unlock()
		select {
		case b.wanted <- struct{}{}:
		default:
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
		b.mu.Lock()
		b.waiting--
		next := b.next[at]
		b.mu.Unlock()
		if ctx.Err() != nil {
			return fmt.Errorf("waiting until %s has come to %s/%d/%d, it is at %d: %w", at.Reader, at.Topic, at.Partition, offset, next, context.Cause(ctx))
		}
	}
}

// Load gives the places that readers have saved.
type Load func(ctx context.Context) (map[At]int64, error)

// Follow takes over what readers in other processes have saved, once an
// interval for as long as anybody waits, until ctx ends. A load that fails is
// tried again.
func (b *Board) Follow(ctx context.Context, interval time.Duration, load Load) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.wanted:
		}
		for b.anybodyWaits() {
			if places, err := load(ctx); err == nil {
				for at, next := range places {
					b.Advance(at, next)
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
		}
	}
}

func (b *Board) anybodyWaits() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.waiting > 0
}
