package audit

import (
	"context"
	"fmt"
	"strings"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// ReadAll gives all records of a topic, partition after partition.
func ReadAll(ctx context.Context, client *log.Client, topic string) ([]log.Record, error) {
	ends, err := client.Ends(ctx, topic)
	if err != nil {
		return nil, fmt.Errorf("finding the end of %s: %w", topic, err)
	}
	var all []log.Record
	for p, end := range ends {
		err := client.ReadUntil(ctx, topic, p, 0, end, func(recs []log.Record) error {
			all = append(all, recs...)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", topic, err)
		}
	}
	return all, nil
}

// Expected folds the whole log in memory, each owner by itself, and gives what
// the tables should hold. Of the projector it uses nothing; of the fold, only
// what is proved against a plain reference in its own tests.
func Expected(ctx context.Context, client *log.Client) (Picture, error) {
	f := folding{
		picture: Picture{}, owners: map[lineage.OwnerKey]*lineage.Owner{},
		nodes: map[lineage.NodeRow]bool{}, latest: map[string]string{},
		columns: map[string][]event.Column{}, runs: greatest{}, published: map[string]int64{},
	}
	for _, topic := range []string{log.TopicTasks, log.TopicDefinitions, log.TopicLineage} {
		if err := each(ctx, client, topic, f.record); err != nil {
			return nil, err
		}
	}
	return f.finish()
}

// folding is a fold of the whole log.
type folding struct {
	picture Picture
	owners  map[lineage.OwnerKey]*lineage.Owner
	nodes   map[lineage.NodeRow]bool
	latest  map[string]string
	rows    lineage.Rows
	columns map[string][]event.Column
	runs    greatest
	// published are the publications of tasks that are job specs.
	published map[string]int64
}

func (f *folding) record(raw *log.Record, ev event.Event) {
	rec := lineage.Record{Partition: raw.Partition, Version: event.Version(0, raw.Offset), At: raw.Time, Data: ev.Data}
	for _, row := range lineage.NodesOf(ev.Data, nil) {
		f.nodes[row] = true
	}
	for _, key := range lineage.OwnersOf(ev.Data) {
		if f.owners[key] == nil {
			f.owners[key] = &lineage.Owner{Key: key}
		}
		f.owners[key].Apply(rec, &f.rows)
	}
	f.definition(ev.Data, rec, string(raw.Value))
}

func (f *folding) finish() (Picture, error) {
	for n := range f.nodes {
		if err := f.node(n); err != nil {
			return nil, err
		}
	}
	f.latestRows()
	for _, o := range f.owners {
		if o.Version == 0 {
			continue // only markers
		}
		state, err := o.EncodeState()
		if err != nil {
			return nil, fmt.Errorf("encoding the state of %s: %w", o.Key.Task, err)
		}
		f.picture.addf("owners", "%d %s %d %s p%d v%d s%d from %d/%d def %d parser %d hash %q edges %d %s", name.ID(o.Key.Task), o.Key.Branch, o.Key.Source, o.Key.Task, o.Partition,
			o.Version, o.Status, o.From.Partition, o.From.Offset, o.Order.DefinitionsOffset, o.Order.Parser, o.Hash, len(o.Items), state)
	}
	return f.picture.sorted(), nil
}

func (f *folding) node(n lineage.NodeRow) error {
	if n.Column != "" {
		f.picture.addf("nodes", "%d %d ||| %s", lineage.ID(n.Key, n.Column), lineage.ID(n.Key, ""), n.Column)
		return nil
	}
	k, err := name.ParseKey(n.Key)
	if err != nil {
		return fmt.Errorf("reading the key of a node: %w", err)
	}
	f.picture.addf("nodes", "%d 0 %s|%s|%s| ", lineage.ID(n.Key, ""), k.Family, k.Namespace, k.Name)
	return nil
}

// greatest keeps of each identity in a table the text of the greatest version.
type greatest map[string]struct {
	version uint64
	text    string
}

func (g greatest) putf(id string, version uint64, format string, args ...any) {
	if old := g[id]; version >= old.version {
		old.version, old.text = version, id+fmt.Sprintf(format, args...)
		g[id] = old
	}
}

// latestRows keeps of each identity the row of the greatest version.
func (f *folding) latestRows() {
	edges, mentions, faults, extractions := greatest{}, greatest{}, greatest{}, greatest{}
	owner := func(k lineage.OwnerKey) string {
		return fmt.Sprintf("%d %s %d", name.ID(k.Task), k.Branch, k.Source)
	}
	for _, r := range f.rows.Edges {
		id := fmt.Sprintf("%d %d %d %v %d %d %s o%d", r.FromID(), r.ToID(), r.Level(), r.Direct, r.Origin, name.ID(r.Owner.Task), r.Owner.Branch, r.Opened)
		closedAt := int64(0)
		if r.Closed != 0 {
			closedAt = r.ClosedAt.UnixMilli()
		}
		edges.putf(id, r.Version, " c%d v%d p%d via %d %v %v %d %d %q %q", r.Closed, r.Version, r.Partition, r.Via, r.Unexpanded, r.Statements, r.OpenedAt.UnixMilli(), closedAt, r.Who, r.Why)
	}
	for _, r := range f.rows.Mentions {
		mentions.putf(fmt.Sprintf("%d %s", name.ID(r.Key), owner(r.Owner)), r.Version, " %q %q %v v%d", r.Kind, r.Display, r.Closed, r.Version)
	}
	for _, r := range f.rows.Errors {
		var messages []string
		for _, e := range r.Errors {
			messages = append(messages, fmt.Sprintf("%s %d %d %d %s", e.Kind, e.Statement, e.Line, e.Column, e.Message))
		}
		faults.putf(owner(r.Owner), r.Version, " v%d %s", r.Version, strings.Join(messages, ";"))
	}
	for _, r := range f.rows.Extractions {
		extractions.putf(owner(r.Owner), r.Version, " v%d %q %q %d", r.Version, r.Data.Dialect, r.Data.RunID, len(r.Data.Statements))
	}
	for table, rows := range map[string]greatest{"edges": edges, "mentions": mentions, "errors": faults, "extractions": extractions, "run_events": f.runs} {
		for _, row := range rows {
			f.picture[table] = append(f.picture[table], row.text)
		}
	}
}

// changed says whether a definition differs from the one before it.
func (f *folding) changed(thing, value string) bool {
	if f.latest[thing] == value {
		return false
	}
	f.latest[thing] = value
	return true
}

// late says whether an event of a job spec tells of an older publication than
// one before it.
func (f *folding) late(data any) bool {
	task, position, ok := event.PublicationOf(data)
	thing := task.TaskKey() + " " + task.OnBranch()
	if !ok || position >= f.published[thing] {
		f.published[thing] = max(position, f.published[thing])
		return false
	}
	return true
}

// definition keeps each definition that differs from the one before it.
func (f *folding) definition(data any, rec lineage.Record, value string) {
	if f.late(data) {
		return
	}
	switch d := data.(type) {
	case *event.TaskDefined:
		f.task(d.Task, rec, "defined "+value)
	case *event.TaskRemoved:
		f.task(d.Task, rec, "removed "+value)
	case *event.TaskWithdrawn:
		f.task(d.Task, rec, "withdrawn "+value)
	case *event.TableDefined:
		f.table(d.Dataset, d.DerivedBy, d.Columns, rec, "defined  "+value)
	case *event.TableRemoved:
		f.table(d.Dataset, d.DerivedBy, nil, rec, "removed  "+value)
	case *event.TableRenamed:
		to := d.To
		if to.Namespace == "" {
			to.Namespace = d.Namespace
		}
		f.table(d.Dataset, "", nil, rec, "renamed "+to.NodeKey().String()+" "+value)
	case *event.SourceRegistered:
		f.thing("sources", d.ID, rec, "registered "+value)
	case *event.SourceRemoved:
		f.thing("sources", d.ID, rec, "removed "+value)
	case *event.SourceMerged:
		f.thing("source_mappings", d.ID, rec, fmt.Sprintf("merged %s %s %s %s %v %v %q %q", d.From.Namespace, d.From.Prefix, d.To.Namespace, d.To.Prefix, d.Exact, d.IgnoreCase, d.Who, d.Why))
	case *event.SourceUnmerged:
		f.thing("source_mappings", d.ID, rec, fmt.Sprintf("unmerged     false false %q %q", d.Who, d.Why))
	case *event.RunStarted:
		f.run(d.Run, "running", rec, value)
	case *event.RunCompleted:
		f.run(d.Run, "completed", rec, value)
	case *event.RunFailed:
		f.run(d.Run, "failed", rec, value)
	case *event.RunAborted:
		f.run(d.Run, "aborted", rec, value)
	}
}

func (f *folding) task(t event.Task, rec lineage.Record, told string) {
	if f.changed("task "+t.TaskKey()+" "+t.OnBranch(), told) {
		f.picture.addf("tasks", "%d %s o%d %s", name.ID(t.TaskKey()), t.OnBranch(), rec.Version, told)
	}
}

// table keeps what a dataset looks like. A definition that names no columns
// leaves those that were known.
func (f *folding) table(d event.Dataset, derivedBy string, columns []event.Column, rec lineage.Record, told string) {
	thing := d.NodeKey().String() + " " + d.OnBranch() + " " + derivedBy
	switch {
	case !strings.HasPrefix(told, "defined"):
		delete(f.columns, thing)
	case columns != nil:
		f.columns[thing] = columns
	}
	if !f.changed("table "+thing, told) {
		return
	}
	var names []string
	for _, c := range f.columns[thing] {
		names = append(names, c.Name)
	}
	_, known := f.columns[thing]
	f.picture.addf("table_definitions", "%s %s %q o%d %v (%s) %s", d.NodeKey(), d.OnBranch(), derivedBy, rec.Version, known, strings.Join(names, ","), told)
}

func (f *folding) thing(table, id string, rec lineage.Record, told string) {
	if f.changed(table+" "+id, told) {
		f.picture.addf(table, "%s o%d %s", id, rec.Version, told)
	}
}

func (f *folding) run(r event.Run, state string, rec lineage.Record, value string) {
	f.runs.putf(fmt.Sprintf("%d %s %s", name.ID(r.Task.TaskKey()), r.RunID, state), rec.Version, " v%d %s", rec.Version, value)
}
