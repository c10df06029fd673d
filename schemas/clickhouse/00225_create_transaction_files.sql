-- +goose Up
CREATE VIEW IF NOT EXISTS tributary.transaction_files AS
SELECT space, transaction, path, operation, location, rows, bytes, checksum, version
FROM tributary.catalog_transaction_files FINAL
COMMENT 'Manifests of transactions, one row for each file.';
