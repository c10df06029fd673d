-- +goose Up
CREATE TABLE IF NOT EXISTS tributary.sql_errors
(
    owner_id UInt64 COMMENT 'xxHash64 of task: tasks.task_id, edges.contributor_id',
    branch LowCardinality(String) COMMENT 'Branch',
    source Enum8('definition' = 1, 'runs' = 2, 'people' = 3) COMMENT 'What is known: by the task''s definition, by its runs, by people who drew edges into a node',
    version UInt64 COMMENT 'Version of the record; the greatest stands',
    partition UInt16 COMMENT 'Partition of tributary.lineage that version belongs to',
    at DateTime64(3, 'UTC') COMMENT 'When the log took the record',
    kinds Array(LowCardinality(String)) COMMENT 'Of each error: syntax, unresolved, ambiguous, template, unsupported or limit',
    statements Array(UInt32) COMMENT 'Of each error: number of the statement, from 1; 0 if none',
    lines Array(UInt32) COMMENT 'Of each error: line, from 1; 0 if unknown',
    columns Array(UInt32) COMMENT 'Of each error: column in the line, from 1; 0 if unknown',
    messages Array(String) COMMENT 'Of each error: what was expected'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (owner_id, branch, source)
SETTINGS index_granularity = 1024
COMMENT 'What of a task''s SQL could not be understood, all errors in one row; empty arrays once there are none.';
