package consumer

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/event"
)

// catalog holds the definitions, read whole by every instance and kept fresh.
type catalog struct {
	log        *log.Client
	logger     *slog.Logger
	generation int

	mu   sync.RWMutex
	defs *lineage.Definitions
	// next is the offset of the next record of tributary.definitions.
	next    int64
	reached chan struct{} // closed and made anew whenever next grows
	// changed is told of every change, under the lock.
	changed map[*memory]func(lineage.Change)
}

func newCatalog(l *log.Client, logger *slog.Logger, generation int) *catalog {
	return &catalog{
		log: l, logger: logger, generation: generation, defs: lineage.NewDefinitions(),
		reached: make(chan struct{}), changed: map[*memory]func(lineage.Change){},
	}
}

// follow reads the definitions until ctx ends.
func (c *catalog) follow(ctx context.Context) error {
	return c.log.Read(ctx, log.TopicDefinitions, 0, 0, func(recs []log.Record) error {
		c.take(recs)
		return nil
	})
}

func (c *catalog) take(recs []log.Record) {
	events := make([]any, len(recs))
	for i := range recs {
		// A record that cannot be read becomes a dead letter in the projector.
		if ev, fault := deadletter.Judge(&recs[i], 1); fault == nil {
			events[i] = ev.Data
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range recs {
		change := c.defs.Apply(event.Version(c.generation, recs[i].Offset), events[i])
		if len(change.Uses) > 0 || change.Everything {
			for _, tell := range c.changed {
				tell(change)
			}
		}
	}
	c.next = recs[len(recs)-1].Offset + 1
	close(c.reached)
	c.reached = make(chan struct{})
}

// await waits until all definitions before an offset are read.
func (c *catalog) await(ctx context.Context, offset int64) error {
	for {
		c.mu.RLock()
		next, reached := c.next, c.reached
		c.mu.RUnlock()
		if next >= offset {
			return nil
		}
		select {
		case <-reached:
		case <-ctx.Done():
			return fmt.Errorf("reading definitions, at %d of %d: %w", next, offset, context.Cause(ctx))
		}
	}
}

// watch has a memory told of changes until the function returned is called.
func (c *catalog) watch(m *memory, tell func(lineage.Change)) (unwatch func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed[m] = tell
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.changed, m)
	}
}

// position gives how far the definitions are read. The lock must be held.
func (c *catalog) position() event.Position {
	return event.Position{Generation: c.generation, Offset: c.next}
}

// lookup answers the look-ups of one extraction and notes them.
type lookup struct {
	catalog *catalog
	branch  string
	// locked is true while the extraction holds the catalog's lock itself.
	locked bool
	uses   []use
	// at finds uses by their keys once there are many.
	at map[string]int
}

// fewUses is up to how many uses are looked through one by one.
const fewUses = 16

func (l *lookup) read(fn func(d *lineage.Definitions)) {
	if !l.locked {
		l.catalog.mu.RLock()
		defer l.catalog.mu.RUnlock()
	}
	fn(l.catalog.defs)
}

func (l *lookup) note(key string, hash uint64) {
	if i := l.find(key); i >= 0 {
		l.uses[i].hash = hash
		return
	}
	if l.at != nil {
		l.at[key] = len(l.uses)
	}
	l.uses = append(l.uses, use{key, hash})
}

// find gives the place of a use, -1 if it is not noted.
func (l *lookup) find(key string) int {
	if len(l.uses) <= fewUses {
		return slices.IndexFunc(l.uses, func(u use) bool { return u.key == key })
	}
	if l.at == nil {
		l.at = make(map[string]int, 2*fewUses)
		for i, u := range l.uses {
			l.at[u.key] = i
		}
	}
	if i, ok := l.at[key]; ok {
		return i
	}
	return -1
}

// columns gives the columns of a dataset, and whether they are known.
func (l *lookup) columns(key string) (names []string, known bool) {
	l.read(func(d *lineage.Definitions) {
		list := d.Columns(key, l.branch)
		if list == nil {
			l.note(key, 0)
			return
		}
		l.note(key, list.Hash)
		names, known = list.Names, true
	})
	return names, known
}

// namespace gives the namespace of a source: an id, or an address itself.
func (l *lookup) namespace(source string) (namespace string) {
	l.read(func(d *lineage.Definitions) {
		namespace = d.Namespace(source)
		if !strings.Contains(source, "://") {
			l.note(lineage.SourceUse(source), d.SourceHash(source))
		}
	})
	return namespace
}

// source gives a registered source, or nil.
func (l *lookup) source(id string) (s *event.SourceRegistered) {
	l.read(func(d *lineage.Definitions) {
		s = d.Source(id)
		if !strings.Contains(id, "://") {
			l.note(lineage.SourceUse(id), d.SourceHash(id))
		}
	})
	return s
}

// steady is how often an extraction is tried without holding definitions up.
const steady = 3

// consistent runs an extraction such that all of its look-ups have the answers
// of one position, which it gives. It runs again if what was looked up changed
// meanwhile, and in the end with the definitions held still.
func (c *catalog) consistent(branch string, extract func(l *lookup)) (*lookup, event.Position) {
	for range steady {
		l := &lookup{catalog: c, branch: branch}
		extract(l)
		c.mu.RLock()
		same, at := c.sameUses(l), c.position()
		c.mu.RUnlock()
		if same {
			return l, at
		}
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	l := &lookup{catalog: c, branch: branch, locked: true}
	extract(l)
	return l, c.position()
}

// sameUses says whether all look-ups would find now what they found.
func (c *catalog) sameUses(l *lookup) bool {
	for _, u := range l.uses {
		if c.defs.UseHash(u.key, l.branch) != u.hash {
			return false
		}
	}
	return true
}
