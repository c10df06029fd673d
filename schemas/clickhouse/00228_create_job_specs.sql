-- +goose Up
CREATE VIEW IF NOT EXISTS tributary.job_specs AS
SELECT space, branch, spec, gone, withdrawn, inputs, outputs, output_types, language, dialect, text, ref, hash, engine, properties, commit, published, version
FROM tributary.catalog_job_specs FINAL
COMMENT 'Job specs as they stand on each branch; removed ones have gone = true.';
