package builder

import (
	"context"
	"sync"
	"time"

	"github.com/tributary-data/tributary/fold/catalog"
	"github.com/tributary-data/tributary/internal/catalogfold"
	"github.com/tributary-data/tributary/schemas/event"
)

// foldBatch is how many events are folded while readers wait.
const foldBatch = 512

// partition is the fold of one partition, and what the service knows beside it.
type partition struct {
	service   *Service
	number    int
	of        int
	mu        sync.RWMutex
	state     *catalog.State
	waiting   map[int64][]chan struct{} // by the offset that is waited for
	changed   chan struct{}             // closed and made anew after each batch
	lastBuild map[*catalog.Build]int64  // offset of the last change of each build of this process's life
	recent    []outcomeAt               // by offset, the latest recentOutcomes

	driver driver
}

func newPartition(s *Service, number, of int, state *catalog.State) *partition {
	p := &partition{
		service: s, number: number, of: of, state: state,
		waiting: map[int64][]chan struct{}{}, changed: make(chan struct{}), lastBuild: map[*catalog.Build]int64{},
		recent: make([]outcomeAt, recentOutcomes),
	}
	p.driver = driver{partition: p, leases: map[string]time.Time{}, claimed: map[string]bool{}, retries: map[string]time.Time{}}
	return p
}

// follow folds the partition until the context ends.
func (p *partition) follow(ctx context.Context) error {
	return catalogfold.Follow(ctx, p.service.cfg.Log, p.number, p.of, p.state.Next(), func(recs []catalogfold.Record) error {
		for len(recs) > 0 {
			n := min(len(recs), foldBatch)
			p.fold(ctx, recs[:n])
			recs = recs[n:]
		}
		return nil
	})
}

func (p *partition) fold(ctx context.Context, recs []catalogfold.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range recs {
		if recs[i].Event == nil {
			p.state.Skip(recs[i].Raw.Offset + 1)
		} else {
			p.apply(ctx, recs[i].Event)
			for _, b := range p.state.Changes().Builds {
				p.lastBuild[b] = recs[i].Raw.Offset
			}
		}
		if list := p.waiting[recs[i].Raw.Offset]; list != nil {
			for _, done := range list {
				close(done)
			}
			delete(p.waiting, recs[i].Raw.Offset)
		}
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

// apply folds an event; what it says of builds is counted by the process that drives the partition.
func (p *partition) apply(ctx context.Context, e *catalog.Event) {
	began := time.Now()
	p.note(e.Offset, p.state.Apply(e))
	c := p.state.Changes()
	request := e.Type == event.TypeBuildRequested
	if !request && len(c.Attempts) == 0 || !p.driver.owns() {
		return
	}
	if request {
		p.service.metrics.planned(ctx, began)
	}
	p.service.metrics.folded(ctx, c)
}

// note keeps an outcome by its offset.
func (p *partition) note(offset int64, out catalog.Outcome) {
	kept := outcomeAt{offset: offset}
	if out.Refused != nil {
		kept.code, kept.message = string(out.Refused.Code), out.Refused.Message
	}
	p.recent[offset%recentOutcomes] = kept
}

// waitFor returns when the event at an offset has been folded, or with the context's error.
func (p *partition) waitFor(ctx context.Context, offset int64) error {
	p.mu.Lock()
	if p.state.Next() > offset {
		p.mu.Unlock()
		return nil
	}
	done := make(chan struct{})
	p.waiting[offset] = append(p.waiting[offset], done)
	p.mu.Unlock()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// read calls fn with a space while nothing changes.
func (p *partition) read(space string, fn func(*catalog.Space)) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	fn(p.state.Space(space))
}

// readAll calls fn with each space while nothing changes.
func (p *partition) readAll(fn func(*catalog.Space)) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for _, space := range p.state.Spaces() {
		fn(space)
	}
}

// change returns a channel that is closed after the next batch.
func (p *partition) change() <-chan struct{} {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.changed
}
