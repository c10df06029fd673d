-- +goose Up
CREATE OR REPLACE VIEW tributary.runs
(
    task String COMMENT 'Key of the task, namespace|id',
    run_id String COMMENT 'The run',
    branch String COMMENT 'Branch that it was on',
    state String COMMENT 'running, or the first state that ended it',
    started Nullable(DateTime64(3, 'UTC')) COMMENT 'When it began, by the sender''s clock',
    ended Nullable(DateTime64(3, 'UTC')) COMMENT 'When it ended, by the sender''s clock',
    error String COMMENT 'Why it failed',
    task_id UInt64 COMMENT 'tasks.task_id'
)
AS SELECT
    any(r.task) AS task, r.run_id AS run_id, argMax(r.branch, r.version) AS branch,
    if(countIf(r.state != 'running') = 0, 'running', toString(argMinIf(r.state, r.version, r.state != 'running'))) AS state,
    min(ifNull(r.started, if(r.state = 'running', r.occurred_at, NULL))) AS started,
    if(countIf(r.state != 'running') = 0, NULL, argMinIf(ifNull(r.ended, r.occurred_at), r.version, r.state != 'running')) AS ended,
    argMinIf(r.error, r.version, r.state IN ('failed', 'aborted')) AS error,
    r.task_id AS task_id
FROM (SELECT * FROM tributary.run_events FINAL) AS r
GROUP BY r.task_id, r.run_id
COMMENT 'Runs, each once, with the state that it is in.';
