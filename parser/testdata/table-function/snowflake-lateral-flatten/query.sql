CREATE TABLE d AS SELECT t.id, f.value:name::string AS nm, f.index AS ix, f.key FROM t, LATERAL FLATTEN(input => t.arr) f;
