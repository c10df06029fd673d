-- +goose Up
CREATE OR REPLACE VIEW tributary.branches
(
    space String COMMENT 'Space',
    namespace String COMMENT 'Namespace of the dataset''s physical source',
    name String COMMENT 'Name of the dataset there',
    branch String COMMENT 'Name of the branch',
    incarnation UInt32 COMMENT 'Incarnation of the name, from 1',
    deleted Bool COMMENT 'Whether it has been deleted',
    parent String COMMENT 'Branch that it descends from, empty for a root',
    parent_incarnation UInt32 COMMENT 'Incarnation of the parent',
    head String COMMENT 'Id of the transaction that it points to, empty for none',
    head_state LowCardinality(String) COMMENT 'State of that transaction: OPEN or COMMITTED',
    committed String COMMENT 'Id of the latest COMMITTED transaction of its history',
    build String COMMENT 'Build that made it for an output, empty for a person',
    created_at DateTime64(3, 'UTC') COMMENT 'When it was made',
    version UInt64 COMMENT 'Version of the event that caused the row: generation << 48 | offset + 1, in the space''s partition'
)
AS SELECT space, namespace, name, branch, incarnation, deleted, parent, parent_incarnation, head, head_state, committed, build, created_at, version
FROM tributary.catalog_branches FINAL
COMMENT 'Branches with their parents and heads, one row for each incarnation; living ones have deleted = false.';
