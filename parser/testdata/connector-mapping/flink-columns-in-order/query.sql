CREATE TABLE src (id INT, next_id AS id + 1, name STRING) WITH ('connector' = 'datagen');
CREATE TABLE snk (a INT, pt AS PROCTIME(), pos BIGINT METADATA VIRTUAL, b INT, c STRING) WITH ('connector' = 'kafka', 'topic' = 't', 'properties.bootstrap.servers' = 'k:9092');
INSERT INTO snk SELECT * FROM src;
