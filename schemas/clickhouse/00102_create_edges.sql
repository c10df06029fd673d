-- +goose Up
CREATE TABLE IF NOT EXISTS tributary.edges
(
    from_id UInt64 COMMENT 'Where the edge starts: id of a node, or of one of its columns (nodes.id)',
    to_id UInt64 COMMENT 'Where it goes: id of a node or column; an indirect edge goes to a node',
    level Enum8('table' = 1, 'column' = 2) COMMENT 'table joins nodes; column starts at a column',
    direct Bool COMMENT 'A value flows; false: it only decides rows, order or groups',
    origin Enum8('parsed' = 1, 'declared' = 2, 'observed' = 3, 'manual' = 4) COMMENT 'How it is known: SQL, a declaration, a run, a person',
    contributor_id UInt64 COMMENT 'Who makes it: tasks.task_id; of manual edges the id of the node that it goes into',
    branch LowCardinality(String) COMMENT 'Branch of the definition, run or manual edge',
    opened UInt64 COMMENT 'Version (generation << 48 | offset + 1) of the record since which it is there; part of the identity, so each period is a row',
    closed UInt64 COMMENT 'Version of the record that ended it; 0 while it is there',
    version UInt64 COMMENT 'Version of the record that caused this row; of rows with one identity the greatest stands',
    partition UInt16 COMMENT 'Partition that opened, closed and version belong to: of tributary.lineage, of manual edges of tributary.tasks',
    via UInt16 COMMENT 'What it goes through, a bit each from the lowest: identity, transformation, aggregation, masking, filter, join, group_by, sort, window, conditional',
    unexpanded Bool COMMENT 'A star whose columns are not known',
    statements Array(UInt32) COMMENT 'Numbers, from 1, of the statements that make it',
    opened_at DateTime64(3, 'UTC') COMMENT 'When the log took the record that opened it',
    closed_at DateTime64(3, 'UTC') COMMENT 'When the log took the record that closed it; 1970 while it is open',
    who String COMMENT 'Who drew a manual edge',
    why String COMMENT 'Why it was drawn'
)
ENGINE = ReplacingMergeTree(version)
PRIMARY KEY (from_id, to_id)
ORDER BY (from_id, to_id, level, direct, origin, contributor_id, branch, opened)
SETTINGS index_granularity = 1024
COMMENT 'Edges by where they start, a row for each contributor and each period in which its edge was there. An edge is there while a row of it has closed = 0 (of the greatest version). Written with edges_by_target, which has the same rows.';
