// Package audit compares the tables of lineage with a fold of the whole log,
// made in memory and of nothing but the log: what a projector, however often
// it was stopped, killed or moved, must have come to.
package audit

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// Picture is the content of tables as sorted texts, by table.
type Picture map[string][]string

func (p Picture) addf(table, format string, args ...any) {
	p[table] = append(p[table], fmt.Sprintf(format, args...))
}

func (p Picture) sorted() Picture {
	for _, rows := range p {
		sort.Strings(rows)
	}
	return p
}

// Compare gives what differs between the tables and a fold of the log, a line
// each; nothing if they are the same. The log must not grow meanwhile, and all
// of it must have been folded.
func Compare(ctx context.Context, l *log.Client, s *store.Store) ([]string, error) {
	want, err := Expected(ctx, l)
	if err != nil {
		return nil, err
	}
	got, err := Stored(ctx, s)
	if err != nil {
		return nil, err
	}
	return Diff(want, got), nil
}

// Diff gives the rows that only one of the pictures has.
func Diff(want, got Picture) []string {
	var out []string
	tables := map[string]bool{}
	for _, p := range []Picture{want, got} {
		for table := range p {
			tables[table] = true
		}
	}
	for table := range tables {
		out = append(out, only("missing in "+table, want[table], got[table])...)
		out = append(out, only("only in "+table, got[table], want[table])...)
	}
	sort.Strings(out)
	return out
}

// only gives the rows of a that b has not, or has less often. Both are sorted.
func only(label string, a, b []string) []string {
	var out []string
	i := 0
	for _, row := range a {
		for i < len(b) && b[i] < row {
			i++
		}
		if i < len(b) && b[i] == row {
			i++
			continue
		}
		out = append(out, label+": "+row)
	}
	return out
}

// Each calls with every record of a topic, partition after partition.
func Each(ctx context.Context, l *log.Client, topic string, fn func(rec *log.Record, partitions int) error) error {
	ends, err := l.Ends(ctx, topic)
	if err != nil {
		return err
	}
	for p, end := range ends {
		err := l.ReadUntil(ctx, topic, p, 0, end, func(recs []log.Record) error {
			for i := range recs {
				if err := fn(&recs[i], len(ends)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("reading %s/%d: %w", topic, p, err)
		}
	}
	return nil
}

// Unextracted gives the positions of task events that the parser has written
// nothing of; those that cannot be read and manual edges aside.
func Unextracted(ctx context.Context, l *log.Client) ([]string, error) {
	done := map[[2]int64]bool{}
	err := Each(ctx, l, log.TopicLineage, func(rec *log.Record, partitions int) error {
		ev, fault := deadletter.Judge(rec, partitions)
		if x, ok := ev.Data.(*event.LineageExtracted); ok && fault == nil {
			done[[2]int64{int64(x.From.Partition), x.From.Offset}] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []string
	err = Each(ctx, l, log.TopicTasks, func(rec *log.Record, partitions int) error {
		ev, fault := deadletter.Judge(rec, partitions)
		switch ev.Data.(type) {
		case *event.EdgeAdded, *event.EdgeRemoved:
			return nil
		}
		if fault == nil && !done[[2]int64{int64(rec.Partition), rec.Offset}] {
			out = append(out, fmt.Sprintf("%s at %s/%d/%d", ev.Type, rec.Topic, rec.Partition, rec.Offset))
		}
		return nil
	})
	return out, err
}

// Expected folds the whole log in memory, each owner by itself.
func Expected(ctx context.Context, l *log.Client) (Picture, error) {
	f := folded{
		picture: Picture{}, owners: map[lineage.OwnerKey]*lineage.Owner{},
		nodes: map[lineage.NodeRow]bool{}, latest: map[string]string{},
	}
	for _, topic := range []string{log.TopicTasks, log.TopicDefinitions, log.TopicLineage} {
		if err := Each(ctx, l, topic, f.take); err != nil {
			return nil, err
		}
	}
	return f.finish()
}

type folded struct {
	picture Picture
	owners  map[lineage.OwnerKey]*lineage.Owner
	nodes   map[lineage.NodeRow]bool
	latest  map[string]string
	rows    lineage.Rows
}

func (f *folded) take(raw *log.Record, partitions int) error {
	ev, fault := deadletter.Judge(raw, partitions)
	if fault != nil {
		return nil // a dead letter, and no row
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
	f.define(ev.Data, rec, string(raw.Value))
	return nil
}

func (f *folded) finish() (Picture, error) {
	p := f.picture
	for n := range f.nodes {
		if n.Column != "" {
			p.addf("nodes", "%d %d ||| %s", lineage.ID(n.Key, n.Column), lineage.ID(n.Key, ""), n.Column)
			continue
		}
		k, err := name.ParseKey(n.Key)
		if err != nil {
			return nil, err
		}
		p.addf("nodes", "%d 0 %s|%s|%s| ", lineage.ID(n.Key, ""), k.Family, k.Namespace, k.Name)
	}
	f.addRows()
	for _, o := range f.owners {
		if o.Version == 0 {
			continue // only markers
		}
		state, err := o.EncodeState()
		if err != nil {
			return nil, err
		}
		p.addf("owners", "%d %s %d %s p%d v%d s%d from %d/%d def %d parser %d hash %q edges %d %s", name.ID(o.Key.Task), o.Key.Branch, o.Key.Source, o.Key.Task, o.Partition,
			o.Version, o.Status, o.From.Partition, o.From.Offset, o.Order.DefinitionsOffset, o.Order.Parser, o.Hash, len(o.Items), state)
	}
	return p.sorted(), nil
}

// latest keeps of each identity the row of the greatest version.
type latest map[string]struct {
	version uint64
	text    string
}

func (l latest) putf(id string, version uint64, format string, args ...any) {
	if old := l[id]; version >= old.version {
		l[id] = struct {
			version uint64
			text    string
		}{version, id + fmt.Sprintf(format, args...)}
	}
}

func (f *folded) addRows() {
	edges, mentions, errs, extractions := latest{}, latest{}, latest{}, latest{}
	owner := func(k lineage.OwnerKey) string { return fmt.Sprintf("%d %s %d", name.ID(k.Task), k.Branch, k.Source) }
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
		errs.putf(owner(r.Owner), r.Version, " v%d %s", r.Version, strings.Join(messages, ";"))
	}
	for _, r := range f.rows.Extractions {
		extractions.putf(owner(r.Owner), r.Version, " v%d %q %q %d", r.Version, r.Data.Dialect, r.Data.RunID, len(r.Data.Statements))
	}
	for table, rows := range map[string]latest{"edges": edges, "edges_by_target": edges, "mentions": mentions, "sql_errors": errs, "extractions": extractions} {
		for _, row := range rows {
			f.picture.addf(table, "%s", row.text)
		}
	}
}

// define keeps each definition that differs from the one before it.
func (f *folded) define(data any, rec lineage.Record, value string) {
	p := f.picture
	changed := func(thing string) bool {
		if f.latest[thing] == value {
			return false
		}
		f.latest[thing] = value
		return true
	}
	task := func(t event.Task, status int) {
		if status != 1 {
			value = fmt.Sprint(status, " ", value) // what removes and what withdraws have the same data
		}
		if changed("task " + t.TaskKey() + " " + t.OnBranch()) {
			p.addf("tasks", "%d %s o%d s%d", name.ID(t.TaskKey()), t.OnBranch(), rec.Version, status)
		}
	}
	switch d := data.(type) {
	case *event.TaskDefined:
		task(d.Task, 1)
	case *event.TaskRemoved:
		task(d.Task, 2)
	case *event.TaskWithdrawn:
		task(d.Task, 3)
	case *event.TableDefined:
		value = "defined " + value
		if changed("table " + d.NodeKey().String() + " " + d.OnBranch() + " " + d.DerivedBy) {
			p.addf("table_definitions", "%s %s %q o%d s1", d.NodeKey(), d.OnBranch(), d.DerivedBy, rec.Version)
		}
	case *event.TableRemoved:
		if changed("table " + d.NodeKey().String() + " " + d.OnBranch() + " " + d.DerivedBy) {
			p.addf("table_definitions", "%s %s %q o%d s2", d.NodeKey(), d.OnBranch(), d.DerivedBy, rec.Version)
		}
	case *event.SourceRegistered:
		if changed("source " + d.ID) {
			p.addf("sources", "%s o%d %s", d.ID, rec.Version, d.Engine)
		}
	}
}

// Stored reads the picture from the tables.
func Stored(ctx context.Context, s *store.Store) (Picture, error) {
	p := Picture{}
	for table, query := range queries() {
		if err := p.read(ctx, s, table, query); err != nil {
			return nil, fmt.Errorf("reading %s: %w", table, err)
		}
	}
	return p.sorted(), nil
}

func (p Picture) read(ctx context.Context, s *store.Store, table, query string) error {
	rows, err := s.Read().Query(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return err
		}
		p[table] = append(p[table], text)
	}
	return rows.Err()
}

func queries() map[string]string {
	const owner = `toString(owner_id), ' ', branch, ' ', toString(toInt8(source))`
	return map[string]string{
		"nodes":           `SELECT DISTINCT concat(toString(id), ' ', toString(parent_id), ' ', family, '|', namespace, '|', name, '|', if(column = '', ' ', concat(' ', column))) FROM tributary.nodes`,
		"edges":           edgeQuery("edges"),
		"edges_by_target": edgeQuery("edges_by_target"),
		"mentions":        `SELECT concat(toString(node_id), ' ', ` + owner + `, ' "', kind, '" "', display, '" ', if(closed, 'true', 'false'), ' v', toString(version)) FROM tributary.mentions FINAL`,
		"sql_errors": `SELECT concat(` + owner + `, ' v', toString(version), ' ',
			arrayStringConcat(arrayMap((k, n, l, c, m) -> concat(k, ' ', toString(n), ' ', toString(l), ' ', toString(c), ' ', m), kinds, statements, lines, columns, messages), ';')) FROM tributary.sql_errors FINAL`,
		"extractions": `SELECT concat(` + owner + `, ' v', toString(version), ' "', dialect, '" "', run_id, '" ', toString(length(JSONExtractArrayRaw(statements)))) FROM tributary.extractions FINAL`,
		"owners": `SELECT concat(` + owner + `, ' ', task, ' p', toString(partition), ' v', toString(version), ' s', toString(toInt8(status)),
			' from ', toString(from_partition), '/', toString(from_offset), ' def ', toString(definitions_offset), ' parser ', toString(parser), ' hash "', hash, '" edges ', toString(edge_count), ' ', state) FROM tributary.owners FINAL`,
		"tasks":             `SELECT concat(toString(task_id), ' ', branch, ' o', toString(opened), ' s', toString(toInt8(status))) FROM tributary.tasks FINAL`,
		"table_definitions": `SELECT concat(key, ' ', branch, ' "', derived_by, '" o', toString(opened), ' s', toString(toInt8(status))) FROM tributary.table_definitions FINAL`,
		"sources":           `SELECT concat(id, ' o', toString(opened), ' ', engine) FROM tributary.sources FINAL`,
	}
}

func edgeQuery(table string) string {
	return `SELECT concat(toString(from_id), ' ', toString(to_id), ' ', toString(toInt8(level)), ' ', if(direct, 'true', 'false'), ' ', toString(toInt8(origin)), ' ', toString(contributor_id), ' ', branch,
		' o', toString(opened), ' c', toString(closed), ' v', toString(version), ' p', toString(partition), ' via ', toString(via), ' ', if(unexpanded, 'true', 'false'), ' [', arrayStringConcat(arrayMap(s -> toString(s), statements), ' '), '] ',
		toString(toUnixTimestamp64Milli(opened_at)), ' ', toString(toUnixTimestamp64Milli(closed_at)), ' "', who, '" "', why, '"') FROM tributary.` + table + ` FINAL`
}
