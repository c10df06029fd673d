-- +goose Up
CREATE VIEW IF NOT EXISTS tributary.branches AS
SELECT space, namespace, name, branch, incarnation, deleted, parent, parent_incarnation, head, head_state, committed, build, created_at, version
FROM tributary.catalog_branches FINAL
COMMENT 'Branches with their parents and heads, one row for each incarnation; living ones have deleted = false.';
