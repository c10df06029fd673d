package history

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/lineage/api"
	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// maxPast bounds the edges of a past graph that one question may load.
const maxPast = 2_000_000

// PastGraph gives the part of the graph that a question needs as of a time or
// position. Edges are looked up hop by hop on sorted keys, with what was seen
// kept here; the answer then comes from the same code as for now.
func (s *Store) PastGraph(ctx context.Context, scope api.Scope) (*graph.Snapshot, error) {
	cut, err := s.cutOf(ctx, scope.At)
	if err != nil {
		return nil, err
	}
	p := &past{
		Store: s, ctx: ctx, scope: scope, cut: cut, names: map[uint64]named{}, seen: map[uint64]bool{}, rows: map[rowKey]pastRow{},
		definitions: lineage.NewDefinitions(),
	}
	if err := p.loadRules(); err != nil {
		return nil, err
	}
	if err := p.walk(); err != nil {
		return nil, err
	}
	return p.build()
}

// cut is a place in the log: for each topic, the version of each partition's
// last record that counts.
type cut struct {
	versions map[string][]uint64
	position graph.Position
}

// cutOf reads a time or a position. Of topics that a position does not name,
// everything counts.
func (s *Store) cutOf(ctx context.Context, at string) (cut, error) {
	position, err := graph.ParsePosition(at)
	if t, timeErr := time.Parse(time.RFC3339Nano, at); timeErr == nil {
		position, err = s.positionAt(ctx, t)
	}
	if err != nil {
		return cut{}, fmt.Errorf("%w: %w", api.ErrAsOf, err)
	}
	c := cut{versions: map[string][]uint64{}, position: position}
	for _, topic := range []string{log.TopicLineage, log.TopicTasks, log.TopicDefinitions} {
		for _, next := range position[topic] {
			c.versions[topic] = append(c.versions[topic], event.Version(s.generations[topic], next-1))
		}
	}
	return c, nil
}

// positionAt gives, for each partition, the offset after the last record that
// was appended by a time.
func (s *Store) positionAt(ctx context.Context, t time.Time) (graph.Position, error) {
	if s.log == nil {
		return nil, errors.New("this process does not read the log, so it knows positions only")
	}
	p := graph.Position{}
	for _, topic := range []string{log.TopicLineage, log.TopicTasks, log.TopicDefinitions} {
		// The first offset that is later than t is where what counts ends.
		offsets, err := s.log.OffsetsAt(ctx, topic, t.Add(time.Millisecond))
		if err != nil {
			return nil, fmt.Errorf("finding the offsets of %s at %s: %w", topic, t, err)
		}
		p[topic] = offsets
	}
	return p, nil
}

// named is a node, or with column one of its columns.
type named struct {
	key, column string
	node        uint64
}

// String gives the node's key, or that of the column.
func (n named) String() string {
	if n.column == "" {
		return n.key
	}
	return name.ColumnKey(n.key, n.column)
}

// rowKey tells edge rows apart.
type rowKey struct {
	from, to, contributor uint64
	branch                string
	column, direct        bool
	origin                lineage.Origin
}

type pastRow struct {
	via        lineage.Via
	unexpanded bool
	statements []uint32
	who, why   string
	at         time.Time
}

// past is one past graph being put together.
type past struct {
	*Store
	ctx         context.Context //nolint:containedctx // lives as long as its question
	scope       api.Scope
	cut         cut
	definitions *lineage.Definitions
	registered  []event.SourceRegistered
	mappings    []event.SourceMerged
	// spelled are the names that a mapping without regard to case applies to
	// though it writes their beginning in another case: by the mapping's id,
	// then by what follows its prefix.
	spelled map[string]map[string][]string
	names   map[uint64]named
	seen    map[uint64]bool // ids whose edges were asked for, in any direction
	rows    map[rowKey]pastRow
}

// walk follows edges from the keys of the scope, each way as deep as asked,
// and then asks for the edges of everything reached once more on both sides,
// which says how many neighbours each has in all. Without keys it reads
// everything.
func (p *past) walk() error {
	if len(p.scope.Keys) == 0 {
		return p.everything()
	}
	start := map[uint64]bool{}
	for _, key := range p.scope.Keys {
		for _, alias := range p.aliases(key) {
			start[taskID(alias)] = true
			p.names[taskID(alias)] = named{key: alias, node: taskID(alias)}
		}
	}
	// They are known, but other names may have their ids.
	if _, err := p.learn(slices.Collect(maps.Keys(start))); err != nil {
		return err
	}
	reached := maps.Clone(start)
	for _, up := range []bool{true, false} {
		if up && !p.scope.Up || !up && !p.scope.Down {
			continue
		}
		if err := p.follow(start, up, reached); err != nil {
			return err
		}
	}
	for _, up := range []bool{true, false} {
		if _, err := p.hop(reached, up); err != nil {
			return err
		}
	}
	return nil
}

// everything reads all edges.
func (p *past) everything() error {
	rows, err := p.edges("edges", "true", nil)
	if err != nil {
		return err
	}
	ends := make(map[uint64]bool, len(rows))
	for k := range rows {
		ends[k.from], ends[k.to] = true, true
	}
	_, err = p.nodesOf(ends)
	return err
}

// follow walks one way, node by node: at column level too, all columns of a
// node are followed, which reaches at least what is asked for.
func (p *past) follow(start map[uint64]bool, up bool, reached map[uint64]bool) error {
	frontier, err := p.withTasks(start)
	if err != nil {
		return err
	}
	maps.Copy(reached, frontier)
	seen := maps.Clone(frontier)
	for d := 0; len(frontier) > 0 && (p.scope.Depth == graph.Unlimited || d < p.scope.Depth); d++ {
		next, err := p.hop(frontier, up)
		if err != nil {
			return err
		}
		frontier = map[uint64]bool{}
		for id := range next {
			if !seen[id] {
				seen[id], reached[id], frontier[id] = true, true, true
			}
		}
	}
	return nil
}

// withTasks adds the ends of the tasks among the start: a task stands for its
// statements.
func (p *past) withTasks(start map[uint64]bool) (map[uint64]bool, error) {
	out := maps.Clone(start)
	var tasks []uint64
	for id := range start {
		if task, ok := recordsKey(p.names[id].key); ok {
			tasks = append(tasks, taskID(task))
		}
	}
	if len(tasks) == 0 {
		return out, nil
	}
	rows, err := p.edges("edges", "contributor_id IN {ids:Array(UInt64)}", tasks)
	if err != nil {
		return nil, err
	}
	for k := range rows {
		out[k.from], out[k.to] = true, true
	}
	return p.nodesOf(out)
}

// recordsKey gives the key of a task's records from that of its node.
func recordsKey(nodeKey string) (string, bool) {
	family, task, _ := strings.Cut(nodeKey, "|")
	return task, family != name.FamilyDataset && family != ""
}

// hop reads the edges of nodes on one side, and gives the nodes at the other
// ends, with all names under which each is known.
func (p *past) hop(nodes map[uint64]bool, up bool) (map[uint64]bool, error) {
	ids, err := p.withColumns(nodes)
	if err != nil {
		return nil, err
	}
	table, where := "edges", "from_id IN {ids:Array(UInt64)}"
	if up {
		table, where = "edges_by_target", "to_id IN {ids:Array(UInt64)}"
	}
	ends := map[uint64]bool{}
	for chunk := range slices.Chunk(ids, 5000) {
		rows, err := p.edges(table, where, chunk)
		if err != nil {
			return nil, err
		}
		for k := range rows {
			ends[k.from], ends[k.to] = true, true
		}
	}
	next, err := p.nodesOf(ends)
	if err != nil {
		return nil, err
	}
	for id := range maps.Clone(next) {
		for _, alias := range p.aliases(p.names[id].key) {
			if a := taskID(alias); !next[a] {
				next[a], p.names[a] = true, named{key: alias, node: a}
			}
		}
	}
	return next, nil
}

// withColumns gives the ids of nodes, and at column level those of all their
// columns.
func (p *past) withColumns(nodes map[uint64]bool) ([]uint64, error) {
	ids := slices.Sorted(maps.Keys(nodes))
	if !p.scope.ByColumn || len(ids) == 0 {
		return ids, nil
	}
	out := slices.Clone(ids)
	err := p.each(p.ctx, "looking up columns", `SELECT DISTINCT id, parent_id, column FROM tributary.nodes WHERE parent_id IN {ids:Array(UInt64)}`,
		args("ids", ids), func(rows driver.Rows) error {
			var id, node uint64
			var column string
			if err := rows.Scan(&id, &node, &column); err != nil {
				return err
			}
			out = append(out, id)
			p.names[id] = named{key: p.names[node].key, column: column, node: node}
			return nil
		})
	return out, err
}

// nodesOf gives the nodes of ids, which may be columns, and learns their
// names.
func (p *past) nodesOf(ids map[uint64]bool) (map[uint64]bool, error) {
	var unknown []uint64
	for id := range ids {
		if _, ok := p.names[id]; !ok {
			unknown = append(unknown, id)
		}
	}
	for len(unknown) > 0 {
		parents, err := p.learn(unknown)
		if err != nil {
			return nil, err
		}
		unknown = parents
	}
	out := map[uint64]bool{}
	for id := range ids {
		n, ok := p.names[id]
		if !ok {
			continue
		}
		if n.key == "" {
			n.key = p.names[n.node].key
			p.names[id] = n
		}
		out[n.node] = true
	}
	return out, nil
}

// learn looks names up, and gives the nodes of columns whose own names are
// not known yet. Errors wrap graph.ErrCollision if two names have one id: rows
// do not say then which of them is meant.
func (p *past) learn(ids []uint64) (parents []uint64, err error) {
	missing := map[uint64]bool{}
	for chunk := range slices.Chunk(ids, 5000) {
		err := p.each(p.ctx, "looking up names", `SELECT DISTINCT id, parent_id, family, namespace, name, column FROM tributary.nodes WHERE id IN {ids:Array(UInt64)}`,
			args("ids", chunk), func(rows driver.Rows) error {
				var id, parent uint64
				var k name.Key
				var column string
				if err := rows.Scan(&id, &parent, &k.Family, &k.Namespace, &k.Name, &column); err != nil {
					return err
				}
				n := named{key: k.String(), node: id}
				if parent != 0 {
					n = named{key: p.names[parent].key, column: column, node: parent}
				}
				if known, ok := p.names[id]; ok && (known.node != n.node || known.column != column || parent == 0 && known.key != n.key) {
					return fmt.Errorf("%w: %s and %s", graph.ErrCollision, known, n)
				}
				p.names[id] = n
				if parent == 0 {
					return nil
				}
				if _, ok := p.names[parent]; !ok {
					missing[parent] = true
				}
				return nil
			})
		if err != nil {
			return nil, err
		}
	}
	return slices.Collect(maps.Keys(missing)), nil
}

// edges reads the edges that were there, as far as they match.
func (p *past) edges(table, where string, ids []uint64) (map[rowKey]pastRow, error) {
	level := "level = 'table'"
	if p.scope.ByColumn {
		level = "true"
	}
	out := map[rowKey]pastRow{}
	query := `
		SELECT from_id, to_id, level = 'column', direct, toUInt8(origin) AS o, contributor_id, branch,
			argMax(e.via, version), argMax(e.unexpanded, version), argMax(e.statements, version), argMax(e.who, version), argMax(e.why, version), argMax(e.opened_at, version)
		FROM
		(
			SELECT *, if(origin = 'manual', {tasks:Array(UInt64)}[partition + 1], {lineage:Array(UInt64)}[partition + 1]) AS cut,
				if(origin = 'manual', empty({tasks:Array(UInt64)}), empty({lineage:Array(UInt64)})) AS everything
			FROM tributary.` + table + `
			WHERE ` + where + ` AND ` + level + ` AND branch IN {chain:Array(String)} AND (everything OR opened <= cut)
		) AS e
		GROUP BY from_id, to_id, level, direct, o, contributor_id, branch, opened
		HAVING max(closed) = 0 OR (NOT any(everything) AND max(closed) > any(cut))`
	err := p.each(p.ctx, "looking up past edges", query,
		args("ids", ids, "chain", p.scope.Chain, "tasks", p.cut.versions[log.TopicTasks], "lineage", p.cut.versions[log.TopicLineage]), func(rows driver.Rows) error {
			var k rowKey
			var r pastRow
			var origin uint8
			var via uint16
			if err := rows.Scan(&k.from, &k.to, &k.column, &k.direct, &origin, &k.contributor, &k.branch, &via, &r.unexpanded, &r.statements, &r.who, &r.why, &r.at); err != nil {
				return err
			}
			k.origin, r.via = lineage.Origin(origin), lineage.Via(via)
			out[k], p.rows[k] = r, r
			if len(p.rows) > maxPast {
				return fmt.Errorf("%w (%d edges are allowed)", api.ErrTooLarge, maxPast)
			}
			return nil
		})
	return out, err
}

// loadRules folds the sources and mappings up to the cut.
func (p *past) loadRules() error {
	type change struct {
		version uint64
		data    any
	}
	var changes []change
	last := p.lastDefinition()
	err := p.each(p.ctx, "looking up sources", `SELECT id, opened, status = 'registered', definition FROM tributary.sources WHERE opened <= {last:UInt64}`,
		args("last", last), func(rows driver.Rows) error {
			var id, definition string
			var version uint64
			var there bool
			if err := rows.Scan(&id, &version, &there, &definition); err != nil {
				return err
			}
			if !there {
				changes = append(changes, change{version, &event.SourceRemoved{ID: id}})
				return nil
			}
			e := &event.SourceRegistered{}
			changes = append(changes, change{version, e})
			return json.Unmarshal([]byte(definition), e)
		})
	if err != nil {
		return err
	}
	err = p.each(p.ctx, "looking up mappings", `
		SELECT id, opened, status = 'merged', from_namespace, from_prefix, to_namespace, to_prefix, exact, ignore_case
		FROM tributary.source_mappings WHERE opened <= {last:UInt64}`, args("last", last), func(rows driver.Rows) error {
		e := &event.SourceMerged{}
		var version uint64
		var there bool
		if err := rows.Scan(&e.ID, &version, &there, &e.From.Namespace, &e.From.Prefix, &e.To.Namespace, &e.To.Prefix, &e.Exact, &e.IgnoreCase); err != nil {
			return err
		}
		if there {
			changes = append(changes, change{version, e})
		} else {
			changes = append(changes, change{version, &event.SourceUnmerged{ID: e.ID}})
		}
		return nil
	})
	slices.SortFunc(changes, func(a, b change) int {
		if a.version < b.version {
			return -1
		}
		return 1
	})
	for _, c := range changes {
		p.definitions.Apply(c.version, c.data)
		p.noteRule(c.data)
	}
	if err != nil {
		return err
	}
	return p.loadSpelled()
}

// loadSpelled reads the names that differ in case from a mapping which takes
// no regard to it.
func (p *past) loadSpelled() error {
	p.spelled = map[string]map[string][]string{}
	var prefixes []string
	for i := range p.mappings {
		if p.mappings[i].IgnoreCase {
			prefixes = append(prefixes, p.mappings[i].From.Prefix)
		}
	}
	if len(prefixes) == 0 {
		return nil
	}
	return p.each(p.ctx, "looking up names in other cases", `
		SELECT DISTINCT name FROM tributary.nodes
		WHERE parent_id = 0 AND family = 'dataset' AND arrayExists(x -> startsWith(lowerUTF8(name), lowerUTF8(x)) AND NOT startsWith(name, x), {prefixes:Array(String)})`,
		args("prefixes", prefixes), func(rows driver.Rows) error {
			var n string
			if err := rows.Scan(&n); err != nil {
				return err
			}
			for i := range p.mappings {
				m := &p.mappings[i]
				size := len(m.From.Prefix)
				if !m.IgnoreCase || len(n) < size || !strings.EqualFold(n[:size], m.From.Prefix) {
					continue
				}
				if p.spelled[m.ID] == nil {
					p.spelled[m.ID] = map[string][]string{}
				}
				p.spelled[m.ID][n[size:]] = append(p.spelled[m.ID][n[size:]], n)
			}
			return nil
		})
}

func (p *past) noteRule(data any) {
	switch e := data.(type) {
	case *event.SourceRegistered:
		p.registered = append(slices.DeleteFunc(p.registered, func(s event.SourceRegistered) bool { return s.ID == e.ID }), *e)
	case *event.SourceRemoved:
		p.registered = slices.DeleteFunc(p.registered, func(s event.SourceRegistered) bool { return s.ID == e.ID })
	case *event.SourceMerged:
		p.mappings = append(slices.DeleteFunc(p.mappings, func(m event.SourceMerged) bool { return m.ID == e.ID }), *e)
	case *event.SourceUnmerged:
		p.mappings = slices.DeleteFunc(p.mappings, func(m event.SourceMerged) bool { return m.ID == e.ID })
	}
}

func (p *past) lastDefinition() uint64 {
	if v := p.cut.versions[log.TopicDefinitions]; len(v) > 0 {
		return v[0]
	}
	return ^uint64(0)
}

// aliases gives the keys that are one with a key: those that its sources'
// addresses and the mappings into its place lead from.
func (p *past) aliases(key string) []string {
	canonical := p.definitions.Canonical(key)
	out := []string{key}
	if canonical != key {
		out = append(out, canonical)
	}
	for i := 0; i < len(out) && len(out) < maxAliases; i++ {
		k, err := name.ParseKey(out[i])
		if err != nil || k.Family != name.FamilyDataset {
			continue
		}
		for _, candidate := range p.before(k) {
			if text := candidate.String(); !slices.Contains(out, text) && p.definitions.Canonical(text) == canonical {
				out = append(out, text)
			}
		}
	}
	return out
}

// maxAliases bounds the names of one dataset.
const maxAliases = 256

// before gives keys that one rule may lead from to a key.
func (p *past) before(k name.Key) []name.Key {
	var out []name.Key
	for _, s := range p.registered {
		spaces := []string{s.ID}
		for _, a := range s.Addresses {
			spaces = append(spaces, name.Namespace(a))
		}
		if slices.Contains(spaces, k.Namespace) {
			for _, space := range spaces {
				out = append(out, name.Key{Family: k.Family, Namespace: space, Name: k.Name})
			}
		}
	}
	for _, m := range p.mappings {
		if rest, ok := strings.CutPrefix(k.Name, m.To.Prefix); ok && p.definitions.Namespace(m.To.Namespace) == k.Namespace {
			for _, n := range append([]string{m.From.Prefix + rest}, p.spelled[m.ID][rest]...) {
				out = append(out, name.Key{Family: k.Family, Namespace: p.definitions.Namespace(m.From.Namespace), Name: n})
			}
		}
	}
	return out
}

// build makes a graph of what was read.
func (p *past) build() (*graph.Snapshot, error) {
	g := graph.New()
	b := g.Begin()
	owners, err := p.owners()
	if err != nil {
		return nil, err
	}
	for _, o := range owners {
		if err := collision(b.SetOwner(*o)); err != nil {
			return nil, err
		}
	}
	if err := p.define(b); err != nil {
		return nil, err
	}
	for _, key := range p.scope.Keys {
		if err := collision(b.Mention(key)); err != nil {
			return nil, err
		}
	}
	b.SetRules(p.definitions)
	return b.Commit(p.cut.position), nil
}

// owners gives the owners of the edges that were read, and what the chain's
// branches said of their tasks at the time.
func (p *past) owners() (map[lineage.OwnerKey]*graph.OwnerState, error) {
	ids := map[uint64]bool{}
	for k := range p.rows {
		ids[k.contributor] = true
	}
	tasks := map[uint64]string{}
	err := p.each(p.ctx, "looking up owners", `SELECT DISTINCT owner_id, task FROM tributary.owners WHERE owner_id IN {ids:Array(UInt64)}`,
		args("ids", slices.Collect(maps.Keys(ids))), func(rows driver.Rows) error {
			var id uint64
			var task string
			if err := rows.Scan(&id, &task); err != nil {
				return err
			}
			tasks[id] = task
			return nil
		})
	if err != nil {
		return nil, err
	}
	out := map[lineage.OwnerKey]*graph.OwnerState{}
	for k, r := range p.rows {
		task, ok := tasks[k.contributor]
		if !ok {
			continue
		}
		o := stateOf(out, lineage.OwnerKey{Task: task, Branch: k.branch, Source: sourceOf(k.origin)})
		o.Items = append(o.Items, p.item(k, r))
	}
	if err := p.addTasks(out, tasks); err != nil {
		return nil, err
	}
	if err := p.addRuns(out, tasks); err != nil {
		return nil, err
	}
	if err := p.addNodes(out, tasks); err != nil {
		return nil, err
	}
	return out, p.addSpecs(out)
}

func stateOf(out map[lineage.OwnerKey]*graph.OwnerState, key lineage.OwnerKey) *graph.OwnerState {
	if out[key] == nil {
		out[key] = &graph.OwnerState{Key: key, Status: lineage.StatusLive, Version: 1, Spec: isSpec(key)}
		if key.Source == lineage.SourcePeople {
			out[key].Node = key.Task
		}
	}
	return out[key]
}

func (p *past) item(k rowKey, r pastRow) lineage.Item {
	from, to := p.names[k.from], p.names[k.to]
	i := lineage.Item{Via: r.via, Unexpanded: r.unexpanded, Who: r.who, Why: r.why, OpenedAt: r.at, Explicit: k.origin == lineage.OriginManual}
	i.Edge = lineage.Edge{From: from.key, FromColumn: from.column, To: to.key, ToColumn: to.column, Direct: k.direct, Origin: k.origin}
	for _, n := range r.statements {
		i.Statements = append(i.Statements, int(n))
	}
	return i
}

// addTasks notes which of the tasks were defined or removed on the chain.
func (p *past) addTasks(out map[lineage.OwnerKey]*graph.OwnerState, tasks map[uint64]string) error {
	ids := slices.Collect(maps.Keys(tasks))
	for _, key := range p.scope.Keys {
		if task, ok := recordsKey(key); ok {
			ids = append(ids, taskID(task))
		}
	}
	return p.each(p.ctx, "looking up past tasks", `
		SELECT task, branch, argMax(toUInt8(status), opened), argMax(node, opened), argMax(kind, opened) FROM
		(
			SELECT *, {tasks:Array(UInt64)}[partition + 1] AS cut FROM tributary.tasks
			WHERE task_id IN {ids:Array(UInt64)} AND branch IN {chain:Array(String)} AND (empty({tasks:Array(UInt64)}) OR opened <= cut)
		) GROUP BY task, branch`, args("ids", ids, "chain", p.scope.Chain, "tasks", p.cut.versions[log.TopicTasks]), func(rows driver.Rows) error {
		var key lineage.OwnerKey
		var status uint8
		var node, kind string
		if err := rows.Scan(&key.Task, &key.Branch, &status, &node, &kind); err != nil {
			return err
		}
		key.Source = lineage.SourceDefinition
		o := stateOf(out, key)
		o.Status, o.Node, o.Kind = lineage.Status(status), node, kind
		key.Source = lineage.SourceRuns
		if runs := out[key]; runs != nil {
			runs.Node, runs.Kind = node, kind
		}
		return nil
	})
}

// addRuns notes on which branches of the chain runs of the tasks showed
// anything at the time: what was seen on one hides what was seen behind it,
// wherever its own edges are.
func (p *past) addRuns(out map[lineage.OwnerKey]*graph.OwnerState, tasks map[uint64]string) error {
	seen := map[uint64]bool{}
	for k := range p.rows {
		if k.origin == lineage.OriginObserved {
			seen[k.contributor] = true
		}
	}
	if len(seen) == 0 || len(p.scope.Chain) == 1 {
		return nil
	}
	return p.each(p.ctx, "looking up past runs", `
		SELECT DISTINCT contributor_id, branch FROM
		(
			SELECT *, {lineage:Array(UInt64)}[partition + 1] AS cut FROM tributary.edges
			WHERE contributor_id IN {ids:Array(UInt64)} AND origin = 'observed' AND branch IN {chain:Array(String)} AND (empty({lineage:Array(UInt64)}) OR opened <= cut)
		) AS e
		GROUP BY from_id, to_id, level, direct, contributor_id, branch, opened
		HAVING max(closed) = 0 OR (notEmpty({lineage:Array(UInt64)}) AND max(closed) > any(cut))`,
		args("ids", slices.Collect(maps.Keys(seen)), "chain", p.scope.Chain, "lineage", p.cut.versions[log.TopicLineage]), func(rows driver.Rows) error {
			var id uint64
			key := lineage.OwnerKey{Source: lineage.SourceRuns}
			if err := rows.Scan(&id, &key.Branch); err != nil {
				return err
			}
			if key.Task = tasks[id]; key.Task != "" {
				stateOf(out, key)
			}
			return nil
		})
}

// addNodes gives a node to the tasks that are known by their runs alone.
func (p *past) addNodes(out map[lineage.OwnerKey]*graph.OwnerState, tasks map[uint64]string) error {
	var ids []uint64
	for key, o := range out {
		if o.Node == "" {
			ids = append(ids, taskID(key.Task))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return p.each(p.ctx, "looking up kinds of tasks", `
		SELECT owner_id, branch, toUInt8(source) AS s, argMax(kind, version) FROM tributary.extractions
		WHERE owner_id IN {ids:Array(UInt64)} GROUP BY owner_id, branch, s`, args("ids", ids), func(rows driver.Rows) error {
		var id uint64
		var source uint8
		var branch, kind string
		if err := rows.Scan(&id, &branch, &source, &kind); err != nil {
			return err
		}
		if o := out[lineage.OwnerKey{Task: tasks[id], Branch: branch, Source: lineage.Source(source)}]; o != nil && o.Node == "" {
			o.Node, o.Kind = name.FamilyOfKind(kind)+"|"+tasks[id], cmp.Or(kind, event.KindBatch)
		}
		return nil
	})
}

// addSpecs notes the job specs of the chain's branches with their outputs:
// whether an edge of another one counts follows from them.
func (p *past) addSpecs(out map[lineage.OwnerKey]*graph.OwnerState) error {
	return p.each(p.ctx, "looking up past job specs", `
		SELECT task, branch, argMax(toUInt8(status), opened), argMax(node, opened), argMax(kind, opened), argMax(JSONExtractRaw(definition, 'outputs'), opened) FROM
		(
			SELECT *, {tasks:Array(UInt64)}[partition + 1] AS cut FROM tributary.tasks
			WHERE startsWith(task, {scheme:String}) AND branch IN {chain:Array(String)} AND (empty({tasks:Array(UInt64)}) OR opened <= cut)
		) GROUP BY task, branch`,
		args("scheme", name.JobSpecScheme, "chain", p.scope.Chain, "tasks", p.cut.versions[log.TopicTasks]), func(rows driver.Rows) error {
			key := lineage.OwnerKey{Source: lineage.SourceDefinition}
			var status uint8
			var node, kind, outputs string
			if err := rows.Scan(&key.Task, &key.Branch, &status, &node, &kind, &outputs); err != nil {
				return err
			}
			o := stateOf(out, key)
			o.Status, o.Node, o.Kind = lineage.Status(status), node, kind
			if outputs == "" {
				return nil
			}
			var refs []event.Ref
			if err := json.Unmarshal([]byte(outputs), &refs); err != nil {
				return fmt.Errorf("the stored outputs of job spec %s are not JSON: %w", key.Task, err)
			}
			for _, ref := range refs {
				ref.Namespace = p.definitions.Namespace(ref.Namespace)
				o.Outputs = append(o.Outputs, ref.NodeKey().String())
			}
			return nil
		})
}

// define notes what the datasets looked like at the time.
func (p *past) define(b *graph.Batch) error {
	var ids []uint64
	for id, n := range p.names {
		if n.column == "" {
			ids = append(ids, id)
		}
	}
	type row struct {
		key, branch, by string
		version         uint64
		status          uint8
		definition      string
	}
	var all []row
	err := p.each(p.ctx, "looking up past definitions", `
		SELECT key, branch, derived_by, max(opened), argMax(toUInt8(status), opened), argMax(definition, opened) FROM tributary.table_definitions
		WHERE node_id IN {ids:Array(UInt64)} AND opened <= {last:UInt64} GROUP BY key, branch, derived_by`,
		args("ids", ids, "last", p.lastDefinition()), func(rows driver.Rows) error {
			var r row
			if err := rows.Scan(&r.key, &r.branch, &r.by, &r.version, &r.status, &r.definition); err != nil {
				return err
			}
			all = append(all, r)
			return nil
		})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(x, y row) int {
		if x.version < y.version {
			return -1
		}
		return 1
	})
	for _, r := range all {
		if err := collision(defineRow(b, r.key, r.branch, r.by, r.version, r.status, r.definition)); err != nil {
			return err
		}
	}
	return nil
}

// defineRow puts one row of table_definitions into the graph.
func defineRow(b *graph.Batch, key, branch, by string, version uint64, status uint8, definition string) error {
	d := graph.Definition{Branch: branch}
	if old := b.Definition(key, branch); old != nil {
		d = *old
	}
	d.Version = version
	if status != 1 {
		if by == "" {
			d = graph.Definition{Branch: branch, Version: version, Removed: true}
		}
		return b.SetDefinition(key, d)
	}
	e := &event.TableDefined{}
	if err := json.Unmarshal([]byte(definition), e); err != nil {
		return fmt.Errorf("the stored definition of %s is not JSON: %w", key, err)
	}
	d.Removed = false
	if by != "" {
		d.Derived = maps.Clone(d.Derived)
		if d.Derived == nil {
			d.Derived = map[string][]event.Column{}
		}
		d.Derived[by] = e.Columns
		return b.SetDefinition(key, d)
	}
	d.Kind, d.Owner, d.Labels, d.Description, d.Engine = e.Kind, e.Owner, e.Labels, e.Description, e.Engine
	if e.Columns != nil {
		d.Columns = e.Columns
	}
	return b.SetDefinition(key, d)
}
