-- +goose Up
CREATE OR REPLACE VIEW tributary.transaction_inputs
(
    space String COMMENT 'Space',
    transaction String COMMENT 'Id of the transaction that was made',
    number UInt32 COMMENT 'Number of the input, from 0',
    namespace String COMMENT 'Namespace of the dataset that was read',
    name String COMMENT 'Name of the dataset that was read',
    input String COMMENT 'Id of the transaction that was read, empty for a dataset of another space',
    since String COMMENT 'If not empty, only what came after this transaction was read',
    version UInt64 COMMENT 'Version of the event that caused the row: generation << 48 | offset + 1, in the space''s partition'
)
AS SELECT space, transaction, number, namespace, name, input, since, version
FROM tributary.catalog_transaction_inputs FINAL
COMMENT 'Which transactions each committed transaction was made from: which version of A is in C.';
