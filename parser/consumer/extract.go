package consumer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/parser"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// eventSource is the source of the events that the parser writes.
const eventSource = "tributary/parser"

// extractor makes lineage of task events. It is pure but for the catalog.
type extractor struct {
	catalog *catalog
	limits  parser.Limits
	// keepTemporary shows session tables, for those who ask for them; what goes
	// into the log sees through them.
	keepTemporary bool
}

// extraction is what one task event gives.
type extraction struct {
	lineage *event.LineageExtracted
	// id, uses and given are for the memory; id is 0 if there is nothing to
	// remember.
	id   taskID
	task event.Task
	uses []use
	// columns are the definitions that follow from the columns that the SQL
	// gives its targets, and given those targets. derive fills them in.
	columns []any
	given   []string
	// stands are the tables of the SQL that only stand for others.
	stands []*event.SourceMerged
}

// head gives the fields that all records of one task event have.
func head(task event.Task, from event.Position, result, origin string) *event.LineageExtracted {
	return &event.LineageExtracted{Task: task, Result: result, From: from, Origin: origin, Parser: parser.Version, Part: 1, Parts: 1}
}

// define extracts a definition.
func (e *extractor) define(ctx context.Context, d *event.TaskDefined, from event.Position, hash sum) *extraction {
	var x *event.LineageExtracted
	var stands []*event.SourceMerged
	branch := d.OnBranch()
	l, at := e.catalog.consistent(branch, func(l *lookup) {
		origin := event.OriginParsed
		if d.SQL == "" {
			origin = event.OriginDeclared
		}
		x = head(d.Task, from, event.ResultExtracted, origin)
		x.Kind, x.Name, x.Hash = d.Kind, d.Name, hash.String()
		if d.SQL != "" {
			s := newScript(d, l)
			s.keepTemporary = e.keepTemporary
			s.extract(ctx, e.limits, x)
			stands = s.stands
		}
		declared(d, l, x)
	})
	x.Definitions, x.Uses = at, usesOf(l)
	return &extraction{lineage: x, id: idOf(d.TaskKey(), branch), task: d.Task, stands: stands, uses: l.uses}
}

// derive finds the definitions that change with the columns that the task's
// SQL gives: new ones, and those that it no longer gives. before are the
// datasets that the extraction before this one gave columns to.
func (e *extractor) derive(out *extraction, before []string) {
	task, branch := out.task.TaskKey(), out.task.OnBranch()
	e.catalog.mu.RLock()
	known := e.catalog.defs.Given(task, branch)
	if branch == event.MasterBranch {
		// What is one is one on every branch, so master decides.
		out.columns = append(out.columns, e.restand(out, task)...)
	}
	gone := make(map[string]bool, len(known)+len(before))
	for key := range known {
		gone[key] = true
	}
	for _, key := range before {
		gone[key] = true
	}
	now := givenColumns(out.lineage)
	var fresh []string
	for key, list := range now {
		out.given = append(out.given, key)
		delete(gone, key)
		if known[key] != list.Hash {
			fresh = append(fresh, key)
		}
	}
	e.catalog.mu.RUnlock()
	for _, key := range fresh {
		if k, err := name.ParseKey(key); err == nil {
			out.columns = append(out.columns, &event.TableDefined{
				Dataset: event.Dataset{Namespace: k.Namespace, Name: k.Name, Branch: branch}, Columns: namedColumns(now[key].Names), DerivedBy: task,
			})
		}
	}
	for key := range gone {
		if k, err := name.ParseKey(key); err == nil {
			out.columns = append(out.columns, &event.TableRemoved{Dataset: event.Dataset{Namespace: k.Namespace, Name: k.Name, Branch: branch}, DerivedBy: task})
		}
	}
}

// restand finds the mappings that change with the tables of the task's SQL that
// stand for others. The catalog's lock is held.
func (e *extractor) restand(out *extraction, task string) (changes []any) {
	known := e.catalog.defs.Stands(task)
	now := map[string]bool{}
	for _, m := range out.stands {
		now[m.ID] = true
		if old := known[m.ID]; old == nil || !lineage.SameMapping(old, m) {
			changes = append(changes, m)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(known)) {
		if !now[id] {
			changes = append(changes, &event.SourceUnmerged{ID: id})
		}
	}
	return changes
}

// end gives the record of a task that is removed or withdrawn.
func (e *extractor) end(task event.Task, result string, from event.Position) *extraction {
	x := head(task, from, result, event.OriginParsed)
	e.catalog.mu.RLock()
	x.Definitions = e.catalog.position()
	e.catalog.mu.RUnlock()
	return &extraction{lineage: x, id: idOf(task.TaskKey(), task.OnBranch()), task: task}
}

// hide adds to the record of a removal the datasets that it hides job specs
// of.
func (e *extractor) hide(x *extraction, outputs []event.Ref) {
	if len(outputs) == 0 {
		return
	}
	var nodes []event.Node
	_, x.lineage.Definitions = e.catalog.consistent(x.task.OnBranch(), func(l *lookup) {
		nodes = nil
		for _, ref := range outputs {
			nodes = append(nodes, event.Node{Key: refs{l}.key(ref).String()})
		}
	})
	x.lineage.Nodes = nodes
}

// run gives the record of a run's event: what it observed, or the marker if it
// tells nothing of lineage. The end of a run is told in any case, since an
// earlier event of the run may have told what it reads.
func (e *extractor) run(r *event.Run, state string, from event.Position) *extraction {
	if state == event.RunStateRunning && len(r.Inputs)+len(r.Outputs) == 0 {
		return e.unchanged(r.Task, from, event.OriginObserved)
	}
	var x *event.LineageExtracted
	l, at := e.catalog.consistent(r.Task.OnBranch(), func(l *lookup) {
		x = head(r.Task, from, event.ResultExtracted, event.OriginObserved)
		observed(r, state, l, x)
	})
	x.Definitions, x.Uses = at, usesOf(l)
	return &extraction{lineage: x}
}

// unchanged gives the marker for whoever waits for an event that changes
// nothing.
func (e *extractor) unchanged(task event.Task, from event.Position, origin string) *extraction {
	return &extraction{lineage: head(task, from, event.ResultUnchanged, origin)}
}

// encode gives the records of an extraction as they are appended.
func (x *extraction) encode() ([]log.Record, error) {
	out := make([]log.Record, 0, 1+len(x.columns))
	from := x.lineage.From
	for i, c := range x.columns {
		kind, err := event.TypeOf(c)
		if err != nil {
			return nil, err
		}
		ev := event.Event{ID: fmt.Sprintf("%s/columns/%d", from, i), Source: eventSource, Type: kind, Data: c}
		rec, err := encode(ev)
		if err != nil {
			return nil, err
		}
		out = append(out, rec)
	}
	lineage, err := encodeLineage(x.lineage)
	return append(out, lineage...), err
}

// encodeLineage gives an extraction in as few parts as the log takes. What is
// too long even in the smallest parts is given up, and an error of kind limit
// stands in its place.
func encodeLineage(x *event.LineageExtracted) ([]log.Record, error) {
	for items := partItems; items > 0; items /= 10 {
		recs, fit, err := encodeParts(split(x, items))
		if err != nil || fit {
			return recs, err
		}
	}
	short := head(x.Task, x.From, x.Result, x.Origin)
	short.Kind, short.Name, short.Hash, short.Definitions, short.Uses = x.Kind, x.Name, x.Hash, x.Definitions, x.Uses
	short.Errors = []event.SQLError{{Kind: "limit", Message: fmt.Sprintf("what was extracted does not fit into records of %d bytes and is left out", log.MaxRecordBytes)}}
	recs, _, err := encodeParts([]*event.LineageExtracted{short})
	return recs, err
}

// encodeParts encodes parts; fit is false if one is longer than the log takes.
func encodeParts(parts []*event.LineageExtracted) (recs []log.Record, fit bool, err error) {
	for _, p := range parts {
		id := p.From.String() + "/" + strconv.FormatInt(p.Definitions.Offset, 10) + "/" + strconv.Itoa(p.Parser) + "/" + strconv.Itoa(p.Part)
		rec, err := encode(event.Event{ID: id, Source: eventSource, Type: event.TypeLineageExtracted, Data: p})
		if err != nil {
			return nil, false, err
		}
		if len(rec.Value) > log.MaxRecordBytes-headerRoom {
			return nil, false, nil
		}
		recs = append(recs, rec)
	}
	return recs, true, nil
}

// headerRoom is what a record's key and headers take at most.
const headerRoom = 64 << 10

func encode(ev event.Event) (log.Record, error) {
	rec, err := event.Encode(ev)
	if err != nil {
		return log.Record{}, fmt.Errorf("encoding what was extracted: %w", err)
	}
	out := log.Record{Topic: rec.Topic, Key: rec.Key, Value: rec.Value, Headers: make([]log.Header, len(rec.Headers)), Known: rec.Event}
	for i, h := range rec.Headers {
		out.Headers[i] = log.Header(h)
	}
	return out, nil
}
