-- +goose Up
CREATE VIEW IF NOT EXISTS tributary.attempts AS
SELECT space, build, job, attempt, runner, state, message, started_at, ended_at, version
FROM tributary.catalog_attempts FINAL
COMMENT 'Attempts at jobs, one row each.';
