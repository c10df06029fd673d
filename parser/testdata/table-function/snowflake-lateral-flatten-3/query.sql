CREATE TABLE d AS SELECT src:a.b[0].c::int AS x, GET(src, 'q') AS y, PARSE_JSON(z):k::string AS k, f.value AS v FROM t, LATERAL FLATTEN(input => src:items, outer => true) f;
