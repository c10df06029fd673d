-- +goose Up
CREATE VIEW IF NOT EXISTS tributary.transactions AS
SELECT space, transaction, namespace, name, branch, incarnation, type, state, previous, opened, closed, opened_at, closed_at, actor, build, job, job_spec, logic_hash, files_put, files_deleted, rows, bytes, schema, reason, version
FROM tributary.catalog_transactions FINAL
COMMENT 'Transactions, one row each. The branch is the one that it was started on.';
