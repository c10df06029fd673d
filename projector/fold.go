package projector

import (
	"context"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/deadletter"
	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/schemas/event"
)

// folder folds the records of one partition into blocks. It is used by one
// goroutine, and made anew for each assignment of the partition.
type folder interface {
	// restore learns from the store what the fold needs to know before the
	// first record. It may be called again after an error.
	restore(ctx context.Context) error
	// fold adds what the records cause to the blocks, and gives the records
	// that cannot be read as letters. After an error the folder is restored
	// and the records are given again. No earlier batch may be under way.
	fold(ctx context.Context, recs []log.Record, b *blocks) ([]deadletter.Letter, error)
}

// judged is a record that could be read.
type judged struct {
	rec   lineage.Record
	ev    event.Event
	raw   *log.Record
	nodes []nodeName
	// owners are those that the record may change.
	owners []lineage.OwnerKey
}

// ownersOf gives the owners that an event may change: a marker that nothing
// changed speaks to its owner and changes nothing.
func ownersOf(data any) []lineage.OwnerKey {
	if x, ok := data.(*event.LineageExtracted); ok && x.Result == event.ResultUnchanged {
		return nil
	}
	return lineage.OwnersOf(data)
}

// place gives the fold's view of a record.
func place(rec *log.Record, generation int, data any) lineage.Record {
	return lineage.Record{Partition: rec.Partition, Version: event.Version(generation, rec.Offset), At: rec.Time, Data: data}
}

// desk judges records and settles their nodes: what all folders share.
type desk struct {
	nodes      *nodeSet
	partitions int
	generation int
	// namer and batch are for the nodes of one batch at a time.
	namer namer
	batch *batchNodes
}

// judge decodes the records that skip does not pass over, and looks their
// nodes up. What it gives is good until it is called again.
func (d *desk) judge(ctx context.Context, recs []log.Record, skip func(*log.Record) bool) ([]judged, []deadletter.Letter, error) {
	d.namer.reset()
	d.batch.reset()
	var letters []deadletter.Letter
	good := make([]judged, 0, len(recs))
	for i := range recs {
		if skip(&recs[i]) {
			continue
		}
		ev, fault := deadletter.Judge(&recs[i], d.partitions)
		if fault != nil {
			letters = append(letters, deadletter.New(&recs[i], fault))
			continue
		}
		good = append(good, judged{
			rec: place(&recs[i], d.generation, ev.Data), ev: ev, raw: &recs[i],
			nodes: d.namer.of(ev.Data, d.nodes.id), owners: ownersOf(ev.Data),
		})
	}
	if err := d.nodes.resolve(ctx, good, d.batch); err != nil {
		return nil, nil, err
	}
	kept := good[:0]
	for _, j := range good {
		if fault := d.nodes.fault(d.batch, j.nodes); fault != nil {
			letters = append(letters, deadletter.New(j.raw, fault))
			continue
		}
		kept = append(kept, j)
	}
	return kept, letters, nil
}

// lineageFolder folds tributary.lineage.
type lineageFolder struct {
	desk
	partition int
	owners    *ownerCache
	fresh     func() *ownerCache
}

func (f *lineageFolder) restore(ctx context.Context) error {
	f.owners = f.fresh()
	return f.owners.restore(ctx, f.partition, "'definition', 'runs'")
}

func (f *lineageFolder) fold(ctx context.Context, recs []log.Record, b *blocks) ([]deadletter.Letter, error) {
	good, letters, err := f.judge(ctx, recs, func(*log.Record) bool { return false })
	if err != nil {
		return nil, err
	}
	return letters, foldOwners(ctx, f.owners, f.nodes, good, b)
}

// foldOwners applies records to the owners that they speak to.
func foldOwners(ctx context.Context, owners *ownerCache, set *nodeSet, good []judged, b *blocks) error {
	var keys []lineage.OwnerKey
	for i := range good {
		keys = append(keys, good[i].owners...)
	}
	if err := owners.prepare(ctx, keys); err != nil {
		return err
	}
	// Rows go into their blocks record by record: those of a whole batch would
	// be large, and out of the processor's cache by the time they are read.
	var rows lineage.Rows
	changed := changes{}
	for i := range good {
		j := &good[i]
		set.add(j.nodes, b.nodes)
		for _, k := range j.owners {
			o := owners.get(k)
			switch o.Apply(j.rec, &rows) {
			case lineage.OutcomeApplied, lineage.OutcomePart:
				owners.changed(o)
			}
		}
		changed.note(rows.Owners)
		if err := b.addRows(&rows); err != nil {
			return err
		}
		rows.Reset()
	}
	return b.addOwners(changed.owners)
}

// changes are the owners that a batch changed, each once.
type changes struct {
	owners []*lineage.Owner
	seen   map[*lineage.Owner]struct{}
}

func (c *changes) note(owners []*lineage.Owner) {
	for _, o := range owners {
		if _, ok := c.seen[o]; ok {
			continue
		}
		if c.seen == nil {
			c.seen = map[*lineage.Owner]struct{}{}
		}
		c.seen[o] = struct{}{}
		c.owners = append(c.owners, o)
	}
}
