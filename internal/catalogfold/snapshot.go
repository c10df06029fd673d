package catalogfold

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/tributary-data/tributary/internal/log"
	"github.com/tributary-data/tributary/internal/store"
)

// partBytes bounds a part of a snapshot, so that no row is large.
const partBytes = 4 << 20

// StoreSnapshots keeps snapshots in the store: parts, and then one row that names them.
type StoreSnapshots struct {
	Store *store.Store
}

// Save saves the state of a partition as it is before the offset next. What was saved before is deleted
// once the new one can be read.
func (s StoreSnapshots) Save(ctx context.Context, partition int, next int64, state []byte) error {
	sum := sha256.Sum256(state)
	id := fmt.Sprintf("%d-%d-%s", partition, next, hex.EncodeToString(sum[:8]))
	parts := 0
	for from := 0; from == 0 || from < len(state); from += partBytes {
		part := s.Store.NewBatch("catalog_snapshot_parts", "snapshot", "part", "bytes")
		part.Append(id, uint32(parts), string(state[from:min(from+partBytes, len(state))]))
		if err := part.Send(ctx); err != nil {
			return fmt.Errorf("saving part %d of snapshot %s: %w", parts, id, err)
		}
		parts++
	}
	name := s.Store.NewBatch("catalog_snapshots", "partition", "next_offset", "snapshot", "parts", "checksum")
	name.Append(uint16(partition), next, id, uint32(parts), hex.EncodeToString(sum[:]))
	if err := name.Send(ctx); err != nil {
		return fmt.Errorf("naming snapshot %s: %w", id, err)
	}
	return s.forget(ctx, partition, next)
}

// forget deletes the parts of older snapshots of the partition.
func (s StoreSnapshots) forget(ctx context.Context, partition int, next int64) error {
	old := clickhouse.Named("old", fmt.Sprintf("%d-", partition))
	rows, err := s.Store.Read().Query(ctx, `SELECT DISTINCT snapshot, toInt64(splitByChar('-', snapshot)[2])
		FROM tributary.catalog_snapshot_parts WHERE startsWith(snapshot, {old:String}) ORDER BY 2`, old)
	if err != nil {
		return fmt.Errorf("listing snapshots: %w", err)
	}
	defer rows.Close()
	var gone []string
	for rows.Next() {
		var id string
		var at int64
		if err := rows.Scan(&id, &at); err != nil {
			return fmt.Errorf("listing snapshots: %w", err)
		}
		if at < next {
			gone = append(gone, id)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("listing snapshots: %w", err)
	}
	if len(gone) <= 1 {
		return nil // the one before stays, for a reader that is at it now
	}
	for _, id := range gone[:len(gone)-1] {
		err := s.Store.Write().Exec(ctx, `DELETE FROM tributary.catalog_snapshot_parts WHERE snapshot = {id:String}`, clickhouse.Named("id", id))
		if err != nil {
			return fmt.Errorf("deleting snapshot %s: %w", id, err)
		}
	}
	return nil
}

// Load returns the newest snapshot of a partition whose parts are all there, or nil.
func (s StoreSnapshots) Load(ctx context.Context, partition int) ([]byte, error) {
	rows, err := s.Store.Read().Query(ctx, `SELECT snapshot, parts, checksum FROM tributary.catalog_snapshots
		WHERE partition = {partition:UInt16} ORDER BY next_offset DESC LIMIT 2`, clickhouse.Named("partition", strconv.Itoa(partition)))
	if err != nil {
		return nil, fmt.Errorf("finding the newest snapshot: %w", err)
	}
	defer rows.Close()
	type named struct {
		id, checksum string
		parts        uint32
	}
	var found []named
	for rows.Next() {
		var n named
		if err := rows.Scan(&n.id, &n.parts, &n.checksum); err != nil {
			return nil, fmt.Errorf("finding the newest snapshot: %w", err)
		}
		found = append(found, n)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("finding the newest snapshot: %w", err)
	}
	for _, n := range found {
		state, err := s.read(ctx, n.id)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(state)
		if hex.EncodeToString(sum[:]) == n.checksum {
			return state, nil
		}
	}
	return nil, nil
}

func (s StoreSnapshots) read(ctx context.Context, id string) ([]byte, error) {
	rows, err := s.Store.Read().Query(ctx, `SELECT bytes FROM tributary.catalog_snapshot_parts FINAL
		WHERE snapshot = {id:String} ORDER BY part`, clickhouse.Named("id", id))
	if err != nil {
		return nil, fmt.Errorf("reading snapshot %s: %w", id, err)
	}
	defer rows.Close()
	var state []byte
	for rows.Next() {
		var part string
		if err := rows.Scan(&part); err != nil {
			return nil, fmt.Errorf("reading snapshot %s: %w", id, err)
		}
		state = append(state, part...)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("reading snapshot %s: %w", id, err)
	}
	return state, nil
}

// readerTasks is the name under which it is saved how far job specs have been written as tasks.
const readerTasks = "job-specs"

// LoadTasks returns the offset from which on the job specs of a partition are still to be written as tasks.
func (s StoreSnapshots) LoadTasks(ctx context.Context, partition int) (int64, error) {
	at, err := s.Store.LoadPosition(ctx, readerTasks, log.TopicCatalog, int32(partition))
	return at.Next, err
}

// SaveTasks notes that the job specs before an offset have been written as tasks.
func (s StoreSnapshots) SaveTasks(ctx context.Context, partition int, next int64) error {
	return s.Store.SavePosition(ctx, store.Position{Reader: readerTasks, Topic: log.TopicCatalog, Partition: int32(partition), Next: next})
}
