-- +goose Up
CREATE VIEW IF NOT EXISTS tributary.builds AS
SELECT space, build, state, branch, fallbacks, targets, mode, force, retries, digest, code, message, waits_for, jobs, actor, requested, requested_at, admitted_at, finished_at, version
FROM tributary.catalog_builds FINAL
COMMENT 'Builds, one row each.';
