package projector

import (
	"context"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/tributary-data/tributary/fold/lineage"
	"github.com/tributary-data/tributary/internal/store"
)

// ownerCache holds the owners of a batch, and of those that events speak to
// again and again the ones that were used last; the others are in the store. It
// knows which owners the store has, so that a new one costs no look-up. Its
// state may be ahead of the store: it is for one run of one partition, and
// thrown away with it.
type ownerCache struct {
	store *store.Store
	known map[uint64]struct{}
	// passing are owners of this batch that are let go after it.
	passing map[lineage.OwnerKey]*lineage.Owner
	// young are the owners that were used since the last turn, old those that
	// were used before it. When the young ones take too much they become the
	// old ones, which are let go.
	young, old map[lineage.OwnerKey]*cachedOwner
	bytes      int // of the young ones
}

type cachedOwner struct {
	owner *lineage.Owner
	bytes int
}

// ownerCacheBytes bounds, roughly, what the young owners of a partition take,
// beyond those of one batch.
const ownerCacheBytes = 16 << 20

// ownerChunk bounds the owners of one look-up.
const ownerChunk = 2000

func newOwnerCache(s *store.Store) *ownerCache {
	return &ownerCache{store: s, known: map[uint64]struct{}{}, passing: map[lineage.OwnerKey]*lineage.Owner{}, young: map[lineage.OwnerKey]*cachedOwner{}}
}

// mix makes one number of what names an owner. Two owners may have the same
// one: then a look-up is made in vain.
func mix(id uint64, branch string, source int8) uint64 {
	return (id ^ xxhash.Sum64String(branch)*0x9E3779B97F4A7C15) + uint64(source)
}

// restore learns which owners of the partition the store has.
func (c *ownerCache) restore(ctx context.Context, partition int, sources string) error {
	rows, err := c.store.Read().Query(ctx, fmt.Sprintf("SELECT DISTINCT owner_id, branch, toInt8(source) FROM tributary.owners WHERE partition = %d AND source IN (%s)", partition, sources))
	if err != nil {
		return fmt.Errorf("listing the owners of partition %d: %w", partition, err)
	}
	defer rows.Close()
	for rows.Next() {
		var id uint64
		var branch string
		var source int8
		if err := rows.Scan(&id, &branch, &source); err != nil {
			return fmt.Errorf("listing the owners of partition %d: %w", partition, err)
		}
		c.known[mix(id, branch, source)] = struct{}{}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("listing the owners of partition %d: %w", partition, err)
	}
	return nil
}

// prepare makes sure that get finds the owners, and lets go of others first.
// No batch may be under way: what is let go must be in the store.
func (c *ownerCache) prepare(ctx context.Context, keys []lineage.OwnerKey) error {
	clear(c.passing)
	if c.bytes > ownerCacheBytes {
		c.young, c.old, c.bytes = map[lineage.OwnerKey]*cachedOwner{}, c.young, 0
	}
	missing := map[uint64]struct{}{}
	var ids []uint64
	for _, k := range keys {
		if c.use(k) != nil {
			continue
		}
		id := ownerID(k.Task)
		if _, ok := c.known[mix(id, k.Branch, int8(k.Source))]; !ok {
			c.put(&lineage.Owner{Key: k})
			continue
		}
		if _, ok := missing[id]; !ok {
			missing[id] = struct{}{}
			ids = append(ids, id)
		}
	}
	for len(ids) > 0 {
		n := min(len(ids), ownerChunk)
		if err := c.load(ctx, ids[:n]); err != nil {
			return err
		}
		ids = ids[n:]
	}
	return nil
}

// load reads owners, all of a task's at once, of each row the latest version.
func (c *ownerCache) load(ctx context.Context, ids []uint64) error {
	rows, err := c.store.Read().Query(ctx, `SELECT task, branch, toInt8(source), partition, version, state FROM tributary.owners
		WHERE owner_id IN (`+idList(ids)+`) SETTINGS max_query_size = 10000000`)
	if err != nil {
		return fmt.Errorf("loading %d owners: %w", len(ids), err)
	}
	defer rows.Close()
	type stored struct {
		partition uint16
		version   uint64
		state     []byte
	}
	latest := map[lineage.OwnerKey]stored{}
	for rows.Next() {
		var k lineage.OwnerKey
		var source int8
		var s stored
		if err := rows.Scan(&k.Task, &k.Branch, &source, &s.partition, &s.version, &s.state); err != nil {
			return fmt.Errorf("loading owners: %w", err)
		}
		k.Source = lineage.Source(source)
		if s.version > latest[k].version {
			latest[k] = s
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("loading owners: %w", err)
	}
	for k, s := range latest {
		if c.use(k) != nil {
			continue // the cache may be ahead of the store
		}
		o, err := lineage.DecodeState(k, int(s.partition), s.version, s.state)
		if err != nil {
			return err
		}
		c.put(o)
	}
	return nil
}

// passes says whether an owner is let go after its batch. A definition seldom
// changes, so of definitions only those are kept that wait for parts; runs and
// people speak to their owners often.
func passes(o *lineage.Owner) bool {
	return o.Key.Source == lineage.SourceDefinition && o.Pending == nil
}

// use gives an owner of the cache, and makes one that is kept a young one; nil
// if it is not there.
func (c *ownerCache) use(k lineage.OwnerKey) *lineage.Owner {
	if o := c.passing[k]; o != nil {
		return o
	}
	if e := c.young[k]; e != nil {
		return e.owner
	}
	e := c.old[k]
	if e == nil {
		return nil
	}
	delete(c.old, k)
	c.young[k] = e
	c.bytes += e.bytes
	return e.owner
}

// get gives an owner that was prepared.
func (c *ownerCache) get(k lineage.OwnerKey) *lineage.Owner {
	if o := c.use(k); o != nil {
		return o
	}
	// Known by its number alone: another owner has the same one.
	return c.put(&lineage.Owner{Key: k})
}

// changed notes an owner that a record changed.
func (c *ownerCache) changed(o *lineage.Owner) {
	c.known[mix(ownerID(o.Key.Task), o.Key.Branch, int8(o.Key.Source))] = struct{}{}
	c.put(o)
}

// put puts an owner where it belongs now, and gives it.
func (c *ownerCache) put(o *lineage.Owner) *lineage.Owner {
	if e := c.young[o.Key]; e != nil {
		c.bytes -= e.bytes
		delete(c.young, o.Key)
	}
	if passes(o) {
		c.passing[o.Key] = o
		return o
	}
	delete(c.passing, o.Key)
	e := &cachedOwner{owner: o, bytes: sizeOf(o)}
	c.bytes += e.bytes
	c.young[o.Key] = e
	return o
}

func sizeOf(o *lineage.Owner) int {
	n := 500 + 180*len(o.Items) + 80*len(o.Uses)
	for _, r := range o.Runs {
		n += 200 + 180*len(r.Items)
	}
	return n
}
