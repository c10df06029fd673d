-- +goose Up
CREATE OR REPLACE VIEW tributary.transactions
(
    space String COMMENT 'Space',
    transaction String COMMENT 'Id of the transaction',
    namespace String COMMENT 'Namespace of the dataset''s physical source',
    name String COMMENT 'Name of the dataset there',
    branch String COMMENT 'Name of the branch',
    incarnation UInt32 COMMENT 'Incarnation of the name, from 1',
    type LowCardinality(String) COMMENT 'SNAPSHOT, APPEND, UPDATE or DELETE',
    state LowCardinality(String) COMMENT 'OPEN, COMMITTED or ABORTED',
    previous String COMMENT 'Transaction before it in its history, empty for none',
    opened Int64 COMMENT 'Offset of the event that opened it',
    closed Int64 COMMENT 'Offset of the event that closed it, -1 while it is open',
    opened_at DateTime64(3, 'UTC') COMMENT 'When it was opened',
    closed_at DateTime64(3, 'UTC') COMMENT 'When it was closed, 1970 while it is open',
    actor String COMMENT 'Who opened it',
    build String COMMENT 'Build that it belongs to, empty for people and services',
    job Int32 COMMENT 'Number of the job in that build, -1 for none',
    job_spec String COMMENT 'Id of the job spec that made it',
    logic_hash String COMMENT 'Hash of the logic that made it',
    files_put UInt32 COMMENT 'Files that it puts',
    files_deleted UInt32 COMMENT 'Files that it deletes',
    rows Int64 COMMENT 'Rows of the files that it puts',
    bytes Int64 COMMENT 'Bytes of the files that it puts',
    schema String COMMENT 'Schema that it gives the view (JSON), empty if it leaves it',
    reason String COMMENT 'Why it was aborted',
    version UInt64 COMMENT 'Version of the event that caused the row: generation << 48 | offset + 1, in the space''s partition'
)
AS SELECT space, transaction, namespace, name, branch, incarnation, type, state, previous, opened, closed, opened_at, closed_at, actor, build, job, job_spec, logic_hash, files_put, files_deleted, rows, bytes, schema, reason, version
FROM tributary.catalog_transactions FINAL
COMMENT 'Transactions, one row each. The branch is the one that it was started on.';
