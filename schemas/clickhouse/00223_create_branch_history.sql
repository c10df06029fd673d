-- +goose Up
CREATE OR REPLACE VIEW tributary.branch_history
(
    space String COMMENT 'Space',
    namespace String COMMENT 'Namespace of the dataset''s physical source',
    name String COMMENT 'Name of the dataset there',
    branch String COMMENT 'Name of the branch',
    incarnation UInt32 COMMENT 'Incarnation of the name, from 1',
    position Int64 COMMENT 'Offset of the event in the space''s partition',
    step UInt32 COMMENT 'Number of the step within the event',
    cause LowCardinality(String) COMMENT 'CREATED, DELETED, RESTORED, REPARENTED, STARTED, COMMITTED or ABORTED',
    parent String COMMENT 'Parent after the step',
    parent_incarnation UInt32 COMMENT 'Incarnation of that parent',
    head String COMMENT 'Head after the step',
    build String COMMENT 'Build that caused it, empty for others',
    actor String COMMENT 'Who asked for it',
    happened_at DateTime64(3, 'UTC') COMMENT 'When, as the event says',
    version UInt64 COMMENT 'Version of the event that caused the row: generation << 48 | offset + 1, in the space''s partition'
)
AS SELECT space, namespace, name, branch, incarnation, position, step, cause, parent, parent_incarnation, head, build, actor, happened_at, version
FROM tributary.catalog_branch_history FINAL
COMMENT 'History of branches: each change of a pointer and of the parent record.';
