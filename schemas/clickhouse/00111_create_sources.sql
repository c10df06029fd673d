-- +goose Up
CREATE TABLE IF NOT EXISTS tributary.sources
(
    id String COMMENT 'What events and people call the source',
    opened UInt64 COMMENT 'Version of the record in tributary.definitions (one partition); the greatest is what counts now',
    opened_at DateTime64(3, 'UTC') COMMENT 'When the log took the record',
    status Enum8('registered' = 1, 'removed' = 2) COMMENT 'What the event says',
    name String COMMENT 'Shown to people',
    engine LowCardinality(String) COMMENT 'Platform: mysql, hive, flink, kafka, …',
    addresses Array(String) COMMENT 'Physical namespaces; keys are made of the first',
    catalogs Map(String, String) COMMENT 'Catalogs of the engine and the sources behind them',
    hash FixedString(16) COMMENT 'Hash of the event''s data, by which a repeat is known',
    definition String COMMENT 'Data of the event, JSON' CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
ORDER BY (id, opened)
COMMENT 'Registered sources, a row for each registration that differs from the one before it.';
