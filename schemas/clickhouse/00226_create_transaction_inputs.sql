-- +goose Up
CREATE VIEW IF NOT EXISTS tributary.transaction_inputs AS
SELECT space, transaction, number, namespace, name, input, since, version
FROM tributary.catalog_transaction_inputs FINAL
COMMENT 'Which transactions each committed transaction was made from: which version of A is in C.';
