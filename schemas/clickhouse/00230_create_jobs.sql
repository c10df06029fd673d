-- +goose Up
CREATE OR REPLACE VIEW tributary.jobs
(
    space String COMMENT 'Space',
    build String COMMENT 'Id of the build',
    job UInt32 COMMENT 'Number of the job in the build',
    spec String COMMENT 'Id of the job spec',
    spec_branch String COMMENT 'Branch that the job spec came from',
    state LowCardinality(String) COMMENT 'WAITING, RUN_PENDING, RUNNING, COMPLETED, FAILED, ABORT_PENDING, ABORTED or SKIPPED',
    reason String COMMENT 'Why it runs or is skipped',
    code String COMMENT 'Code of what ended it without success',
    message String COMMENT 'What ended it without success',
    incremental Bool COMMENT 'Whether it reads only what its inputs gained',
    upstream Array(UInt32) COMMENT 'Jobs of the build that it reads from',
    inputs Array(String) COMMENT 'Datasets that it reads, namespace|name',
    input_branches Array(String) COMMENT 'Branch that is read of each',
    input_transactions Array(String) COMMENT 'Transaction that is read of each, empty while not known',
    outputs Array(String) COMMENT 'Datasets that it writes',
    output_transactions Array(String) COMMENT 'Transaction of each that was opened last',
    attempts UInt32 COMMENT 'Attempts so far',
    version UInt64 COMMENT 'Version of the event that caused the row: generation << 48 | offset + 1, in the space''s partition'
)
AS SELECT space, build, job, spec, spec_branch, state, reason, code, message, incremental, upstream, inputs, input_branches, input_transactions, outputs, output_transactions, attempts, version
FROM tributary.catalog_jobs FINAL
COMMENT 'Jobs of builds with what they read and write, one row each.';
