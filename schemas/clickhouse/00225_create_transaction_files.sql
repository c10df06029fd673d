-- +goose Up
CREATE OR REPLACE VIEW tributary.transaction_files
(
    space String COMMENT 'Space',
    transaction String COMMENT 'Id of the transaction',
    path String COMMENT 'Path of the file in the dataset',
    operation Enum8('put' = 1, 'delete' = 2) COMMENT 'What the transaction does with it',
    location String COMMENT 'Where the bytes are',
    rows Int64 COMMENT 'Rows, 0 if unknown',
    bytes Int64 COMMENT 'Size',
    checksum String COMMENT 'algorithm:hex, or empty',
    version UInt64 COMMENT 'Version of the event that caused the row: generation << 48 | offset + 1, in the space''s partition'
)
AS SELECT space, transaction, path, operation, location, rows, bytes, checksum, version
FROM tributary.catalog_transaction_files FINAL
COMMENT 'Manifests of transactions, one row for each file.';
