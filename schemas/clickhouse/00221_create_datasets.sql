-- +goose Up
CREATE VIEW IF NOT EXISTS tributary.datasets AS
SELECT space, namespace, name, created_at, version
FROM tributary.catalog_datasets FINAL
COMMENT 'Datasets of all spaces, one row each.';
