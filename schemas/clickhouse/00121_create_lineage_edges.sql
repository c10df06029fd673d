-- +goose Up
CREATE OR REPLACE VIEW tributary.lineage_edges
(
    from_key String COMMENT 'Key of the node that data comes from',
    to_key String COMMENT 'Key of the node that it goes into',
    from_name String COMMENT 'Its name, db.table for example',
    to_name String COMMENT 'Its name',
    origins Array(String) COMMENT 'parsed, declared, observed, manual',
    branches Array(String) COMMENT 'Branches on which it is there',
    contributors UInt64 COMMENT 'Number of tasks (or people''s nodes) that make it',
    since DateTime64(3, 'UTC') COMMENT 'When the oldest of what makes it came',
    from_id UInt64 COMMENT 'nodes.id',
    to_id UInt64 COMMENT 'nodes.id'
)
AS SELECT
    concat(f.family, '|', f.namespace, '|', f.name) AS from_key, concat(t.family, '|', t.namespace, '|', t.name) AS to_key,
    f.name AS from_name, t.name AS to_name,
    arrayMap(o -> toString(o), e.origins) AS origins, e.branches AS branches, e.contributors AS contributors, e.since AS since,
    e.from_id AS from_id, e.to_id AS to_id
FROM (
    SELECT from_id, to_id, direct, groupUniqArray(origin) AS origins, groupUniqArray(branch) AS branches,
        uniqExact(contributor_id) AS contributors, groupBitOr(via) AS via, max(unexpanded) AS unexpanded, min(opened_at) AS since
    FROM
    (
        SELECT from_id, to_id, direct, origin, contributor_id, branch, opened,
            argMax(closed, version) AS closed, argMax(e.via, version) AS via, argMax(e.unexpanded, version) AS unexpanded, argMax(e.opened_at, version) AS opened_at
        FROM tributary.edges AS e WHERE level = 'table'
        GROUP BY from_id, to_id, direct, origin, contributor_id, branch, opened
        HAVING closed = 0
    )
    GROUP BY from_id, to_id, direct
) AS e
INNER JOIN (SELECT DISTINCT id, parent_id, family, namespace, name, column FROM tributary.nodes) AS f ON f.id = e.from_id
INNER JOIN (SELECT DISTINCT id, parent_id, family, namespace, name, column FROM tributary.nodes) AS t ON t.id = e.to_id
COMMENT 'Table edges that are there now, each once, with who makes it.';
