-- +goose Up
CREATE TABLE IF NOT EXISTS tributary.positions
(
    reader LowCardinality(String) COMMENT 'Who reads the log, such as lineage or catalog',
    topic LowCardinality(String) COMMENT 'Topic of the log',
    partition Int32 COMMENT 'Partition of the topic',
    generation UInt32 COMMENT 'Copy of the topic, counted by repartitions; the highest counts',
    next_offset Int64 COMMENT 'Every record before this offset is in the rows; the greatest counts',
    saved_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When it was saved, for people'
)
ENGINE = ReplacingMergeTree(next_offset)
ORDER BY (reader, topic, partition, generation)
COMMENT 'Up to where each reader of the log has written its rows. Saved after the rows; the greatest position counts, and says where to go on.';
