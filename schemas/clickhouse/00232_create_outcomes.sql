-- +goose Up
CREATE VIEW IF NOT EXISTS tributary.outcomes AS
SELECT space, position, partition, event_source, event_id, event_type, accepted, repeat_of, code, message, actor, happened_at, version
FROM tributary.catalog_outcomes FINAL
COMMENT 'How each event of the catalog was judged.';
