CREATE TABLE src (id INT) WITH ('connector.type' = 'kafka', 'connector.topic' = 'orders', 'connector.properties.bootstrap.servers' = 'k:9092');
CREATE TABLE many (id INT) WITH ('connector' = 'kafka', 'topic-pattern' = 'log-.*', 'properties.bootstrap.servers' = 'k:9092');
CREATE TABLE snk (id INT) WITH ('connector.type' = 'jdbc', 'connector.url' = 'jdbc:mysql://db:3306/shop', 'connector.table' = 'orders');
INSERT INTO snk SELECT id FROM src UNION ALL SELECT id FROM many;
