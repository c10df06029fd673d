-- +goose Up
CREATE VIEW IF NOT EXISTS tributary.branch_history AS
SELECT space, namespace, name, branch, incarnation, position, step, cause, parent, parent_incarnation, head, build, actor, happened_at, version
FROM tributary.catalog_branch_history FINAL
COMMENT 'History of branches: each change of a pointer and of the parent record.';
