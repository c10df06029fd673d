package lineage

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// Source is what an owner's knowledge comes from. What one source says never
// closes an edge of another.
type Source uint8

// Sources, with the numbers that stored rows carry.
const (
	// SourceDefinition is the task's definition: its SQL and what it declares.
	SourceDefinition Source = 1
	// SourceRuns is what the task's runs were seen to read and write.
	SourceRuns Source = 2
	// SourcePeople is what people draw by hand into one node.
	SourcePeople Source = 3
)

// OwnerKey names an owner.
type OwnerKey struct {
	// Task is the key of the task's records (namespace|id); for SourcePeople
	// it is the key of the node that the edges go into. Rows carry it as their
	// contributor.
	Task   string
	Branch string
	Source Source
}

// Status says what an owner's last event left.
type Status uint8

// Statuses, with the numbers that stored rows carry.
const (
	StatusLive      Status = 1
	StatusRemoved   Status = 2
	StatusWithdrawn Status = 3
)

// Item is an edge with what its owner knows of it.
type Item struct {
	Edge
	Via Via
	// Statements are the numbers of the statements that make it, ascending.
	Statements []int
	// Unexpanded marks the edge of a star whose columns are not known.
	Unexpanded bool
	// Explicit marks a table edge that a person drew; one without the mark is
	// there because of the column edges under it. Used in SourcePeople only.
	Explicit bool
	// Who drew it by hand, and why.
	Who, Why string
	// Opened is the version since which it is there without a break, and
	// OpenedAt the log's append time of that record.
	Opened   uint64
	OpenedAt time.Time
}

func (i Item) sameDetail(o Item) bool {
	return i.Via == o.Via && i.Unexpanded == o.Unexpanded && i.Explicit == o.Explicit &&
		i.Who == o.Who && i.Why == o.Why && slices.Equal(i.Statements, o.Statements)
}

// Mention is what an owner says of a node beyond its key.
type Mention struct {
	// Key is the node's key.
	Key string
	// Kind is what the owner's SQL or event says that the node is.
	Kind string
	// Display is the name as the SQL writes it, if that differs from the key's.
	Display string
}

// Owner is the state of one owner. The zero value but for Key is an owner that
// nothing was said about yet. It is not safe for concurrent use.
type Owner struct {
	Key OwnerKey
	// Partition is the partition that the owner's events stand in.
	Partition int
	// Version is that of the last record that changed the owner: all rows of
	// records up to it were given out before.
	Version uint64
	// At is when the log took that record; it is not part of the stored state.
	At time.Time
	// Order is that of the extraction that stands, and From the task event that
	// it came from.
	Order  Order
	From   event.Position
	Status Status
	// Hash is that of the task event, by which a repeat is known; empty if the
	// extraction carried none.
	Hash string
	// Uses are the definitions that the extraction looked up.
	Uses []event.Use
	// Items are the edges that are open, sorted.
	Items []Item
	// Mentions are sorted by key.
	Mentions []Mention
	// Errors is the number of errors that the stored errors row holds.
	Errors int
	// Pending holds the parts of an extraction that is not whole yet.
	Pending *Pending
	// Runs are the runs that count, or may yet, oldest first.
	Runs []Run
}

// Record is an event with its place in the log.
type Record struct {
	Partition int
	Version   uint64
	// At is the time at which the log took it.
	At time.Time
	// Data is one of *event.LineageExtracted, *event.LineageWithdrawn,
	// *event.EdgeAdded, *event.EdgeRemoved.
	Data any
}

// Outcome says what became of a record for one owner.
type Outcome uint8

// Outcomes.
const (
	// OutcomeApplied: the owner changed.
	OutcomeApplied Outcome = iota + 1
	// OutcomeRepeated: the record was applied before, or says what is known.
	OutcomeRepeated
	// OutcomeUnchanged: a marker for whoever waits; it has no rows.
	OutcomeUnchanged
	// OutcomeLate: older than what the owner has.
	OutcomeLate
	// OutcomePart: kept until its other parts come.
	OutcomePart
	// OutcomeIgnored: not an event of lineage.
	OutcomeIgnored
)

// OwnersOf gives the owners that an event speaks to; none if it is not an
// event of lineage. A removed or withdrawn task speaks to all that its
// definition and its runs said.
func OwnersOf(data any) []OwnerKey {
	switch d := data.(type) {
	case *event.LineageExtracted:
		key := OwnerKey{Task: d.Task.TaskKey(), Branch: d.Task.OnBranch(), Source: sourceOf(d.Origin)}
		if d.Result == event.ResultRemoved || d.Result == event.ResultWithdrawn {
			return []OwnerKey{
				{Task: key.Task, Branch: key.Branch, Source: SourceDefinition},
				{Task: key.Task, Branch: key.Branch, Source: SourceRuns},
			}
		}
		return []OwnerKey{key}
	case *event.LineageWithdrawn:
		return []OwnerKey{{Task: d.Task.TaskKey(), Branch: d.Task.OnBranch(), Source: sourceOf(d.Origin)}}
	case *event.EdgeAdded:
		return []OwnerKey{{Task: d.To.NodeKey().String(), Branch: d.OnBranch(), Source: SourcePeople}}
	case *event.EdgeRemoved:
		return []OwnerKey{{Task: d.To.NodeKey().String(), Branch: d.OnBranch(), Source: SourcePeople}}
	}
	return nil
}

func sourceOf(origin string) Source {
	if origin == event.OriginObserved {
		return SourceRuns
	}
	return SourceDefinition
}

// Apply folds one record into the owner and adds to rows, unless they are nil,
// what it causes. A
// record at or before the owner's version has been applied before and does
// nothing, so a log may be read again from any earlier position.
func (o *Owner) Apply(rec Record, rows *Rows) Outcome {
	if rec.Version <= o.Version {
		return OutcomeRepeated
	}
	switch d := rec.Data.(type) {
	case *event.LineageExtracted:
		return o.applyExtracted(rec, d, rows)
	case *event.LineageWithdrawn:
		return o.applyWithdrawn(rec, d, rows)
	case *event.EdgeAdded:
		return o.applyManual(rec, d.Edge, true, rows)
	case *event.EdgeRemoved:
		return o.applyManual(rec, d.Edge, false, rows)
	}
	return OutcomeIgnored
}

func (o *Owner) applyExtracted(rec Record, x *event.LineageExtracted, rows *Rows) Outcome {
	if x.Result == event.ResultUnchanged {
		return OutcomeUnchanged
	}
	order := OrderOf(x)
	switch c := order.Compare(o.Order); {
	case o.Status != 0 && c < 0:
		return OutcomeLate
	case o.Status != 0 && c == 0:
		return OutcomeRepeated
	}
	switch x.Result {
	case event.ResultRemoved:
		return o.end(rec, x, StatusRemoved, rows)
	case event.ResultWithdrawn:
		return o.end(rec, x, StatusWithdrawn, rows)
	}
	if o.Key.Source == SourceRuns && o.tellsNothing(x) {
		return OutcomeUnchanged
	}
	if x.Parts > 1 {
		whole := o.assemble(x)
		if whole == nil {
			o.touch(rec, rows)
			return OutcomePart
		}
		x = whole
	}
	o.Pending = nil
	o.Order, o.From, o.Status, o.Hash = order, x.From, StatusLive, x.Hash
	items, mentions := itemsOf(x), mentionsOf(x)
	if o.Key.Source == SourceRuns {
		items, mentions = o.observe(x, items, mentions)
	} else {
		o.Uses = x.Uses
	}
	o.replace(rec, items, rows)
	o.replaceMentions(rec, mentions, rows)
	o.replaceErrors(rec, x.Errors, rows)
	rows.extraction(o, rec, x)
	o.touch(rec, rows)
	return OutcomeApplied
}

// end closes all that the owner has. A removal mentions what it hides.
func (o *Owner) end(rec Record, x *event.LineageExtracted, status Status, rows *Rows) Outcome {
	o.Order, o.From, o.Status = OrderOf(x), x.From, status
	o.Hash, o.Uses, o.Pending, o.Runs = x.Hash, nil, nil, nil
	o.replace(rec, nil, rows)
	var hidden []Mention
	if status == StatusRemoved && o.Key.Source == SourceDefinition {
		hidden = mentionsOf(x)
	}
	o.replaceMentions(rec, hidden, rows)
	o.replaceErrors(rec, nil, rows)
	o.touch(rec, rows)
	return OutcomeApplied
}

// applyWithdrawn takes back the edges of one origin without a task event.
func (o *Owner) applyWithdrawn(rec Record, w *event.LineageWithdrawn, rows *Rows) Outcome {
	from := Order{FromGeneration: w.From.Generation, FromOffset: w.From.Offset}
	if from.compareFrom(o.Order) < 0 {
		return OutcomeLate
	}
	origin, _ := ParseOrigin(w.Origin)
	kept := slices.DeleteFunc(slices.Clone(o.Items), func(i Item) bool { return i.Origin == origin })
	if len(kept) == len(o.Items) {
		return OutcomeRepeated
	}
	if o.Key.Source == SourceRuns {
		o.Runs = nil
	}
	o.replace(rec, kept, rows)
	o.touch(rec, rows)
	return OutcomeApplied
}

// touch notes the record as applied and gives out the owner's row.
func (o *Owner) touch(rec Record, rows *Rows) {
	o.Version, o.Partition, o.At = rec.Version, rec.Partition, rec.At
	rows.owner(o)
}

// replace makes items the owner's edges: it closes those that are not among
// them, opens the new ones, and gives out again those whose details changed.
// items are sorted and without repeats.
func (o *Owner) replace(rec Record, items []Item, rows *Rows) {
	old := o.Items
	i := 0
	for n := range items {
		item := &items[n]
		for i < len(old) && old[i].compare(&item.Edge) < 0 {
			rows.close(o, rec, &old[i])
			i++
		}
		if i < len(old) && old[i].compare(&item.Edge) == 0 {
			item.Opened, item.OpenedAt = old[i].Opened, old[i].OpenedAt
			if !item.sameDetail(old[i]) {
				rows.open(o, rec, item)
			}
			i++
			continue
		}
		item.Opened, item.OpenedAt = rec.Version, rec.At
		rows.open(o, rec, item)
	}
	for ; i < len(old); i++ {
		rows.close(o, rec, &old[i])
	}
	o.Items = items
}

func (o *Owner) replaceMentions(rec Record, mentions []Mention, rows *Rows) {
	old := o.Mentions
	i := 0
	for _, m := range mentions {
		for i < len(old) && old[i].Key < m.Key {
			rows.mention(o, rec, old[i], true)
			i++
		}
		known := i < len(old) && old[i].Key == m.Key
		if !known || old[i] != m {
			rows.mention(o, rec, m, false)
		}
		if known {
			i++
		}
	}
	for ; i < len(old); i++ {
		rows.mention(o, rec, old[i], true)
	}
	o.Mentions = mentions
}

func (o *Owner) replaceErrors(rec Record, errs []event.SQLError, rows *Rows) {
	if len(errs) > 0 || o.Errors > 0 {
		rows.errors(o, rec, errs)
	}
	o.Errors = len(errs)
}

// itemsOf gives an extraction's edges sorted, each once.
func itemsOf(x *event.LineageExtracted) []Item {
	whole, ok := ParseOrigin(x.Origin)
	if !ok {
		whole = OriginParsed
	}
	items := make([]Item, len(x.Edges))
	for n := range x.Edges {
		e, i := &x.Edges[n], &items[n]
		i.From, i.To, i.FromColumn, i.ToColumn = e.From, e.To, e.FromColumn, e.ToColumn
		i.Direct, i.Origin = e.Direct || e.FromColumn == "", whole
		if e.Origin != "" {
			if origin, ok := ParseOrigin(e.Origin); ok {
				i.Origin = origin
			}
		}
		i.Via, i.Statements, i.Unexpanded = ParseVia(e.Via), e.Statements, e.Unexpanded
	}
	return merge(items)
}

// merge sorts items and makes one of those of the same edge. It does so where
// they are.
func merge(items []Item) []Item {
	arrange(items)
	kept := 0
	for n := range items {
		i := &items[n]
		if kept > 0 && items[kept-1].Edge == i.Edge {
			last := &items[kept-1]
			last.Via |= i.Via
			last.Unexpanded = last.Unexpanded || i.Unexpanded
			last.Explicit = last.Explicit || i.Explicit
			last.Statements = append(slices.Clone(last.Statements), i.Statements...)
			continue
		}
		if kept < n {
			items[kept] = *i
		}
		kept++
	}
	clear(items[kept:])
	items = items[:kept]
	for n := range items {
		if i := &items[n]; !slices.IsSorted(i.Statements) || hasRepeats(i.Statements) {
			sorted := slices.Clone(i.Statements)
			slices.Sort(sorted)
			i.Statements = slices.Compact(sorted)
		}
	}
	return items
}

// arrange sorts items, those of the same edge staying in their order. Items are
// large: their places are sorted, and each is moved once.
func arrange(items []Item) {
	var room [64]int32
	places := room[:0]
	for n := range items {
		places = append(places, int32(n))
	}
	slices.SortFunc(places, func(a, b int32) int {
		if c := items[a].compare(&items[b].Edge); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	for first := range places {
		if places[first] == int32(first) {
			continue
		}
		// What belongs here belongs to a ring of items, each in the place of the next.
		moved, to := items[first], first
		for {
			from := int(places[to])
			places[to] = int32(to)
			if from == first {
				items[to] = moved
				break
			}
			items[to] = items[from]
			to = from
		}
	}
}

func hasRepeats(sorted []int) bool {
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return true
		}
	}
	return false
}

// mentionsOf gives what an extraction says of nodes beyond their keys; of a
// job spec all of its nodes, since it produces some that no edge goes into.
func mentionsOf(x *event.LineageExtracted) []Mention {
	var out []Mention
	spec := name.IsJobSpec(x.Task.TaskKey())
	for _, n := range x.Nodes {
		if spec || n.Kind != "" || n.Display != "" {
			out = append(out, Mention{Key: n.Key, Kind: n.Kind, Display: n.Display})
		}
	}
	return mergeMentions(out)
}

func mergeMentions(ms []Mention) []Mention {
	slices.SortStableFunc(ms, func(a, b Mention) int { return strings.Compare(a.Key, b.Key) })
	return slices.CompactFunc(ms, func(a, b Mention) bool { return a.Key == b.Key })
}
