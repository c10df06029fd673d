CREATE TABLE pg (a Int32) ENGINE = PostgreSQL('pg:5432', 'dw', 'tbl', 'u', 'p', 'sch'); CREATE TABLE my (a Int32) ENGINE = MySQL('my:3306', 'db', 't', 'u', 'p'); CREATE TABLE s3t (a Int32) ENGINE = S3('https://b/k', 'CSV'); CREATE TABLE kf (a String) ENGINE = Kafka('k:9092', 't1,t2', 'g', 'JSONEachRow');
INSERT INTO my SELECT a FROM pg;
