-- +goose Up
CREATE TABLE IF NOT EXISTS tributary.run_events
(
    task_id UInt64 COMMENT 'tasks.task_id',
    run_id String COMMENT 'The run',
    state Enum8('running' = 1, 'completed' = 2, 'failed' = 3, 'aborted' = 4) COMMENT 'What the event tells',
    version UInt64 COMMENT 'Version of the record; of one state the greatest stands',
    partition UInt16 COMMENT 'Partition of tributary.tasks that version belongs to',
    at DateTime64(3, 'UTC') COMMENT 'When the log took the record',
    occurred_at DateTime64(3, 'UTC') COMMENT 'When it happened, as its sender says',
    task String COMMENT 'Key of the task''s records, namespace|id',
    branch LowCardinality(String) COMMENT 'Branch that the run was on',
    started Nullable(DateTime64(3, 'UTC')) COMMENT 'When the run began, by the sender''s clock',
    ended Nullable(DateTime64(3, 'UTC')) COMMENT 'When it ended, by the sender''s clock',
    error String COMMENT 'Why it failed',
    data String COMMENT 'Data of the event, JSON: inputs and outputs with their transactions, statistics' CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (task_id, run_id, state)
SETTINGS index_granularity = 1024
COMMENT 'What runs told, a row for each state of a run. See the view runs.';
