package projector_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// picture is the content of the tables as sorted texts, by table.
type picture map[string][]string

func (p picture) add(table, format string, args ...any) {
	p[table] = append(p[table], fmt.Sprintf(format, args...))
}

// readLog gives all records of a topic, partition after partition.
func readLog(t testing.TB, client *log.Client, topic string) []log.Record {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	ends, err := client.Ends(ctx, topic)
	require.NoError(t, err)
	var all []log.Record
	for p, end := range ends {
		require.NoError(t, client.ReadUntil(ctx, topic, p, 0, end, func(recs []log.Record) error {
			all = append(all, recs...)
			return nil
		}))
	}
	return all
}

// expected folds the whole log in memory, each owner by itself, and gives what
// the tables should hold. Of the projector it uses nothing; of the fold, only
// what is proved against a plain reference in its own tests.
func expected(t testing.TB, client *log.Client) picture {
	t.Helper()
	p := picture{}
	owners := map[lineage.OwnerKey]*lineage.Owner{}
	nodes := map[lineage.NodeRow]bool{}
	latest := map[string]string{}
	var rows lineage.Rows
	for _, topic := range []string{log.TopicTasks, log.TopicDefinitions, log.TopicLineage} {
		n, err := client.Partitions(context.Background(), topic)
		require.NoError(t, err)
		for _, raw := range readLog(t, client, topic) {
			ev, fault := deadletter.Judge(&raw, n)
			if fault != nil {
				continue
			}
			rec := lineage.Record{Partition: raw.Partition, Version: event.Version(0, raw.Offset), At: raw.Time, Data: ev.Data}
			for _, row := range lineage.NodesOf(ev.Data) {
				nodes[row] = true
			}
			for _, key := range lineage.OwnersOf(ev.Data) {
				if owners[key] == nil {
					owners[key] = &lineage.Owner{Key: key}
				}
				owners[key].Apply(rec, &rows)
			}
			p.addDefinition(ev.Data, rec, string(raw.Value), latest)
		}
	}
	for n := range nodes {
		p.addNode(t, n)
	}
	p.addRows(rows)
	for _, o := range owners {
		if o.Version == 0 {
			continue // only markers
		}
		state, err := o.EncodeState()
		require.NoError(t, err)
		p.add("owners", "%d %s %d %s p%d v%d s%d from %d/%d def %d parser %d hash %q edges %d %s", name.ID(o.Key.Task), o.Key.Branch, o.Key.Source, o.Key.Task, o.Partition,
			o.Version, o.Status, o.From.Partition, o.From.Offset, o.Order.DefinitionsOffset, o.Order.Parser, o.Hash, len(o.Items), state)
	}
	return p.sorted()
}

func (p picture) sorted() picture {
	for _, rows := range p {
		sort.Strings(rows)
	}
	return p
}

func (p picture) addNode(t testing.TB, n lineage.NodeRow) {
	if n.Column != "" {
		p.add("nodes", "%d %d ||| %s", lineage.ID(n.Key, n.Column), lineage.ID(n.Key, ""), n.Column)
		return
	}
	k, err := name.ParseKey(n.Key)
	require.NoError(t, err)
	p.add("nodes", "%d 0 %s|%s|%s| ", lineage.ID(n.Key, ""), k.Family, k.Namespace, k.Name)
}

// addRows keeps of each identity the row of the greatest version.
func (p picture) addRows(rows lineage.Rows) {
	type version struct {
		v    uint64
		text string
	}
	tables := map[string]map[string]version{"edges": {}, "mentions": {}, "errors": {}, "extractions": {}}
	put := func(table, id string, v uint64, format string, args ...any) {
		if old := tables[table][id]; v >= old.v {
			tables[table][id] = version{v, id + fmt.Sprintf(format, args...)}
		}
	}
	for _, r := range rows.Edges {
		id := fmt.Sprintf("%d %d %d %v %d %d %s o%d", r.FromID(), r.ToID(), r.Level(), r.Direct, r.Origin, name.ID(r.Owner.Task), r.Owner.Branch, r.Opened)
		closedAt := int64(0)
		if r.Closed != 0 {
			closedAt = r.ClosedAt.UnixMilli()
		}
		put("edges", id, r.Version, " c%d v%d p%d via %d %v %v %d %d %q %q", r.Closed, r.Version, r.Partition, r.Via, r.Unexpanded, r.Statements, r.OpenedAt.UnixMilli(), closedAt, r.Who, r.Why)
	}
	for _, r := range rows.Mentions {
		put("mentions", fmt.Sprintf("%d %d %s %d", name.ID(r.Key), name.ID(r.Owner.Task), r.Owner.Branch, r.Owner.Source), r.Version, " %q %q %v v%d", r.Kind, r.Display, r.Closed, r.Version)
	}
	for _, r := range rows.Errors {
		var messages []string
		for _, e := range r.Errors {
			messages = append(messages, fmt.Sprintf("%s %d %d %d %s", e.Kind, e.Statement, e.Line, e.Column, e.Message))
		}
		put("errors", fmt.Sprintf("%d %s %d", name.ID(r.Owner.Task), r.Owner.Branch, r.Owner.Source), r.Version, " v%d %s", r.Version, strings.Join(messages, ";"))
	}
	for _, r := range rows.Extractions {
		put("extractions", fmt.Sprintf("%d %s %d", name.ID(r.Owner.Task), r.Owner.Branch, r.Owner.Source), r.Version, " v%d %q %q %d", r.Version, r.Data.Dialect, r.Data.RunID, len(r.Data.Statements))
	}
	for table, ids := range tables {
		for _, row := range ids {
			p.add(table, "%s", row.text)
		}
	}
}

// addDefinition keeps each definition that differs from the one before it.
func (p picture) addDefinition(data any, rec lineage.Record, value string, latest map[string]string) {
	changed := func(thing string) bool {
		if latest[thing] == value {
			return false
		}
		latest[thing] = value
		return true
	}
	task := func(t event.Task, status int) {
		if changed("task " + t.TaskKey() + " " + t.OnBranch()) {
			p.add("tasks", "%d %s o%d s%d %s", name.ID(t.TaskKey()), t.OnBranch(), rec.Version, status, value)
		}
	}
	switch d := data.(type) {
	case *event.TaskDefined:
		task(d.Task, 1)
	case *event.TaskRemoved:
		value = "removed " + value
		task(d.Task, 2)
	case *event.TaskWithdrawn:
		value = "withdrawn " + value
		task(d.Task, 3)
	case *event.TableDefined:
		if changed("table " + d.NodeKey().String() + " " + d.OnBranch() + " " + d.DerivedBy) {
			p.add("table_definitions", "%s %s %q o%d", d.NodeKey(), d.OnBranch(), d.DerivedBy, rec.Version)
		}
	case *event.SourceRegistered:
		if changed("source " + d.ID) {
			p.add("sources", "%s o%d %s", d.ID, rec.Version, d.Engine)
		}
	}
}

// stored reads the same picture from the tables.
func stored(t testing.TB, s *store.Store) picture {
	t.Helper()
	p := picture{}
	for table, query := range map[string]string{
		"nodes": `SELECT concat(toString(id), ' ', toString(parent_id), ' ', family, '|', namespace, '|', name, '|', if(column = '', ' ', concat(' ', column))) FROM tributary.nodes FINAL`,
		"edges": edgeText("edges"), "edges_by_target": edgeText("edges_by_target"),
		"mentions": `SELECT concat(toString(node_id), ' ', toString(owner_id), ' ', branch, ' ', toString(toInt8(source)), ' "', kind, '" "', display, '" ', if(closed, 'true', 'false'), ' v', toString(version)) FROM tributary.mentions FINAL`,
		"errors": `SELECT concat(toString(owner_id), ' ', branch, ' ', toString(toInt8(source)), ' v', toString(version), ' ',
			arrayStringConcat(arrayMap((k, n, l, c, m) -> concat(k, ' ', toString(n), ' ', toString(l), ' ', toString(c), ' ', m), kinds, statements, lines, columns, messages), ';')) FROM tributary.sql_errors FINAL`,
		"extractions": `SELECT concat(toString(owner_id), ' ', branch, ' ', toString(toInt8(source)), ' v', toString(version), ' "', dialect, '" "', run_id, '" ', toString(length(JSONExtractArrayRaw(statements)))) FROM tributary.extractions FINAL`,
		"owners": `SELECT concat(toString(owner_id), ' ', branch, ' ', toString(toInt8(source)), ' ', task, ' p', toString(partition), ' v', toString(version), ' s', toString(toInt8(status)),
			' from ', toString(from_partition), '/', toString(from_offset), ' def ', toString(definitions_offset), ' parser ', toString(parser), ' hash "', hash, '" edges ', toString(edge_count), ' ', state) FROM tributary.owners FINAL`,
		"tasks":             `SELECT concat(toString(task_id), ' ', branch, ' o', toString(opened), ' s', toString(toInt8(status)), ' ', multiIf(status = 'removed', 'removed ', status = 'withdrawn', 'withdrawn ', ''), definition) FROM tributary.tasks FINAL`,
		"table_definitions": `SELECT concat(key, ' ', branch, ' "', derived_by, '" o', toString(opened)) FROM tributary.table_definitions FINAL`,
		"sources":           `SELECT concat(id, ' o', toString(opened), ' ', engine) FROM tributary.sources FINAL`,
	} {
		rows, err := s.Read().Query(context.Background(), query)
		require.NoError(t, err, table)
		for rows.Next() {
			var text string
			require.NoError(t, rows.Scan(&text))
			p[table] = append(p[table], text)
		}
		require.NoError(t, rows.Err())
		require.NoError(t, rows.Close())
	}
	p.sorted()
	require.Equal(t, p["edges"], p["edges_by_target"], "both tables have the same rows")
	delete(p, "edges_by_target")
	return p
}

func edgeText(table string) string {
	return `SELECT concat(toString(from_id), ' ', toString(to_id), ' ', toString(toInt8(level)), ' ', if(direct, 'true', 'false'), ' ', toString(toInt8(origin)), ' ', toString(contributor_id), ' ', branch,
		' o', toString(opened), ' c', toString(closed), ' v', toString(version), ' p', toString(partition), ' via ', toString(via), ' ', if(unexpanded, 'true', 'false'), ' [', arrayStringConcat(arrayMap(s -> toString(s), statements), ' '), '] ',
		toString(toUnixTimestamp64Milli(opened_at)), ' ', toString(toUnixTimestamp64Milli(closed_at)), ' "', who, '" "', why, '"') FROM tributary.` + table + ` FINAL`
}

// requireAudit compares the tables with a fold of the whole log.
func requireAudit(t testing.TB, client *log.Client, s *store.Store) {
	t.Helper()
	requireSame(t, expected(t, client), stored(t, s))
}

// requireSame fails with the rows that only one of the pictures has.
func requireSame(t testing.TB, want, got picture) {
	t.Helper()
	for table := range want {
		if _, ok := got[table]; !ok {
			got[table] = nil
		}
	}
	var faults []string
	for table, rows := range got {
		for _, r := range rows {
			if _, ok := slices.BinarySearch(want[table], r); !ok {
				faults = append(faults, "only in "+table+": "+r)
			}
		}
		for _, r := range want[table] {
			if _, ok := slices.BinarySearch(rows, r); !ok {
				faults = append(faults, "missing in "+table+": "+r)
			}
		}
		if len(rows) != len(want[table]) {
			faults = append(faults, fmt.Sprintf("%s has %d rows, not %d", table, len(rows), len(want[table])))
		}
	}
	sort.Strings(faults)
	require.Empty(t, strings.Join(faults[:min(len(faults), 12)], "\n"))
}

// records encodes events as records of the log.
func records(t testing.TB, events ...event.Event) []log.Record {
	t.Helper()
	out := make([]log.Record, len(events))
	for i, ev := range events {
		rec, err := event.Encode(ev)
		require.NoError(t, err)
		out[i] = log.Record{Topic: rec.Topic, Key: rec.Key, Value: rec.Value}
		for _, h := range rec.Headers {
			out[i].Headers = append(out[i].Headers, log.Header(h))
		}
	}
	return out
}

// story draws events of all kinds that the projector folds.
type story struct {
	*rand.Rand
	n int
}

func newStory(seed uint64) *story { return &story{Rand: rand.New(rand.NewPCG(seed, 1))} }

func (s *story) events(n int) []event.Event {
	out := make([]event.Event, n)
	for i := range out {
		s.n++
		out[i] = event.Event{ID: fmt.Sprint(s.n), Source: "story", Time: time.UnixMilli(int64(1_700_000_000_000 + s.n)).UTC()}
		out[i].Type, out[i].Data = s.data()
	}
	return out
}

func (s *story) task() event.Task {
	t := event.Task{ID: fmt.Sprintf("task%d", s.IntN(30))}
	if s.IntN(5) == 0 {
		t.Branch = "dev"
	}
	return t
}

func (s *story) table() string { return fmt.Sprintf("dataset|mysql://h:3306|db.t%d", s.IntN(12)) }

func (s *story) data() (string, any) {
	switch s.IntN(12) {
	case 0:
		return event.TypeTaskDefined, &event.TaskDefined{Task: s.task(), SQL: fmt.Sprintf("INSERT INTO t%d SELECT 1", s.IntN(3)), Labels: map[string]string{"team": "shop"}}
	case 1:
		return event.TypeTaskRemoved, &event.TaskRemoved{Task: s.task()}
	case 2:
		return event.TypeTableDefined, &event.TableDefined{
			Dataset: event.Dataset{Namespace: "mysql://h", Name: fmt.Sprintf("db.t%d", s.IntN(12))}, Kind: "table",
			Columns: []event.Column{{Name: "id", Type: "bigint"}, {Name: fmt.Sprintf("c%d", s.IntN(3)), Masked: true}},
		}
	case 3, 4:
		e := event.Edge{From: event.Ref{Namespace: "mysql://h", Name: fmt.Sprintf("db.t%d", s.IntN(4))}, To: event.Ref{Namespace: "mysql://h", Name: fmt.Sprintf("db.t%d", s.IntN(4))}, Who: "ann", Why: "known"}
		if s.IntN(2) == 0 {
			e.FromColumn, e.ToColumn = "a", fmt.Sprintf("c%d", s.IntN(2))
		}
		if s.IntN(3) == 0 {
			return event.TypeEdgeRemoved, &event.EdgeRemoved{Edge: e}
		}
		return event.TypeEdgeAdded, &event.EdgeAdded{Edge: e}
	case 5:
		return event.TypeRunCompleted, &event.RunCompleted{Run: event.Run{RunID: fmt.Sprint("r", s.IntN(9)), Task: s.task()}}
	case 6:
		return event.TypeSourceRegistered, &event.SourceRegistered{ID: fmt.Sprint("s", s.IntN(3)), Engine: "mysql", Addresses: []string{"mysql://h"}}
	}
	return event.TypeLineageExtracted, s.extraction()
}

func (s *story) extraction() *event.LineageExtracted {
	x := &event.LineageExtracted{
		Task: s.task(), Kind: "batch", Result: event.ResultExtracted, Part: 1, Parts: 1, Parser: 1, Origin: event.OriginParsed, Dialect: "mysql",
		From: event.Position{Partition: s.IntN(4), Offset: int64(s.n/2 + s.IntN(6))}, Definitions: event.Position{Offset: int64(s.IntN(3))},
	}
	switch s.IntN(10) {
	case 0:
		x.Result = event.ResultUnchanged
		return x
	case 1:
		x.Result = event.ResultRemoved
		return x
	case 2:
		x.Origin, x.RunID = event.OriginObserved, fmt.Sprint("r", s.IntN(4))
		x.Observed = &event.Observed{State: event.RunStateCompleted, Inputs: []string{s.table()}, Outputs: []string{s.table()}}
	case 3:
		x.Parts, x.Part = 2, 1+s.IntN(2)
	}
	for range s.IntN(6) {
		e := event.LineageEdge{From: s.table(), To: s.table(), Direct: true, Statements: []int{1 + s.IntN(3)}}
		if s.IntN(2) == 0 {
			e.FromColumn, e.ToColumn, e.Via = "a", fmt.Sprintf("c%d", s.IntN(3)), []string{event.ViaIdentity}
		}
		x.Edges = append(x.Edges, e)
	}
	x.Nodes = []event.Node{{Key: s.table(), Kind: []string{"", "view", "topic"}[s.IntN(3)]}}
	x.Statements = slices.Repeat([]event.Statement{{N: 1, Line: 1, Kind: "insert"}}, s.IntN(3))
	x.Uses = []event.Use{{Key: s.table(), Found: true, ColumnsHash: "1"}}
	if s.IntN(4) == 0 {
		x.Errors = []event.SQLError{{Kind: "syntax", Statement: 2, Line: 3, Column: 4, Message: "expected a table"}}
	}
	return x
}
