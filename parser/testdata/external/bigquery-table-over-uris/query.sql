CREATE EXTERNAL TABLE ds.raw OPTIONS (format = 'CSV', uris = ['gs://b/a.csv', 'gs://b/b.csv']);
INSERT INTO ds.fact SELECT * FROM ds.raw;
