-- +goose Up
CREATE OR REPLACE VIEW tributary.lineage_nodes
(
    key String COMMENT 'family|namespace|name',
    family String COMMENT 'dataset, task, api, metric, tag, dashboard',
    namespace String COMMENT 'Physical source, or namespace of tasks',
    name String COMMENT 'What the platform calls it',
    kind String COMMENT 'table, view, topic, batch, realtime, …; of several answers the one that a definition gives',
    id UInt64 COMMENT 'nodes.id'
)
AS SELECT
    concat(n.family, '|', n.namespace, '|', n.name) AS key, n.family AS family, n.namespace AS namespace, n.name AS name,
    multiIf(d.kind != '', d.kind, k.kind != '', k.kind, m.kind != '', m.kind, n.family = 'dataset', 'table', n.family) AS kind,
    n.id AS id
FROM (SELECT DISTINCT id, family, namespace, name FROM tributary.nodes WHERE parent_id = 0) AS n
LEFT JOIN
(
    SELECT node_id, argMax(kind, opened) AS kind FROM tributary.table_definitions WHERE derived_by = '' GROUP BY node_id
) AS d ON d.node_id = n.id
LEFT JOIN
(
    SELECT node_id, argMax(kind, opened) AS kind FROM tributary.tasks GROUP BY node_id
) AS k ON k.node_id = n.id
LEFT JOIN
(
    SELECT node_id, max(kind) AS kind FROM
    (
        SELECT node_id, owner_id, branch, source, argMax(mentions.kind, version) AS kind, argMax(mentions.closed, version) AS closed
        FROM tributary.mentions GROUP BY node_id, owner_id, branch, source HAVING NOT closed
    )
    GROUP BY node_id
) AS m ON m.node_id = n.id
COMMENT 'Every node that was ever mentioned, with its kind.';
