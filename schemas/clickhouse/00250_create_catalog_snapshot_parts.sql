-- +goose Up
CREATE TABLE IF NOT EXISTS tributary.catalog_snapshot_parts
(
    snapshot String COMMENT 'Id of the snapshot: partition, next offset, hash',
    part UInt32 COMMENT 'Number of the part, from 0',
    bytes String COMMENT 'Bytes of the part' CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
ORDER BY (snapshot, part)
COMMENT 'Saved states of the catalog fold, in parts. A snapshot counts once catalog_snapshots names it.';
