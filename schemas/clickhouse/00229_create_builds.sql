-- +goose Up
CREATE OR REPLACE VIEW tributary.builds
(
    space String COMMENT 'Space',
    build String COMMENT 'Id of the build',
    state LowCardinality(String) COMMENT 'QUEUED, RUNNING, SUCCEEDED, FAILED, CANCELED or REFUSED',
    branch String COMMENT 'Build branch',
    fallbacks Array(String) COMMENT 'Fallbacks, in order',
    targets Array(String) COMMENT 'Datasets that were wanted, namespace|name',
    mode LowCardinality(String) COMMENT 'only, upstream or between',
    force Bool COMMENT 'Whether fresh jobs run too',
    retries UInt32 COMMENT 'Retries of a job',
    digest String COMMENT 'Digest of the plan',
    code String COMMENT 'Code of the first refusal',
    message String COMMENT 'Why it was refused, or aborted',
    waits_for Array(String) COMMENT 'Datasets that it waits for while QUEUED',
    jobs UInt32 COMMENT 'Number of jobs',
    actor String COMMENT 'Who asked for it',
    requested Int64 COMMENT 'Offset of the request',
    requested_at DateTime64(3, 'UTC') COMMENT 'When it was asked for',
    admitted_at DateTime64(3, 'UTC') COMMENT 'When it was admitted, 1970 while not',
    finished_at DateTime64(3, 'UTC') COMMENT 'When it ended, 1970 while not',
    version UInt64 COMMENT 'Version of the event that caused the row: generation << 48 | offset + 1, in the space''s partition'
)
AS SELECT space, build, state, branch, fallbacks, targets, mode, force, retries, digest, code, message, waits_for, jobs, actor, requested, requested_at, admitted_at, finished_at, version
FROM tributary.catalog_builds FINAL
COMMENT 'Builds, one row each.';
