package history

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

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

// nodes loads names. Of two names that share an id the later one is left out,
// and edges of that id are taken by name: the two are never taken for one.
func (l *loading) nodes(ctx context.Context) error {
	// What stands in a namespace as it is makes the key; the few others are
	// left to the rule that escapes them.
	const plain = `position(namespace, '|') = 0 AND position(namespace, '%') = 0`
	var id uint64
	var key string
	err := l.each(ctx, "loading nodes", `SELECT id, concat(family, '|', namespace, '|', name) FROM tributary.nodes WHERE parent_id = 0 AND `+plain, nil, func(rows driver.Rows) error {
		if err := rows.Scan(&id, &key); err != nil {
			return err
		}
		return collision(l.l.Node(id, key))
	})
	if err != nil {
		return err
	}
	var k name.Key
	return l.each(ctx, "loading nodes", `SELECT id, family, namespace, name FROM tributary.nodes WHERE parent_id = 0 AND NOT (`+plain+`)`, nil, func(rows driver.Rows) error {
		if err := rows.Scan(&id, &k.Family, &k.Namespace, &k.Name); err != nil {
			return err
		}
		return collision(l.l.Node(id, k.String()))
	})
}

func (l *loading) columns(ctx context.Context) error {
	var id, node uint64
	var column string
	return l.each(ctx, "loading columns", `SELECT id, parent_id, column FROM tributary.nodes WHERE parent_id != 0`, nil, func(rows driver.Rows) error {
		if err := rows.Scan(&id, &node, &column); err != nil {
			return err
		}
		err := l.l.Column(id, node, column)
		if errors.Is(err, graph.ErrNoNode) {
			return nil // it came after the nodes were read, with an owner newer than the positions
		}
		return collision(err)
	})
}

// allOwners loads owners without what has rows of its own: edges, what they
// mention, and the kinds of their tasks.
func (l *loading) allOwners(ctx context.Context) error {
	return l.each(ctx, "loading owners", `
		SELECT owner_id, branch, toUInt8(source) AS s, argMax(task, version), argMax(toUInt8(status), version), max(version),
			argMax(from_generation, version), argMax(from_offset, version), argMax(definitions_generation, version), argMax(definitions_offset, version),
			argMax(parser, version), argMax(edge_count, version), argMax(partition, version)
		FROM tributary.owners GROUP BY owner_id, branch, s`, nil, func(rows driver.Rows) error {
		var o graph.LoadedOwner
		row := ownerRow{}
		var source, status uint8
		var fromGeneration, definitionsGeneration, partition uint16
		var parser, edges uint32
		err := rows.Scan(&row.id, &o.Key.Branch, &source, &o.Key.Task, &status, &o.Version,
			&fromGeneration, &o.Order.FromOffset, &definitionsGeneration, &o.Order.DefinitionsOffset, &parser, &edges, &partition)
		if err != nil {
			return err
		}
		row.source, row.branch = lineage.Source(source), l.branch(o.Key.Branch)
		o.Key.Source, o.Status, o.Edges = row.source, lineage.Status(status), int(edges)
		o.Order.FromGeneration, o.Order.DefinitionsGeneration, o.Order.Parser = int(fromGeneration), int(definitionsGeneration), int(parser)
		o.Spec = isSpec(o.Key)
		if l.isYoung(row.source, int(partition), o.Version) {
			l.whole[o.Key] = true
		}
		if row.source == lineage.SourcePeople {
			o.Node, l.whole[o.Key] = o.Key.Task, true
		}
		id, err := l.l.Owner(o)
		l.owners.put(row, id)
		return collision(err)
	})
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

// kinds loads what kind of task each owner is. The rows come from the same
// records as the owners, so that they are there whenever an owner is, which
// definitions of tasks need not be.
func (l *loading) kinds(ctx context.Context) error {
	return l.each(ctx, "loading kinds of tasks", `
		SELECT owner_id, branch, toUInt8(source) AS s, argMax(kind, version) FROM tributary.extractions GROUP BY owner_id, branch, s`, nil, func(rows driver.Rows) error {
		var row ownerRow
		var branch, kind string
		var source uint8
		if err := rows.Scan(&row.id, &branch, &source, &kind); err != nil {
			return err
		}
		row.branch, row.source = l.branch(branch), lineage.Source(source)
		id, ok := l.owners.get(row)
		if !ok {
			return nil // it came after the owners were read
		}
		return collision(l.l.Task(id, kind))
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

// edgeSlices is how many slices of the id space are read at once.
const edgeSlices = 2

// edgeChunk is how many rows are handed on at once, edgeChunks how many such
// lots there are.
const (
	edgeChunk  = 4096
	edgeChunks = 16
)

// edges reads the edges that are open, in slices side by side, and adds them.
// People's are left to people, which knows more of them.
func (l *loading) edges(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	read, spent := make(chan []edgeRow, edgeChunks), make(chan []edgeRow, edgeChunks)
	for range edgeChunks {
		spent <- make([]edgeRow, 0, edgeChunk)
	}
	var wg sync.WaitGroup
	for i := range uint64(edgeSlices) {
		wg.Go(func() {
			if err := l.readSlice(ctx, i, read, spent); err != nil {
				cancel(err)
			}
		})
	}
	go func() {
		wg.Wait()
		close(read)
	}()
	for chunk := range read {
		for i := range chunk {
			l.add(&chunk[i])
		}
		spent <- chunk[:0]
	}
	return context.Cause(ctx)
}

// readSlice reads the edges that start in one slice of the ids.
func (l *loading) readSlice(ctx context.Context, slice uint64, out chan<- []edgeRow, spent <-chan []edgeRow) error {
	const width = 1 << 63 / edgeSlices * 2
	branches := make([]string, len(l.branches))
	for b, n := range l.branches {
		branches[n] = b
	}
	query := `SELECT from_id, to_id, contributor_id,
			toUInt32(bitOr(bitOr(bitOr(bitOr(bitOr((level = 'column') * 1, direct * 2), unexpanded * 4), bitShiftLeft(toUInt32(origin), 3)),
				bitShiftLeft(toUInt32(via), 6)), bitShiftLeft(toUInt32(indexOf({branches:Array(String)}, branch)), 16))) AS meta,
			toUInt32(if(length(statements) = 1, statements[1], 0)) AS statement,
			if(length(statements) > 1, arrayStringConcat(statements, ','), '') AS list
		FROM tributary.edges FINAL
		WHERE closed = 0 AND origin != 'manual' AND from_id >= {first:UInt64} AND from_id <= {last:UInt64}`
	first := slice * width
	last := first + (width - 1)
	if slice == edgeSlices-1 {
		last = ^uint64(0)
	}
	var chunk []edgeRow
	take := func() error {
		select {
		case chunk = <-spent:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	flush := func() error {
		out <- chunk // there is room for all lots
		return take()
	}
	if err := take(); err != nil {
		return err
	}
	err := l.each(ctx, "loading edges", query, args("branches", branches, "first", first, "last", last), func(rows driver.Rows) error {
		chunk = chunk[:len(chunk)+1]
		r := &chunk[len(chunk)-1]
		if err := rows.Scan(&r.from, &r.to, &r.contributor, &r.meta, &r.statement, &r.statements); err != nil {
			return err
		}
		if len(chunk) == edgeChunk {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	out <- chunk
	return nil
}

// add hands one edge on. An edge whose owner has no row yet is left out: the
// log that follows makes it.
func (l *loading) add(r *edgeRow) {
	origin := lineage.Origin(r.meta >> metaOrigin & 7)
	id, ok := l.owners.get(ownerRow{r.contributor, int(r.meta>>metaBranch) - 1, sourceOf(origin)})
	if !ok {
		return
	}
	e := graph.LoadedEdge{
		From: r.from, To: r.to, Column: r.meta&metaColumn != 0, Direct: r.meta&metaDirect != 0, Unexpanded: r.meta&metaUnexpanded != 0,
		Origin: origin, Via: lineage.Via(r.meta >> metaVia & (1<<10 - 1)),
	}
	e.Statement = int(r.statement)
	if r.statements != "" {
		for text := range strings.SplitSeq(r.statements, ",") {
			if n, err := strconv.Atoi(text); err == nil {
				e.Statements = append(e.Statements, n)
			}
		}
	}
	if !l.l.Edge(id, e) && l.l.Shared(e.From, e.To) {
		l.whole[l.l.OwnerKey(id)] = true
	}
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
