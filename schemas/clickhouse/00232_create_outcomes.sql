-- +goose Up
CREATE OR REPLACE VIEW tributary.outcomes
(
    space String COMMENT 'Space',
    position Int64 COMMENT 'Offset of the event in the space''s partition',
    partition UInt16 COMMENT 'That partition',
    event_source String COMMENT 'Source of the event',
    event_id String COMMENT 'Id of the event',
    event_type LowCardinality(String) COMMENT 'Type of the event',
    accepted Bool COMMENT 'Whether the fold accepted it',
    repeat_of Int64 COMMENT 'Offset of the event of the same source and id that was judged, -1 for a first one',
    code LowCardinality(String) COMMENT 'Code of the rule that refused it, or that ended a job',
    message String COMMENT 'The same as a sentence',
    actor String COMMENT 'Who sent it',
    happened_at DateTime64(3, 'UTC') COMMENT 'When, as the event says',
    version UInt64 COMMENT 'Version of the event that caused the row: generation << 48 | offset + 1, in the space''s partition'
)
AS SELECT space, position, partition, event_source, event_id, event_type, accepted, repeat_of, code, message, actor, happened_at, version
FROM tributary.catalog_outcomes FINAL
COMMENT 'How each event of the catalog was judged.';
