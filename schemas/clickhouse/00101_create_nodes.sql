-- +goose Up
CREATE TABLE IF NOT EXISTS tributary.nodes
(
    id UInt64 COMMENT 'xxHash64 of the key family|namespace|name; of a column, of the key, a zero byte and the column',
    parent_id UInt64 COMMENT 'Of a column the id of its node, else 0',
    family LowCardinality(String) COMMENT 'dataset, task, api, metric, tag, dashboard; empty in the row of a column',
    namespace LowCardinality(String) COMMENT 'Physical source (mysql://host:3306) or namespace of tasks; empty in the row of a column',
    name String COMMENT 'What the platform calls it, db.table for example; empty in the row of a column',
    column String COMMENT 'The column; empty in the row of a node'
)
ENGINE = ReplacingMergeTree
PRIMARY KEY id
ORDER BY (id, parent_id, family, namespace, name, column)
SETTINGS index_granularity = 1024
COMMENT 'Every node and column that was ever mentioned, by id. Rows never change and are not taken away; what is there now is in the edges. All that names a row is in its sorting key: should two names share an id, both rows stay to be seen, and the projector refuses the record that brought the second.';
