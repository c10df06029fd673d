CREATE VIEW v AS SELECT o.value:id::int AS id, o.value:lines[0].sku::string AS sku, l.value:q AS q FROM raw r, LATERAL FLATTEN(input => r.doc:orders) o, LATERAL FLATTEN(input => o.value:lines) l
