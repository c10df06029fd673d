-- +goose Up
CREATE TABLE IF NOT EXISTS tributary.extractions
(
    owner_id UInt64 COMMENT 'xxHash64 of task: tasks.task_id, edges.contributor_id',
    branch LowCardinality(String) COMMENT 'Branch',
    source Enum8('definition' = 1, 'runs' = 2, 'people' = 3) COMMENT 'What is known: by the task''s definition, by its runs, by people who drew edges into a node',
    version UInt64 COMMENT 'Version of the record; the greatest stands',
    partition UInt16 COMMENT 'Partition of tributary.lineage that version belongs to',
    at DateTime64(3, 'UTC') COMMENT 'When the log took the record',
    kind LowCardinality(String) COMMENT 'Kind of the task',
    name String COMMENT 'Name of the task',
    dialect LowCardinality(String) COMMENT 'Dialect that the SQL was read as',
    dialect_guessed Bool COMMENT 'Nobody named the dialect',
    confidence Float32 COMMENT 'Of the guess, from 0 to 1',
    run_id String COMMENT 'Run that it was observed in',
    statements String COMMENT 'JSON: number, place, kind, reads and writes of each statement' CODEC(ZSTD(1)),
    columns String COMMENT 'JSON: columns that statements give to their targets' CODEC(ZSTD(1)),
    steps String COMMENT 'JSON: graph of the steps between columns' CODEC(ZSTD(1)),
    flink String COMMENT 'JSON: mapping tables of a Flink script' CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (owner_id, branch, source)
SETTINGS index_granularity = 128
COMMENT 'What the latest extraction of a task says beside its edges. It counts while the owner is live.';
