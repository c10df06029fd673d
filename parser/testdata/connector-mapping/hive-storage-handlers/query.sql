CREATE EXTERNAL TABLE orders (id INT) STORED BY 'org.apache.hive.storage.jdbc.JdbcStorageHandler' TBLPROPERTIES ("hive.sql.database.type" = "MYSQL", "hive.sql.jdbc.url" = "jdbc:mysql://db:3306/shop", "hive.sql.table" = "orders");
CREATE EXTERNAL TABLE clicks (id INT) STORED BY 'org.apache.hadoop.hive.kafka.KafkaStorageHandler' TBLPROPERTIES ("kafka.topic" = "clicks", "kafka.bootstrap.servers" = "k:9092");
INSERT INTO fact SELECT o.id FROM orders o JOIN clicks c ON c.id = o.id;
