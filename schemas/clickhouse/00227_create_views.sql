-- +goose Up
CREATE OR REPLACE VIEW tributary.views
(
    space String COMMENT 'Space',
    namespace String COMMENT 'Namespace of the dataset''s physical source',
    name String COMMENT 'Name of the dataset there',
    branch String COMMENT 'Name of the branch',
    incarnation UInt32 COMMENT 'Incarnation of the name, from 1',
    deleted Bool COMMENT 'Whether the branch has been deleted',
    transaction String COMMENT 'Latest COMMITTED transaction of the branch, empty for none',
    base String COMMENT 'Transaction that the view begins with: the latest SNAPSHOT, else the first',
    files Int64 COMMENT 'Files',
    rows Int64 COMMENT 'Rows',
    bytes Int64 COMMENT 'Bytes',
    schema String COMMENT 'Schema of the view (JSON), empty if none was given',
    version UInt64 COMMENT 'Version of the event that caused the row: generation << 48 | offset + 1, in the space''s partition'
)
AS SELECT space, namespace, name, branch, incarnation, deleted, transaction, base, files, rows, bytes, schema, version
FROM tributary.catalog_views FINAL
COMMENT 'What each branch shows: sums and schema. Its files are those of transaction_files along the history.';
