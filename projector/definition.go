package projector

import (
	"context"
	"fmt"

	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/store"
	"github.com/tributary-data/tributary/schemas/event"
	"github.com/tributary-data/tributary/schemas/name"
)

// definitionFolder folds tributary.definitions: tables, sources, mappings.
type definitionFolder struct {
	desk
	store   *store.Store
	history *history
	// columns are the columns that are known of a table, for definitions that
	// do not name them.
	columns map[uint64][]event.Column
}

// Kinds of things in the history, so that a source and a table never are one.
const (
	thingTable   = "table"
	thingSource  = "source"
	thingMapping = "mapping"
)

func thing(kind, id string) uint64 { return name.ID(kind + "\x00" + id) }

func (f *definitionFolder) restore(ctx context.Context) error {
	f.history, f.columns = newHistory(), map[uint64][]event.Column{}
	for _, q := range []string{
		`SELECT xxHash64(concat('table', '\0', key, '\0', derived_by)), branch, max(opened), argMax(hash, opened) FROM tributary.table_definitions GROUP BY key, derived_by, branch`,
		`SELECT xxHash64(concat('source', '\0', id)), '', max(opened), argMax(hash, opened) FROM tributary.sources GROUP BY id`,
		`SELECT xxHash64(concat('mapping', '\0', id)), '', max(opened), argMax(hash, opened) FROM tributary.source_mappings GROUP BY id`,
	} {
		if err := f.history.load(ctx, f.store, q); err != nil {
			return fmt.Errorf("loading definitions: %w", err)
		}
	}
	return nil
}

func (f *definitionFolder) fold(ctx context.Context, recs []log.Record, b *blocks) ([]deadletter.Letter, error) {
	good, letters, err := f.judge(ctx, recs, func(*log.Record) bool { return false })
	if err != nil {
		return nil, err
	}
	for _, j := range good {
		f.nodes.add(j.nodes, b.nodes)
		if err := f.apply(ctx, j, b); err != nil {
			return nil, err
		}
	}
	return letters, nil
}

// Statuses of tables, sources and mappings.
const (
	statusDefined = 1
	statusRemoved = 2
	statusRenamed = 3
)

func (f *definitionFolder) apply(ctx context.Context, j judged, b *blocks) error {
	switch d := j.ev.Data.(type) {
	case *event.TableDefined:
		return f.define(ctx, j, d, b)
	case *event.TableRemoved:
		f.end(j, d.Dataset, d.DerivedBy, statusRemoved, "", b)
	case *event.TableRenamed:
		ref := d.To
		if ref.Namespace == "" {
			ref.Namespace = d.Namespace
		}
		f.end(j, d.Dataset, "", statusRenamed, ref.NodeKey().String(), b)
	case *event.SourceRegistered:
		f.source(j, d, statusDefined, b)
	case *event.SourceRemoved:
		f.source(j, &event.SourceRegistered{ID: d.ID}, statusRemoved, b)
	case *event.SourceMerged:
		f.mapping(j, d, statusDefined, b)
	case *event.SourceUnmerged:
		f.mapping(j, &event.SourceMerged{ID: d.ID, Who: d.Who, Why: d.Why}, statusRemoved, b)
	}
	return nil
}

// changed notes what an event says of a thing; false if that is known.
func (f *definitionFolder) changed(j judged, id uint64, branch string, status byte) (sum, bool) {
	hash := sumOf(append([]byte{status}, j.raw.Value...))
	return hash, f.history.put(mix(id, branch, 0), hash, j.rec.Version)
}

func tableThing(key, derivedBy string) uint64 { return thing(thingTable, key+"\x00"+derivedBy) }

func (f *definitionFolder) define(ctx context.Context, j judged, d *event.TableDefined, b *blocks) error {
	key := d.NodeKey().String()
	id := tableThing(key, d.DerivedBy)
	hash, ok := f.changed(j, id, d.OnBranch(), statusDefined)
	at := mix(id, d.OnBranch(), 0)
	columns, known := d.Columns, d.Columns != nil
	if !known {
		var err error
		if columns, known, err = f.knownColumns(ctx, at, key, d, j.rec.Version); err != nil {
			return err
		}
	}
	if known {
		f.remember(at, columns)
	}
	if !ok {
		return nil
	}
	f.row(j, d.Dataset, key, d.DerivedBy, statusDefined, hash, b)
	b.tables.renamedTo.add("")
	b.tables.kind.add(d.Kind)
	b.tables.engine.add(d.Engine)
	b.tables.owner.add(d.Owner)
	b.tables.description.add(d.Description)
	names, types, comments, masked := columnArrays(columns)
	b.tables.names.add(names)
	b.tables.types.add(types)
	b.tables.masked.add(masked)
	b.tables.comments.add(comments)
	b.tables.known.add(known)
	return nil
}

// columnsKept bounds the tables whose columns are held in memory.
const columnsKept = 10_000

func (f *definitionFolder) remember(at uint64, columns []event.Column) {
	if len(f.columns) >= columnsKept {
		f.columns = map[uint64][]event.Column{}
	}
	f.columns[at] = columns
}

// knownColumns gives the columns that the definition before this one had.
func (f *definitionFolder) knownColumns(ctx context.Context, at uint64, key string, d *event.TableDefined, version uint64) ([]event.Column, bool, error) {
	if columns, ok := f.columns[at]; ok {
		return columns, true, nil
	}
	rows, err := f.store.Read().Query(ctx, `SELECT column_names, column_types, column_masked, column_comments, columns_known, toInt8(status) FROM tributary.table_definitions
		WHERE node_id = ? AND branch = ? AND derived_by = ? AND opened < ? ORDER BY opened DESC LIMIT 1`, name.ID(key), d.OnBranch(), d.DerivedBy, version)
	if err != nil {
		return nil, false, fmt.Errorf("looking up the columns of %s: %w", key, err)
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, false, rows.Err()
	}
	var names, types, comments []string
	var masked []bool
	var known bool
	var status int8
	if err := rows.Scan(&names, &types, &masked, &comments, &known, &status); err != nil {
		return nil, false, fmt.Errorf("looking up the columns of %s: %w", key, err)
	}
	if !known || status != statusDefined {
		return nil, false, nil
	}
	columns := make([]event.Column, len(names))
	for i := range names {
		columns[i] = event.Column{Name: names[i], Type: types[i], Masked: masked[i], Comment: comments[i]}
	}
	return columns, true, nil
}

// row writes the columns that all rows of tables have a value in.
func (f *definitionFolder) row(j judged, d event.Dataset, key, derivedBy string, status int8, hash sum, b *blocks) {
	b.tables.rows++
	b.tables.node.add(name.ID(key))
	b.tables.branch.add(d.OnBranch())
	b.tables.derivedBy.add(derivedBy)
	b.tables.opened.add(j.rec.Version)
	b.tables.openedAt.add(orEpoch(j.rec.At))
	b.tables.status.add(status)
	b.tables.key.add(key)
	b.tables.hash.add(string(hash[:]))
	b.tables.source.add(string(j.raw.Value))
}

// end writes that a table is gone, or has another name.
func (f *definitionFolder) end(j judged, d event.Dataset, derivedBy string, status int8, renamedTo string, b *blocks) {
	key := d.NodeKey().String()
	id := tableThing(key, derivedBy)
	hash, ok := f.changed(j, id, d.OnBranch(), byte(status))
	delete(f.columns, mix(id, d.OnBranch(), 0))
	if !ok {
		return
	}
	f.row(j, d, key, derivedBy, status, hash, b)
	b.tables.renamedTo.add(renamedTo)
	b.tables.kind.add("")
	b.tables.engine.add("")
	b.tables.owner.add("")
	b.tables.description.add("")
	b.tables.names.add([]string{})
	b.tables.types.add([]string{})
	b.tables.masked.add([]bool{})
	b.tables.comments.add([]string{})
	b.tables.known.add(false)
}

func (f *definitionFolder) source(j judged, d *event.SourceRegistered, status int8, b *blocks) {
	hash, ok := f.changed(j, thing(thingSource, d.ID), "", byte(status))
	if !ok {
		return
	}
	b.sources.rows++
	b.sources.id.add(d.ID)
	b.sources.opened.add(j.rec.Version)
	b.sources.openedAt.add(orEpoch(j.rec.At))
	b.sources.status.add(status)
	b.sources.label.add(d.Name)
	b.sources.engine.add(d.Engine)
	addresses := make([]string, len(d.Addresses))
	for i, a := range d.Addresses {
		addresses[i] = name.Namespace(a)
	}
	b.sources.addresses.add(addresses)
	b.sources.catalogs.add(labels(d.Catalogs))
	b.sources.hash.add(string(hash[:]))
	b.sources.definition.add(string(j.raw.Value))
}

func (f *definitionFolder) mapping(j judged, d *event.SourceMerged, status int8, b *blocks) {
	hash, ok := f.changed(j, thing(thingMapping, d.ID), "", byte(status))
	if !ok {
		return
	}
	b.mappings.rows++
	b.mappings.id.add(d.ID)
	b.mappings.opened.add(j.rec.Version)
	b.mappings.openedAt.add(orEpoch(j.rec.At))
	b.mappings.status.add(status)
	b.mappings.fromSpace.add(d.From.Namespace)
	b.mappings.fromPrefix.add(d.From.Prefix)
	b.mappings.toSpace.add(d.To.Namespace)
	b.mappings.toPrefix.add(d.To.Prefix)
	b.mappings.exact.add(d.Exact)
	b.mappings.ignoreCase.add(d.IgnoreCase)
	b.mappings.who.add(d.Who)
	b.mappings.why.add(d.Why)
	b.mappings.hash.add(string(hash[:]))
}
