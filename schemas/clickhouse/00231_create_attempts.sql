-- +goose Up
CREATE OR REPLACE VIEW tributary.attempts
(
    space String COMMENT 'Space',
    build String COMMENT 'Id of the build',
    job UInt32 COMMENT 'Number of the job',
    attempt UInt32 COMMENT 'Number of the attempt, from 1',
    runner String COMMENT 'Runner that has it',
    state LowCardinality(String) COMMENT 'RUNNING, SUCCEEDED, FAILED, EXPIRED or ABORTED',
    message String COMMENT 'Why it ended without success',
    started_at DateTime64(3, 'UTC') COMMENT 'When it began',
    ended_at DateTime64(3, 'UTC') COMMENT 'When it ended, 1970 while not',
    version UInt64 COMMENT 'Version of the event that caused the row: generation << 48 | offset + 1, in the space''s partition'
)
AS SELECT space, build, job, attempt, runner, state, message, started_at, ended_at, version
FROM tributary.catalog_attempts FINAL
COMMENT 'Attempts at jobs, one row each.';
