-- +goose Up
CREATE TABLE IF NOT EXISTS tributary.tasks
(
    task_id UInt64 COMMENT 'xxHash64 of task: owners.owner_id, edges.contributor_id',
    branch LowCardinality(String) COMMENT 'Branch',
    opened UInt64 COMMENT 'Version (generation << 48 | offset + 1) of the record; the greatest is what counts now, the others are history',
    partition UInt16 COMMENT 'Partition of tributary.tasks that opened belongs to',
    opened_at DateTime64(3, 'UTC') COMMENT 'When the log took the record',
    occurred_at DateTime64(3, 'UTC') COMMENT 'When it happened, as its sender says',
    status Enum8('defined' = 1, 'removed' = 2, 'withdrawn' = 3) COMMENT 'removed hides the task of fallback branches, withdrawn lets it show',
    task String COMMENT 'Key of the task''s records, namespace|id',
    node_id UInt64 COMMENT 'nodes.id of the task''s node',
    node String COMMENT 'Key of the task''s node; its family follows from the kind',
    kind LowCardinality(String) COMMENT 'batch, realtime, service, api, metric, tag, dashboard',
    name String COMMENT 'What people call it',
    owner LowCardinality(String) COMMENT 'Who is responsible for it',
    labels Map(LowCardinality(String), String) COMMENT 'Labels',
    hash FixedString(16) COMMENT 'Hash of the event''s data, by which a repeat is known',
    definition String COMMENT 'Data of the event, JSON' CODEC(ZSTD(1)),
    sql String ALIAS JSONExtractString(definition, 'sql') COMMENT 'The SQL script',
    dialect String ALIAS JSONExtractString(definition, 'dialect') COMMENT 'Dialect that the sender names'
)
ENGINE = ReplacingMergeTree
ORDER BY (task_id, branch, opened)
SETTINGS index_granularity = 512
COMMENT 'Tasks, a row for each definition that differs from the one before it. A repeat makes no row.';
