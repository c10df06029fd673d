-- +goose Up
CREATE TABLE IF NOT EXISTS tributary.mentions
(
    node_id UInt64 COMMENT 'nodes.id',
    owner_id UInt64 COMMENT 'xxHash64 of task: tasks.task_id, edges.contributor_id',
    branch LowCardinality(String) COMMENT 'Branch',
    source Enum8('definition' = 1, 'runs' = 2, 'people' = 3) COMMENT 'What is known: by the task''s definition, by its runs, by people who drew edges into a node',
    kind LowCardinality(String) COMMENT 'view, topic, … as the owner''s SQL or event says; empty if it says none',
    display String COMMENT 'The name as the SQL writes it, where that differs from nodes.name',
    closed Bool COMMENT 'The owner does not say so any more',
    version UInt64 COMMENT 'Version of the record; the greatest stands',
    partition UInt16 COMMENT 'Partition of tributary.lineage that version belongs to'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (node_id, owner_id, branch, source)
SETTINGS index_granularity = 1024
COMMENT 'What owners say of a node beyond its key, where they say anything. A table_definitions row of the node counts before it.';
