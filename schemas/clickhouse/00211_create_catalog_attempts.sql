-- +goose Up
CREATE TABLE IF NOT EXISTS tributary.catalog_attempts
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
ENGINE = ReplacingMergeTree(version)
ORDER BY (space, build, job, attempt)
COMMENT 'Attempts at jobs, a row each.';
