-- +goose Up
CREATE OR REPLACE VIEW tributary.lineage_columns
(
    from_key String COMMENT 'Key of the node that the column belongs to',
    from_column String COMMENT 'Column that the value comes from, or that decides',
    to_key String COMMENT 'Key of the node that it goes into',
    to_column String COMMENT 'Column that it goes into; empty for an indirect edge, which reaches all',
    direct Bool COMMENT 'A value flows; false: it only decides rows, order or groups',
    via Array(String) COMMENT 'identity, transformation, aggregation, masking; filter, join, group_by, sort, window, conditional',
    unexpanded Bool COMMENT 'A star whose columns are not known',
    origins Array(String) COMMENT 'parsed, declared, observed, manual',
    branches Array(String) COMMENT 'Branches on which it is there',
    contributors UInt64 COMMENT 'Number of tasks (or people''s nodes) that make it',
    since DateTime64(3, 'UTC') COMMENT 'When the oldest of what makes it came',
    from_id UInt64 COMMENT 'nodes.id',
    to_id UInt64 COMMENT 'nodes.id'
)
AS SELECT
    concat(fp.family, '|', fp.namespace, '|', fp.name) AS from_key, f.column AS from_column,
    if(t.parent_id = 0, concat(t.family, '|', t.namespace, '|', t.name), concat(tp.family, '|', tp.namespace, '|', tp.name)) AS to_key, t.column AS to_column,
    e.direct AS direct,
    arrayMap(b -> ['identity', 'transformation', 'aggregation', 'masking', 'filter', 'join', 'group_by', 'sort', 'window', 'conditional'][b + 1], bitPositionsToArray(e.via)) AS via,
    e.unexpanded AS unexpanded,
    arrayMap(o -> toString(o), e.origins) AS origins, e.branches AS branches, e.contributors AS contributors, e.since AS since,
    e.from_id AS from_id, e.to_id AS to_id
FROM (
    SELECT from_id, to_id, direct, groupUniqArray(origin) AS origins, groupUniqArray(branch) AS branches,
        uniqExact(contributor_id) AS contributors, groupBitOr(via) AS via, max(unexpanded) AS unexpanded, min(opened_at) AS since
    FROM
    (
        SELECT from_id, to_id, direct, origin, contributor_id, branch, opened,
            argMax(closed, version) AS closed, argMax(e.via, version) AS via, argMax(e.unexpanded, version) AS unexpanded, argMax(e.opened_at, version) AS opened_at
        FROM tributary.edges AS e WHERE level = 'column'
        GROUP BY from_id, to_id, direct, origin, contributor_id, branch, opened
        HAVING closed = 0
    )
    GROUP BY from_id, to_id, direct
) AS e
INNER JOIN (SELECT DISTINCT id, parent_id, family, namespace, name, column FROM tributary.nodes) AS f ON f.id = e.from_id
INNER JOIN (SELECT DISTINCT id, parent_id, family, namespace, name, column FROM tributary.nodes) AS fp ON fp.id = f.parent_id
INNER JOIN (SELECT DISTINCT id, parent_id, family, namespace, name, column FROM tributary.nodes) AS t ON t.id = e.to_id
LEFT JOIN (SELECT DISTINCT id, parent_id, family, namespace, name, column FROM tributary.nodes) AS tp ON tp.id = t.parent_id
COMMENT 'Column edges that are there now, each once, with who makes it.';
