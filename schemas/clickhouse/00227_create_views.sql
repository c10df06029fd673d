-- +goose Up
CREATE VIEW IF NOT EXISTS tributary.views AS
SELECT space, namespace, name, branch, incarnation, deleted, transaction, base, files, rows, bytes, schema, version
FROM tributary.catalog_views FINAL
COMMENT 'What each branch shows: sums and schema. Its files are those of transaction_files along the history.';
