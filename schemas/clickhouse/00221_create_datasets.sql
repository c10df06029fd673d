-- +goose Up
CREATE OR REPLACE VIEW tributary.datasets
(
    space String COMMENT 'Space',
    namespace String COMMENT 'Namespace of the dataset''s physical source',
    name String COMMENT 'Name of the dataset there',
    created_at DateTime64(3, 'UTC') COMMENT 'When it was made',
    version UInt64 COMMENT 'Version of the event that caused the row: generation << 48 | offset + 1, in the space''s partition'
)
AS SELECT space, namespace, name, created_at, version
FROM tributary.catalog_datasets FINAL
COMMENT 'Datasets of all spaces, one row each.';
