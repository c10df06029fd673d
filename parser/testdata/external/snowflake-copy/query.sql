COPY INTO @stg/out/ FROM (SELECT a, b FROM t) FILE_FORMAT = (TYPE = CSV);
COPY INTO 's3://b/x' FROM db1.s1.t2;
