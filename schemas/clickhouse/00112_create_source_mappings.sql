-- +goose Up
CREATE TABLE IF NOT EXISTS tributary.source_mappings
(
    id String COMMENT 'Names the mapping',
    opened UInt64 COMMENT 'Version of the record in tributary.definitions (one partition); the greatest is what counts now',
    opened_at DateTime64(3, 'UTC') COMMENT 'When the log took the record',
    status Enum8('merged' = 1, 'unmerged' = 2) COMMENT 'What the event says',
    from_namespace String COMMENT 'Names under this namespace',
    from_prefix String COMMENT 'that begin with this',
    to_namespace String COMMENT 'are the names under this namespace',
    to_prefix String COMMENT 'with this in its place',
    exact Bool COMMENT 'The prefixes are whole names',
    ignore_case Bool COMMENT 'Names under from are compared without case',
    who String COMMENT 'Who said so',
    why String COMMENT 'and why',
    hash FixedString(16) COMMENT 'Hash of the event''s data, by which a repeat is known'
)
ENGINE = ReplacingMergeTree
ORDER BY (id, opened)
COMMENT 'Places that are the same, a row for each change of a mapping. Stored edges keep the keys that they came with; canonical keys follow from these.';
