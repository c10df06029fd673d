package feed

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/lineage/api"
	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/event"
)

// sources is the fold of definitions, for the graph and for people. The feed
// changes it, any number read it.
type sources struct {
	mu          sync.RWMutex
	definitions *lineage.Definitions
	registered  map[string]event.SourceRegistered
	mappings    map[string]event.SourceMerged
}

func newSources() *sources {
	return &sources{definitions: lineage.NewDefinitions(), registered: map[string]event.SourceRegistered{}, mappings: map[string]event.SourceMerged{}}
}

// apply folds one record. It reports whether keys may have other canonical
// keys now.
func (s *sources) apply(version uint64, data any) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.definitions.Version()
	change := s.definitions.Apply(version, data)
	if version <= before {
		return false
	}
	switch e := data.(type) {
	case *event.SourceRegistered:
		s.registered[e.ID] = *e
	case *event.SourceRemoved:
		delete(s.registered, e.ID)
	case *event.SourceMerged:
		s.mappings[e.ID] = *e
	case *event.SourceUnmerged:
		delete(s.mappings, e.ID)
	}
	return change.Everything
}

// rules gives what the graph works out canonical keys by; it is asked by the
// feed's own goroutine only.
func (s *sources) rules() graph.Canonicalizer { return s.definitions }

// Sources gives the registered sources and mappings.
func (f *Feed) Sources() api.Sources { return f.folder.sources }

// Canonical gives the key that a node is shown under.
func (s *sources) Canonical(key string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.definitions.Canonical(key)
}

// Explain gives the steps from a key to its canonical one.
func (s *sources) Explain(key string) []lineage.Step {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.definitions.Explain(key)
}

// Registered lists the sources by id.
func (s *sources) Registered() []event.SourceRegistered {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.SortedFunc(maps.Values(s.registered), func(a, b event.SourceRegistered) int { return strings.Compare(a.ID, b.ID) })
}

// Mappings lists the mappings by id.
func (s *sources) Mappings() []event.SourceMerged {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.SortedFunc(maps.Values(s.mappings), func(a, b event.SourceMerged) int { return strings.Compare(a.ID, b.ID) })
}

// Columns gives the columns of a dataset on a branch.
func (s *sources) Columns(key, branch string) ([]string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := s.definitions.Columns(key, branch)
	if list == nil {
		return nil, false
	}
	return list.Names, true
}

// Definitions hands the fold of definitions to read, which does not change
// until read returns.
func (f *Feed) Definitions(read func(d *lineage.Definitions)) {
	s := f.folder.sources
	s.mu.RLock()
	defer s.mu.RUnlock()
	read(s.definitions)
}
