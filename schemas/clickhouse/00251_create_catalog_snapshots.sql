-- +goose Up
CREATE TABLE IF NOT EXISTS tributary.catalog_snapshots
(
    partition UInt16 COMMENT 'Partition of tributary.catalog',
    next_offset Int64 COMMENT 'Offset at which the fold goes on from the snapshot',
    snapshot String COMMENT 'Id of its parts in catalog_snapshot_parts',
    parts UInt32 COMMENT 'Number of its parts',
    checksum String COMMENT 'SHA-256 of all bytes, in hex'
)
ENGINE = ReplacingMergeTree
ORDER BY (partition, next_offset, snapshot)
COMMENT 'Snapshots of the catalog fold, one row each, written after the parts: the newest complete one is where a restart begins.';
