-- +goose Up
CREATE TABLE IF NOT EXISTS tributary.owners
(
    owner_id UInt64 COMMENT 'xxHash64 of task: tasks.task_id, edges.contributor_id',
    branch LowCardinality(String) COMMENT 'Branch',
    source Enum8('definition' = 1, 'runs' = 2, 'people' = 3) COMMENT 'What is known: by the task''s definition, by its runs, by people who drew edges into a node',
    task String COMMENT 'Key of the task''s records, namespace|id; of people the key of the node that the edges go into',
    partition UInt16 COMMENT 'Partition that version belongs to',
    version UInt64 COMMENT 'Version of the last record that changed the owner: its rows in all other tables are there',
    status Enum8('new' = 0, 'live' = 1, 'removed' = 2, 'withdrawn' = 3) COMMENT 'What the last event left; new while a long extraction comes in parts',
    from_generation UInt16 COMMENT 'Where the task event stands that the extraction came from: generation of tributary.tasks,',
    from_partition UInt16 COMMENT 'partition of it,',
    from_offset Int64 COMMENT 'and offset',
    definitions_generation UInt16 COMMENT 'Generation of tributary.definitions that it was resolved at,',
    definitions_offset Int64 COMMENT 'and next offset there',
    parser UInt32 COMMENT 'Version of the parser',
    hash String COMMENT 'Hash of the definition, by which a repeat is known',
    use_keys Array(String) COMMENT 'Definitions that were looked up: keys of datasets, source|id of sources',
    use_hashes Array(String) COMMENT 'Hash of what each look-up found; empty if nothing',
    edge_count UInt32 COMMENT 'Number of edges that are open',
    updated_at DateTime64(3, 'UTC') COMMENT 'When the log took the record of version',
    state String COMMENT 'State of the fold: its whole set of edges with when each was opened (JSON, see fold/lineage/state.go)' CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (owner_id, branch, source)
SETTINGS index_granularity = 128
COMMENT 'State of the lineage fold, a row for each task, branch and source. Written after all rows that it causes, so it proves them.';
