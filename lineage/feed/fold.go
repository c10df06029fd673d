package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// folder folds records into a graph. One goroutine uses it.
type folder struct {
	cfg    Config
	graph  *graph.Graph
	logger *slog.Logger
	// whole are owners whose state the graph does not hold in full: those of
	// runs and of people, and those that wait for parts of an extraction.
	whole   map[lineage.OwnerKey]*lineage.Owner
	next    graph.Position
	answers *answers
	sources *sources
}

func newFolder(g *graph.Graph, cfg Config) *folder {
	return &folder{cfg: cfg, graph: g, logger: cfg.Logger, whole: map[lineage.OwnerKey]*lineage.Owner{}, sources: newSources()}
}

// begin sets where the log is read from.
func (f *folder) begin(from map[string][]int64) {
	f.next = graph.Position(from).Clone()
	f.answers = newAnswers(len(from[log.TopicTasks]), len(from[log.TopicLineage]))
}

// step is a record that speaks to owners.
type step struct {
	rec  lineage.Record
	keys []lineage.OwnerKey
}

// fold makes one snapshot of the records. After an error nothing has changed
// but owners held in full, and the same records can be folded again.
func (f *folder) fold(ctx context.Context, recs [][]log.Record) error {
	b := f.graph.Begin()
	var steps []step
	definitions := false
	for _, list := range recs {
		for i := range list {
			rec := &list[i]
			ev, fault := deadletter.Judge(rec, len(f.next[rec.Topic]))
			if fault != nil {
				continue // the projector writes the letter
			}
			place := lineage.Record{Partition: rec.Partition, Version: event.Version(f.cfg.Generations[rec.Topic], rec.Offset), At: rec.Time, Data: ev.Data}
			if rec.Topic == log.TopicDefinitions {
				definitions = f.define(b, place) || definitions
				continue
			}
			f.answers.note(rec, ev.Data)
			if keys := lineage.OwnersOf(ev.Data); len(keys) > 0 && !unchanged(ev.Data) {
				steps = append(steps, step{place, keys})
			}
		}
	}
	if err := f.fetch(ctx, b, steps); err != nil {
		return err
	}
	for _, s := range steps {
		for _, key := range s.keys {
			f.apply(ctx, b, key, s.rec)
		}
	}
	if definitions {
		b.SetRules(f.sources.rules())
	}
	for _, list := range recs {
		last := list[len(list)-1]
		next := f.next[last.Topic]
		next[last.Partition] = max(next[last.Partition], last.Offset+1)
	}
	b.Commit(f.position())
	return nil
}

func unchanged(data any) bool {
	x, ok := data.(*event.LineageExtracted)
	return ok && x.Result == event.ResultUnchanged
}

// position gives how far the graph has come: task events count once the parser
// has answered them.
func (f *folder) position() graph.Position {
	p := f.next.Clone()
	p[log.TopicTasks] = f.answers.position(f.next[log.TopicTasks])
	return p
}

// fetch makes sure that owners which the graph does not hold in full are
// there, asking the store for those that it alone has.
func (f *folder) fetch(ctx context.Context, b *graph.Batch, steps []step) error {
	if f.cfg.Store == nil {
		return nil
	}
	var ask []lineage.OwnerKey
	seen := map[lineage.OwnerKey]bool{}
	for _, s := range steps {
		for _, key := range s.keys {
			if f.whole[key] == nil && !seen[key] && (key.Source != lineage.SourceDefinition || isPart(s.rec.Data)) && b.Knows(key) {
				seen[key] = true
				ask = append(ask, key)
			}
		}
	}
	if len(ask) == 0 {
		return nil
	}
	owners, err := f.cfg.Store.Owners(ctx, ask)
	if err != nil {
		return fmt.Errorf("looking up the state of %d owners: %w", len(ask), err)
	}
	for key, o := range owners {
		// What a definition says is held in full but for earlier parts, so the
		// store is asked for those alone, and may be behind.
		if state, _ := b.Owner(key); key.Source != lineage.SourceDefinition || o.Version >= state.Version {
			f.whole[key] = o
		}
	}
	return nil
}

// isPart reports whether a record is a part of an extraction, the first of
// which may have come before the graph was loaded.
func isPart(data any) bool {
	x, ok := data.(*event.LineageExtracted)
	return ok && x.Parts > 1
}

// apply folds one record into one owner, and puts what it says then into the
// batch.
func (f *folder) apply(ctx context.Context, b *graph.Batch, key lineage.OwnerKey, rec lineage.Record) {
	o := f.whole[key]
	state, known := b.Owner(key)
	if o == nil {
		o = &lineage.Owner{Key: key, Partition: rec.Partition, Version: state.Version, Order: state.Order, Status: state.Status, Items: state.Items, Mentions: state.Mentions}
	}
	switch o.Apply(rec, nil) {
	case lineage.OutcomeApplied:
		f.keep(key, o)
	case lineage.OutcomePart:
		f.whole[key] = o
		return
	default:
		// What the store holds in full may be newer than what was loaded.
		if !known || o.Version <= state.Version {
			return
		}
	}
	next := graph.OwnerState{Key: key, Status: o.Status, Version: o.Version, Order: o.Order, Node: state.Node, Kind: state.Kind, Spec: key.Source == lineage.SourceDefinition && name.IsJobSpec(key.Task), Items: o.Items, Mentions: o.Mentions}
	describe(&next, rec.Data)
	if err := b.SetOwner(next); err != nil {
		level := slog.LevelWarn
		if errors.Is(err, graph.ErrCollision) {
			level = slog.LevelError
		}
		f.logger.Log(ctx, level, "some of a task's lineage is left out of the graph", "task", key.Task, "branch", key.Branch, "error", err)
	}
}

// keep holds on to the owners that the graph does not hold in full, and lets
// the others go.
func (f *folder) keep(key lineage.OwnerKey, o *lineage.Owner) {
	if key.Source == lineage.SourceDefinition && o.Pending == nil {
		delete(f.whole, key)
		return
	}
	f.whole[key] = o
}

// describe adds what the event says of the task.
func describe(s *graph.OwnerState, data any) {
	switch d := data.(type) {
	case *event.LineageExtracted:
		if d.Result == event.ResultExtracted {
			s.Node, s.Kind = d.Task.NodeKey(d.Kind).String(), d.Kind
			if s.Kind == "" {
				s.Kind = event.KindBatch
			}
		}
	case *event.EdgeAdded:
		s.Node = d.To.NodeKey().String()
	}
}

// define folds a record of tributary.definitions. It reports whether what is
// the same as what may have changed.
func (f *folder) define(b *graph.Batch, rec lineage.Record) bool {
	changed := f.sources.apply(rec.Version, rec.Data)
	if err := defineTable(b, rec); err != nil {
		f.logger.Error("some of a definition is left out of the graph", "error", err)
	}
	return changed
}

// defineTable notes what an event says of a table.
func defineTable(b *graph.Batch, rec lineage.Record) error {
	switch d := rec.Data.(type) {
	case *event.TableDefined:
		key := d.NodeKey().String()
		next := graph.Definition{Branch: d.OnBranch()}
		if old := b.Definition(key, next.Branch); old != nil && !old.Removed {
			next = *old
		}
		next.Version = rec.Version
		if d.DerivedBy != "" {
			next.Derived = withDerived(next.Derived, d.DerivedBy, d.Columns)
			return b.SetDefinition(key, next)
		}
		next.Kind, next.Owner, next.Labels, next.Description, next.Engine = d.Kind, d.Owner, d.Labels, d.Description, d.Engine
		if d.Columns != nil {
			next.Columns = d.Columns
		}
		return b.SetDefinition(key, next)
	case *event.TableRemoved:
		key := d.NodeKey().String()
		old := b.Definition(key, d.OnBranch())
		if d.DerivedBy != "" {
			if old == nil {
				return nil
			}
			next := *old
			next.Version, next.Derived = rec.Version, withDerived(old.Derived, d.DerivedBy, nil)
			return b.SetDefinition(key, next)
		}
		return b.SetDefinition(key, graph.Definition{Branch: d.OnBranch(), Version: rec.Version, Removed: true})
	case *event.TableRenamed:
		return rename(b, rec, d)
	}
	return nil
}

// rename moves what is known of a table to its new name, unless more is known
// of that one.
func rename(b *graph.Batch, rec lineage.Record, d *event.TableRenamed) error {
	to := d.To
	if to.Namespace == "" {
		to.Namespace = d.Namespace
	}
	key, newKey := d.NodeKey().String(), to.NodeKey().String()
	var errs []error
	if old := b.Definition(key, d.OnBranch()); old != nil && !old.Removed {
		next := *old
		if have := b.Definition(newKey, d.OnBranch()); have != nil && !have.Removed {
			next = *have
			if next.Columns == nil {
				next.Columns = old.Columns
			}
		}
		next.Version = rec.Version
		errs = append(errs, b.SetDefinition(newKey, next))
	}
	errs = append(errs, b.SetDefinition(key, graph.Definition{Branch: d.OnBranch(), Version: rec.Version, Removed: true, RenamedTo: newKey}))
	return errors.Join(errs...)
}

// withDerived gives the derived columns with those of one task put in, or
// without columns taken out.
func withDerived(derived map[string][]event.Column, task string, columns []event.Column) map[string][]event.Column {
	next := maps.Clone(derived)
	if next == nil {
		next = map[string][]event.Column{}
	}
	if columns == nil {
		delete(next, task)
		return next
	}
	next[task] = columns
	return next
}
