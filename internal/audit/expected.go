package audit

import (
	"context"
	"fmt"
	"strings"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/deadletter"
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
	}
	for _, topic := range []string{log.TopicTasks, log.TopicDefinitions, log.TopicLineage} {
		n, err := client.Partitions(ctx, topic)
		if err != nil {
			return nil, err
		}
		recs, err := ReadAll(ctx, client, topic)
		if err != nil {
			return nil, err
		}
		for i := range recs {
			f.record(&recs[i], n)
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
}

func (f *folding) record(raw *log.Record, partitions int) {
	ev, fault := deadletter.Judge(raw, partitions)
	if fault != nil {
		return
	}
	rec := lineage.Record{Partition: raw.Partition, Version: event.Version(0, raw.Offset), At: raw.Time, Data: ev.Data}
	for _, row := range lineage.NodesOf(ev.Data) {
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
		f.picture.add("owners", "%d %s %d %s p%d v%d s%d from %d/%d def %d parser %d hash %q edges %d %s", name.ID(o.Key.Task), o.Key.Branch, o.Key.Source, o.Key.Task, o.Partition,
			o.Version, o.Status, o.From.Partition, o.From.Offset, o.Order.DefinitionsOffset, o.Order.Parser, o.Hash, len(o.Items), state)
	}
	return f.picture.sorted(), nil
}

func (f *folding) node(n lineage.NodeRow) error {
	if n.Column != "" {
		f.picture.add("nodes", "%d %d ||| %s", lineage.ID(n.Key, n.Column), lineage.ID(n.Key, ""), n.Column)
		return nil
	}
	k, err := name.ParseKey(n.Key)
	if err != nil {
		return fmt.Errorf("reading the key of a node: %w", err)
	}
	f.picture.add("nodes", "%d 0 %s|%s|%s| ", lineage.ID(n.Key, ""), k.Family, k.Namespace, k.Name)
	return nil
}

// greatest keeps of each identity in a table the text of the greatest version.
type greatest map[string]struct {
	version uint64
	text    string
}

func (g greatest) put(id string, version uint64, format string, args ...any) {
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
		edges.put(id, r.Version, " c%d v%d p%d via %d %v %v %d %d %q %q", r.Closed, r.Version, r.Partition, r.Via, r.Unexpanded, r.Statements, r.OpenedAt.UnixMilli(), closedAt, r.Who, r.Why)
	}
	for _, r := range f.rows.Mentions {
		mentions.put(fmt.Sprintf("%d %s", name.ID(r.Key), owner(r.Owner)), r.Version, " %q %q %v v%d", r.Kind, r.Display, r.Closed, r.Version)
	}
	for _, r := range f.rows.Errors {
		var messages []string
		for _, e := range r.Errors {
			messages = append(messages, fmt.Sprintf("%s %d %d %d %s", e.Kind, e.Statement, e.Line, e.Column, e.Message))
		}
		faults.put(owner(r.Owner), r.Version, " v%d %s", r.Version, strings.Join(messages, ";"))
	}
	for _, r := range f.rows.Extractions {
		extractions.put(owner(r.Owner), r.Version, " v%d %q %q %d", r.Version, r.Data.Dialect, r.Data.RunID, len(r.Data.Statements))
	}
	for table, rows := range map[string]greatest{"edges": edges, "mentions": mentions, "errors": faults, "extractions": extractions} {
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

// definition keeps each definition that differs from the one before it.
func (f *folding) definition(data any, rec lineage.Record, value string) {
	task := func(t event.Task, status int, value string) {
		if f.changed("task "+t.TaskKey()+" "+t.OnBranch(), value) {
			f.picture.add("tasks", "%d %s o%d s%d %s", name.ID(t.TaskKey()), t.OnBranch(), rec.Version, status, value)
		}
	}
	switch d := data.(type) {
	case *event.TaskDefined:
		task(d.Task, 1, value)
	case *event.TaskRemoved:
		task(d.Task, 2, "removed "+value)
	case *event.TaskWithdrawn:
		task(d.Task, 3, "withdrawn "+value)
	case *event.TableDefined:
		if f.changed("table "+d.NodeKey().String()+" "+d.OnBranch()+" "+d.DerivedBy, value) {
			f.picture.add("table_definitions", "%s %s %q o%d", d.NodeKey(), d.OnBranch(), d.DerivedBy, rec.Version)
		}
	case *event.SourceRegistered:
		if f.changed("source "+d.ID, value) {
			f.picture.add("sources", "%s o%d %s", d.ID, rec.Version, d.Engine)
		}
	}
}
