-- +goose Up
CREATE TABLE IF NOT EXISTS tributary.table_definitions
(
    node_id UInt64 COMMENT 'nodes.id of the dataset',
    branch LowCardinality(String) COMMENT 'Branch',
    derived_by String COMMENT 'Key of the task whose SQL gives the columns; empty for what the platform or a person says, which counts first',
    opened UInt64 COMMENT 'Version of the record in tributary.definitions (one partition); the greatest is what counts now',
    opened_at DateTime64(3, 'UTC') COMMENT 'When the log took the record',
    status Enum8('defined' = 1, 'removed' = 2, 'renamed' = 3) COMMENT 'What the event says',
    key String COMMENT 'The dataset''s key',
    renamed_to String COMMENT 'New key, if renamed',
    kind LowCardinality(String) COMMENT 'table, view, materialized_view, topic, file_set, stage, model, …',
    engine LowCardinality(String) COMMENT 'Engine',
    owner LowCardinality(String) COMMENT 'Who is responsible for it',
    description String COMMENT 'Description',
    column_names Array(String) COMMENT 'Columns in order',
    column_types Array(LowCardinality(String)) COMMENT 'Their types',
    column_masked Array(Bool) COMMENT 'Whether each is masked',
    column_comments Array(String) COMMENT 'Their comments',
    columns_known Bool COMMENT 'Columns were told by this event or one before it',
    hash FixedString(16) COMMENT 'Hash of the event''s data, by which a repeat is known',
    definition String COMMENT 'Data of the event, JSON' CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
ORDER BY (node_id, branch, derived_by, opened)
SETTINGS index_granularity = 512
COMMENT 'What datasets look like, a row for each definition that differs from the one before it.';
