-- +goose Up
CREATE OR REPLACE VIEW tributary.job_specs
(
    space String COMMENT 'Space',
    branch String COMMENT 'Branch that it is published for',
    spec String COMMENT 'Id of the job spec',
    gone Bool COMMENT 'Whether it has been removed',
    withdrawn Bool COMMENT 'Whether it hides what the fallbacks have',
    inputs Array(String) COMMENT 'Datasets that it reads, namespace|name',
    outputs Array(String) COMMENT 'Datasets that it writes',
    output_types Array(String) COMMENT 'How it writes each output',
    language String COMMENT 'Language of the logic',
    dialect String COMMENT 'SQL dialect',
    text String COMMENT 'The logic itself',
    ref String COMMENT 'Reference to the logic',
    hash String COMMENT 'Hash of the logic',
    engine String COMMENT 'Executor that runs it',
    properties Map(String, String) COMMENT 'What the executor gets',
    commit String COMMENT 'Revision of the code that it came from',
    published Int64 COMMENT 'Offset of the event that published it',
    version UInt64 COMMENT 'Version of the event that caused the row: generation << 48 | offset + 1, in the space''s partition'
)
AS SELECT space, branch, spec, gone, withdrawn, inputs, outputs, output_types, language, dialect, text, ref, hash, engine, properties, commit, published, version
FROM tributary.catalog_job_specs FINAL
COMMENT 'Job specs as they stand on each branch; removed ones have gone = true.';
