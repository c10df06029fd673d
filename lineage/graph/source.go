package graph

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// Sources are the registered sources and the mappings between them, from which
// the canonical key of every node follows. It does not change once made.
type Sources struct {
	registered []Registered
	mappings   []event.SourceMerged
	// physical maps each source id and each address of a source to the address
	// that its class of sources is known by.
	physical map[string]physical
	byFrom   map[string][]event.SourceMerged
}

// Registered is a source with the version at which it was first registered,
// which decides whose address a class of sources is known by.
type Registered struct {
	event.SourceRegistered
	First uint64
}

type physical struct {
	address string
	because string // the source that says so
}

// NewSources works out the rules. The order of its arguments does not matter.
func NewSources(registered []Registered, mappings []event.SourceMerged) *Sources {
	s := &Sources{registered: slices.Clone(registered), mappings: slices.Clone(mappings), physical: map[string]physical{}, byFrom: map[string][]event.SourceMerged{}}
	slices.SortFunc(s.registered, func(a, b Registered) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(s.mappings, func(a, b event.SourceMerged) int { return cmp.Compare(a.ID, b.ID) })
	s.joinAddresses()
	for _, m := range s.mappings {
		ns := name.Namespace(m.From.Namespace)
		if p, ok := s.physical[ns]; ok {
			ns = p.address
		}
		s.byFrom[ns] = append(s.byFrom[ns], m)
	}
	for _, list := range s.byFrom {
		slices.SortStableFunc(list, func(a, b event.SourceMerged) int { return len(b.From.Prefix) - len(a.From.Prefix) })
	}
	return s
}

// joinAddresses puts sources that share an address into one class, known by
// the first address of the source that was registered first.
func (s *Sources) joinAddresses() {
	for changed := true; changed; {
		changed = false
		for _, r := range s.registered {
			changed = s.joinOne(r) || changed
		}
	}
}

func (s *Sources) joinOne(r Registered) (changed bool) {
	rank := func(p physical) int {
		return slices.IndexFunc(s.registered, func(o Registered) bool { return o.ID == p.because })
	}
	names := []string{r.ID}
	for _, a := range r.Addresses {
		names = append(names, name.Namespace(a))
	}
	best := physical{address: names[1], because: r.ID}
	for _, n := range names {
		if p, ok := s.physical[n]; ok && rank(p) < rank(best) {
			best = p
		}
	}
	for _, n := range names {
		if s.physical[n] != best {
			s.physical[n] = best
			changed = true
		}
	}
	return changed
}

// Empty reports that every key is its own canonical key.
func (s *Sources) Empty() bool { return len(s.registered) == 0 && len(s.mappings) == 0 }

// Registered lists the sources in the order in which they were registered.
func (s *Sources) Registered() []Registered { return s.registered }

// Mappings lists the mappings by id.
func (s *Sources) Mappings() []event.SourceMerged { return s.mappings }

// Physical gives the address that a source id or an address is known by.
func (s *Sources) Physical(namespace string) string {
	if p, ok := s.physical[name.Namespace(namespace)]; ok {
		return p.address
	}
	return name.Namespace(namespace)
}

// Step is one rule that led from a key to another.
type Step struct {
	// Rule says what kind of rule it is: source, address or mapping.
	Rule     string
	From, To string
	// Mapping is the id of the mapping or the source.
	Mapping string
	Who     string
}

// Canonical gives the key that a node is shown under. Keys that are no
// dataset's are their own.
func (s *Sources) Canonical(key string) string {
	canonical, _ := s.trace(key, false)
	return canonical
}

// Trace gives the canonical key and each step to it.
func (s *Sources) Trace(key string) (canonical string, steps []Step) {
	return s.trace(key, true)
}

func (s *Sources) trace(key string, want bool) (string, []Step) {
	k, err := name.ParseKey(key)
	if err != nil || k.Family != name.FamilyDataset {
		return key, nil
	}
	var steps []Step
	visited := []name.Key{k}
	for {
		next, step, ok := s.step(k)
		if !ok {
			return k.String(), steps
		}
		if i := slices.Index(visited, next); i >= 0 {
			// Mappings in a circle make all its keys one; the least names them.
			return slices.MinFunc(visited[i:], func(a, b name.Key) int { return cmp.Compare(a.String(), b.String()) }).String(), steps
		}
		if want {
			steps = append(steps, step)
		}
		visited = append(visited, next)
		k = next
	}
}

// step applies the rule that comes first: addresses, then the mapping with the
// longest prefix.
func (s *Sources) step(k name.Key) (name.Key, Step, bool) {
	if p, ok := s.physical[k.Namespace]; ok && p.address != k.Namespace {
		next := name.NewKey(k.Family, p.address, k.Name)
		rule := "address"
		if !strings.Contains(k.Namespace, "://") {
			rule = "source"
		}
		return next, Step{Rule: rule, From: k.String(), To: next.String(), Mapping: p.because}, next != k
	}
	for _, m := range s.byFrom[k.Namespace] {
		rest, ok := underPrefix(k.Name, m)
		if !ok {
			continue
		}
		next := name.NewKey(k.Family, m.To.Namespace, m.To.Prefix+rest)
		if next != k {
			return next, Step{Rule: "mapping", From: k.String(), To: next.String(), Mapping: m.ID, Who: m.Who}, true
		}
	}
	return k, Step{}, false
}

// underPrefix gives what of a name follows a mapping's prefix. A prefix ends
// where a part of the name does: `shop` is no prefix of `shopping.orders`.
func underPrefix(n string, m event.SourceMerged) (rest string, ok bool) {
	prefix := m.From.Prefix
	if m.Exact {
		return "", n == prefix || m.IgnoreCase && strings.EqualFold(n, prefix)
	}
	if len(n) < len(prefix) {
		return "", false
	}
	if head := n[:len(prefix)]; head != prefix && !(m.IgnoreCase && strings.EqualFold(head, prefix)) {
		return "", false
	}
	rest = n[len(prefix):]
	if prefix == "" || rest == "" || strings.HasSuffix(prefix, ".") || strings.HasSuffix(prefix, "/") || rest[0] == '.' || rest[0] == '/' {
		return rest, true
	}
	return "", false
}
