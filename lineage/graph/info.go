package graph

import (
	"slices"
	"strings"

	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// nodeInfo is what is said of a node beyond its key and edges. It never
// changes; what is said next is another one.
type nodeInfo struct {
	mentions    []mentionCount
	definitions []Definition
}

// mentionCount is a thing said of a node and the number of owners that say it.
type mentionCount struct {
	kind, display string
	n             int
}

// Definition is what a dataset is on a branch, by its platform or a person.
type Definition struct {
	Branch string
	// Version is that of the event; a lower one never replaces a higher one.
	Version uint64
	// Removed says that the dataset is gone on the branch, and hides what the
	// fallbacks say.
	Removed bool
	// RenamedTo is the key that it has now, if it was renamed.
	RenamedTo string
	Kind      string
	// Columns are all columns in order; nil if not known.
	Columns []event.Column
	// Derived are columns that the SQL of tasks gives it, by the task's key;
	// they count if Columns are not known.
	Derived     map[string][]event.Column
	Owner       string
	Labels      map[string]string
	Description string
	Engine      string
}

// columns gives the columns that count; of several tasks that derive them the
// one with the least key, so that the answer does not depend on their order.
func (d *Definition) columns() []event.Column {
	if d.Columns != nil || len(d.Derived) == 0 {
		return d.Columns
	}
	least := ""
	for task := range d.Derived {
		if least == "" || task < least {
			least = task
		}
	}
	return d.Derived[least]
}

// withMention gives the info with one owner more (or fewer) saying a thing.
func (i *nodeInfo) withMention(m mention, by int) *nodeInfo {
	if m.kind == "" && m.display == "" {
		return i
	}
	next := nodeInfo{}
	if i != nil {
		next = *i
	}
	next.mentions = slices.Clone(next.mentions)
	at := slices.IndexFunc(next.mentions, func(c mentionCount) bool { return c.kind == m.kind && c.display == m.display })
	if at < 0 {
		next.mentions = append(next.mentions, mentionCount{kind: m.kind, display: m.display})
		at = len(next.mentions) - 1
	}
	next.mentions[at].n += by
	if next.mentions[at].n == 0 {
		next.mentions = slices.Delete(next.mentions, at, at+1)
	}
	return &next
}

// withDefinition gives the info with a definition put in, unless a later one
// of the branch is there.
func (i *nodeInfo) withDefinition(d Definition) *nodeInfo {
	next := nodeInfo{}
	if i != nil {
		next = *i
	}
	next.definitions = slices.Clone(next.definitions)
	at := slices.IndexFunc(next.definitions, func(o Definition) bool { return o.Branch == d.Branch })
	switch {
	case at < 0:
		next.definitions = append(next.definitions, d)
	case next.definitions[at].Version < d.Version:
		next.definitions[at] = d
	default:
		return i
	}
	return &next
}

// definition gives the definition that counts on a chain of branches, nil if
// there is none or the dataset was removed.
func (i *nodeInfo) definition(chain []string) *Definition {
	if i == nil {
		return nil
	}
	for _, branch := range chain {
		for n := range i.definitions {
			if d := &i.definitions[n]; d.Branch == branch {
				if d.Removed {
					return nil
				}
				return d
			}
		}
	}
	return nil
}

// kind gives a dataset's kind on a chain of branches: what it is defined to
// be, else the greatest (as text) of what owners mention, so that the answer
// does not depend on the order of mentions, else what its family is.
func (i *nodeInfo) kind(family string, chain []string) string {
	best := ""
	if i != nil {
		if d := i.definition(chain); d != nil && d.Kind != "" && family == name.FamilyDataset {
			return d.Kind
		}
		for _, m := range i.mentions {
			best = max(best, m.kind)
		}
	}
	if best == "" {
		return defaultKind(family)
	}
	return best
}

func defaultKind(family string) string {
	switch family {
	case name.FamilyDataset:
		return "table"
	case name.FamilyTask:
		return event.KindBatch
	}
	return family
}

// display gives the name as SQL writes it, if that differs from the key's; of
// several spellings the least, so that the answer does not depend on order.
func (i *nodeInfo) display() string {
	if i == nil {
		return ""
	}
	best := ""
	for _, m := range i.mentions {
		if m.display != "" && (best == "" || strings.Compare(m.display, best) < 0) {
			best = m.display
		}
	}
	return best
}
