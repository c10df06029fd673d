-- +goose Up
CREATE VIEW IF NOT EXISTS tributary.jobs AS
SELECT space, build, job, spec, spec_branch, state, reason, code, message, incremental, upstream, inputs, input_branches, input_transactions, outputs, output_transactions, attempts, version
FROM tributary.catalog_jobs FINAL
COMMENT 'Jobs of builds with what they read and write, one row each.';
