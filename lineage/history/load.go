package history

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/lineage/graph"
	"github.com/tributary-data/tributary/schemas/name"
)

// Load fills a graph with everything that is there now, and gives the offsets
// up to which all rows are there. Positions are read first, so rows may be
// newer, and some of a record's rows may come while they are read: what is
// known of an owner that is newer than the positions is taken from its whole
// state, which is one row.
func (s *Store) Load(ctx context.Context, l *graph.Loader) (map[string][]int64, error) {
	positions, err := s.store.LoadPositions(ctx, reader)
	if err != nil {
		return nil, err
	}
	next := map[string][]int64{}
	for _, p := range positions {
		for len(next[p.Topic]) <= int(p.Partition) {
			next[p.Topic] = append(next[p.Topic], 0)
		}
		next[p.Topic][p.Partition] = p.Next
	}
	load := loading{Store: s, l: l, next: next, branches: map[string]int{}, whole: map[lineage.OwnerKey]bool{}}
	for _, step := range []func(context.Context) error{load.reserve, load.nodes, load.columns, load.allOwners, load.kinds, load.mentions, load.edges, load.states} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// ownerRow names an owner as rows of edges do.
type ownerRow struct {
	id     uint64
	branch int
	source lineage.Source
}

// loading is one load under way.
type loading struct {
	*Store
	l        *graph.Loader
	next     map[string][]int64
	owners   ownerTable
	branches map[string]int
	// whole are the owners whose rows by id do not tell all, so that their
	// state by name is loaded: those newer than the positions, those that speak
	// of an id that two names share, and people.
	whole map[lineage.OwnerKey]bool
}

func (l *loading) reserve(ctx context.Context) error {
	var nodes, columns, owners uint64
	err := l.store.Read().QueryRow(ctx, `SELECT countIf(parent_id = 0), countIf(parent_id != 0), (SELECT count() FROM tributary.owners) FROM tributary.nodes`).
		Scan(&nodes, &columns, &owners)
	if err != nil {
		return fmt.Errorf("counting nodes: %w", err)
	}
	l.l.Reserve(int(nodes), int(columns), int(owners))
	l.owners.reserve(int(owners))
	return nil
}

// nodeRow names a node.
type nodeRow struct {
	id  uint64
	key string
}

// nodes loads names. Of two names that share an id the later one is left out,
// and edges of that id are taken by name: the two are never taken for one.
func (l *loading) nodes(ctx context.Context) error {
	// What stands in a namespace as it is makes the key; the few others are
	// left to the rule that escapes them.
	const plain = `position(namespace, '|') = 0 AND position(namespace, '%') = 0`
	statements := sliced(`SELECT id, concat(family, '|', namespace, '|', name) FROM tributary.nodes
		WHERE parent_id = 0 AND `+plain+` AND id >= {first:UInt64} AND id <= {last:UInt64}`,
		func(rows driver.Rows, n *nodeRow) error { return rows.Scan(&n.id, &n.key) })
	statements = append(statements, statement[nodeRow]{
		query: `SELECT id, family, namespace, name FROM tributary.nodes WHERE parent_id = 0 AND NOT (` + plain + `)`,
		scan: func(rows driver.Rows, n *nodeRow) error {
			var k name.Key
			err := rows.Scan(&n.id, &k.Family, &k.Namespace, &k.Name)
			n.key = k.String()
			return err
		},
	})
	return stream(ctx, l.Store, "loading nodes", statements, func(list []nodeRow) error {
		for _, n := range list {
			if err := collision(l.l.Node(n.id, n.key)); err != nil {
				return err
			}
		}
		return nil
	})
}

// columnRow names a column.
type columnRow struct {
	id, node uint64
	column   string
}

func (l *loading) columns(ctx context.Context) error {
	statements := sliced(`SELECT id, parent_id, column FROM tributary.nodes WHERE parent_id != 0 AND id >= {first:UInt64} AND id <= {last:UInt64}`,
		func(rows driver.Rows, c *columnRow) error { return rows.Scan(&c.id, &c.node, &c.column) })
	return stream(ctx, l.Store, "loading columns", statements, func(list []columnRow) error {
		for _, c := range list {
			// A column without a node came after the nodes were read, with an
			// owner that is newer than the positions.
			if err := l.l.Column(c.id, c.node, c.column); !errors.Is(err, graph.ErrNoNode) && collision(err) != nil {
				return err
			}
		}
		return nil
	})
}

// loadedOwner is an owner as its row gives it.
type loadedOwner struct {
	graph.LoadedOwner
	id        uint64
	partition uint16
}

// allOwners loads owners without what has rows of its own: edges, what they
// mention, and the kinds of their tasks.
func (l *loading) allOwners(ctx context.Context) error {
	statements := sliced(`
		SELECT owner_id, branch, toUInt8(source), task, toUInt8(status), version, from_generation, from_offset, definitions_generation, definitions_offset, parser, partition
		FROM tributary.owners FINAL WHERE owner_id >= {first:UInt64} AND owner_id <= {last:UInt64}`, scanOwner)
	return stream(ctx, l.Store, "loading owners", statements, func(list []loadedOwner) error {
		for i := range list {
			if err := l.owner(&list[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

func scanOwner(rows driver.Rows, o *loadedOwner) error {
	var source, status uint8
	var fromGeneration, definitionsGeneration uint16
	var parser uint32
	err := rows.Scan(&o.id, &o.Key.Branch, &source, &o.Key.Task, &status, &o.Version,
		&fromGeneration, &o.Order.FromOffset, &definitionsGeneration, &o.Order.DefinitionsOffset, &parser, &o.partition)
	o.Key.Source, o.Status = lineage.Source(source), lineage.Status(status)
	o.Order.FromGeneration, o.Order.DefinitionsGeneration, o.Order.Parser = int(fromGeneration), int(definitionsGeneration), int(parser)
	o.Spec, o.Node = isSpec(o.Key), ""
	if o.Key.Source == lineage.SourcePeople {
		o.Node = o.Key.Task
	}
	return err
}

func (l *loading) owner(o *loadedOwner) error {
	if o.Key.Source == lineage.SourcePeople || l.isYoung(o.Key.Source, int(o.partition), o.Version) {
		l.whole[o.Key] = true
	}
	id, err := l.l.Owner(o.LoadedOwner)
	l.owners.put(ownerRow{o.id, l.branch(o.Key.Branch), o.Key.Source}, id)
	return collision(err)
}

// isYoung says whether an owner's latest record stands behind the positions.
func (l *loading) isYoung(source lineage.Source, partition int, version uint64) bool {
	const offsets = 1<<48 - 1
	topic := log.TopicLineage
	if source == lineage.SourcePeople {
		topic = log.TopicTasks
	}
	next := l.next[topic]
	return partition >= len(next) || int64(version&offsets) > next[partition]
}

// branch gives the number of a branch in statements.
func (l *loading) branch(b string) int {
	n, ok := l.branches[b]
	if !ok {
		n = len(l.branches)
		l.branches[b] = n
	}
	return n
}

// kindRow says what kind of task an owner is of.
type kindRow struct {
	id           uint64
	branch, kind string
	source       uint8
}

// kinds loads what kind of task each owner is. The rows come from the same
// records as the owners, so that they are there whenever an owner is, which
// definitions of tasks need not be.
func (l *loading) kinds(ctx context.Context) error {
	statements := sliced(`SELECT owner_id, branch, toUInt8(source), kind FROM tributary.extractions FINAL WHERE owner_id >= {first:UInt64} AND owner_id <= {last:UInt64}`,
		func(rows driver.Rows, k *kindRow) error { return rows.Scan(&k.id, &k.branch, &k.source, &k.kind) })
	return stream(ctx, l.Store, "loading kinds of tasks", statements, func(list []kindRow) error {
		for _, k := range list {
			// An owner that is not known came after the owners were read.
			if id, ok := l.owners.get(ownerRow{k.id, l.branch(k.branch), lineage.Source(k.source)}); ok {
				if err := collision(l.l.Task(id, k.kind)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// mentions loads what owners say of nodes.
func (l *loading) mentions(ctx context.Context) error {
	return l.each(ctx, "loading mentions", `
		SELECT owner_id, branch, toUInt8(source), node_id, kind, display FROM tributary.mentions FINAL WHERE NOT closed`, nil, func(rows driver.Rows) error {
		var row ownerRow
		var branch, kind, display string
		var node uint64
		var source uint8
		if err := rows.Scan(&row.id, &branch, &source, &node, &kind, &display); err != nil {
			return err
		}
		row.branch, row.source = l.branch(branch), lineage.Source(source)
		id, ok := l.owners.get(row)
		if ok && !l.l.Mention(id, node, kind, display) {
			l.whole[l.l.OwnerKey(id)] = true
		}
		return nil
	})
}

// edgeRow is an edge as the statement gives it: small numbers are packed, so
// that a row has few columns.
type edgeRow struct {
	from, to, contributor uint64
	meta                  uint32
	statement             uint32
	statements            string
}

// Bits of meta.
const (
	metaColumn     = 1
	metaDirect     = 2
	metaUnexpanded = 4
	metaOrigin     = 3
	metaVia        = 6
	metaBranch     = 16
)

// edges reads the edges that are open, and adds them. People's are left to
// their states, which know more of them.
func (l *loading) edges(ctx context.Context) error {
	branches := make([]string, len(l.branches))
	for b, n := range l.branches {
		branches[n] = b
	}
	statements := sliced(`SELECT from_id, to_id, contributor_id,
			toUInt32(bitOr(bitOr(bitOr(bitOr(bitOr((level = 'column') * 1, direct * 2), unexpanded * 4), bitShiftLeft(toUInt32(origin), 3)),
				bitShiftLeft(toUInt32(via), 6)), bitShiftLeft(toUInt32(indexOf({branches:Array(String)}, branch)), 16))) AS meta,
			toUInt32(if(length(statements) = 1, statements[1], 0)) AS statement,
			if(length(statements) > 1, arrayStringConcat(statements, ','), '') AS list
		FROM tributary.edges FINAL
		WHERE closed = 0 AND origin != 'manual' AND from_id >= {first:UInt64} AND from_id <= {last:UInt64}`,
		func(rows driver.Rows, r *edgeRow) error {
			return rows.Scan(&r.from, &r.to, &r.contributor, &r.meta, &r.statement, &r.statements)
		}, "branches", branches)
	edges := make([]graph.LoadedEdge, 0, lot)
	return stream(ctx, l.Store, "loading edges", statements, func(list []edgeRow) error {
		edges = edges[:0]
		for i := range list {
			if e, ok := l.edge(&list[i]); ok {
				edges = append(edges, e)
			}
		}
		l.l.Edges(edges, func(e *graph.LoadedEdge) { l.whole[l.l.OwnerKey(e.Owner)] = true })
		return nil
	})
}

// edge gives an edge of a row; ok is false for one whose owner has no row yet,
// which the log that follows makes.
func (l *loading) edge(r *edgeRow) (e graph.LoadedEdge, ok bool) {
	origin := lineage.Origin(r.meta >> metaOrigin & 7)
	e = graph.LoadedEdge{
		From: r.from, To: r.to, Column: r.meta&metaColumn != 0, Direct: r.meta&metaDirect != 0, Unexpanded: r.meta&metaUnexpanded != 0,
		Origin: origin, Via: lineage.Via(r.meta >> metaVia & (1<<10 - 1)), Statement: int(r.statement),
	}
	e.Owner, ok = l.owners.get(ownerRow{r.contributor, int(r.meta>>metaBranch) - 1, sourceOf(origin)})
	if r.statements != "" {
		for text := range strings.SplitSeq(r.statements, ",") {
			if n, err := strconv.Atoi(text); err == nil {
				e.Statements = append(e.Statements, n)
			}
		}
	}
	return e, ok
}

// states loads the owners whose rows do not tell all: of what people drew,
// rows do not say which table edges were drawn and which are there because of
// column edges; of owners newer than the positions some may be missing; of an
// id that two names share they do not say which name is meant.
func (l *loading) states(ctx context.Context) error {
	for chunk := range slices.Chunk(slices.Collect(maps.Keys(l.whole)), stateChunk) {
		owners, err := l.Owners(ctx, chunk)
		if err != nil {
			return err
		}
		for key, o := range owners {
			if err := collision(l.l.State(graph.OwnerState{Key: key, Status: o.Status, Version: o.Version, Order: o.Order, Spec: isSpec(key), Items: o.Items, Mentions: o.Mentions})); err != nil {
				return err
			}
		}
	}
	return nil
}

// stateChunk bounds the owners of one look-up.
const stateChunk = 2000

// Owners gives the state of owners as the fold left it; those that the store
// does not know are absent.
func (s *Store) Owners(ctx context.Context, keys []lineage.OwnerKey) (map[lineage.OwnerKey]*lineage.Owner, error) {
	ids, wanted := make([]uint64, 0, len(keys)), make(map[lineage.OwnerKey]bool, len(keys))
	for _, k := range keys {
		ids, wanted[k] = append(ids, taskID(k.Task)), true
	}
	out := map[lineage.OwnerKey]*lineage.Owner{}
	err := s.each(ctx, "loading owners", `
		SELECT task, branch, toUInt8(source), partition, version, state FROM tributary.owners WHERE owner_id IN {ids:Array(UInt64)}`, args("ids", ids), func(rows driver.Rows) error {
		var k lineage.OwnerKey
		var source uint8
		var partition uint16
		var version uint64
		var state []byte
		if err := rows.Scan(&k.Task, &k.Branch, &source, &partition, &version, &state); err != nil {
			return err
		}
		k.Source = lineage.Source(source)
		if !wanted[k] || out[k] != nil && out[k].Version >= version {
			return nil
		}
		o, err := lineage.DecodeState(k, int(partition), version, state)
		if err != nil {
			return err
		}
		out[k] = o
		return nil
	})
	return out, err
}
