INSERT INTO d SELECT a FROM s3Cluster('c', 'https://b/x.parquet', 'Parquet'), postgresql('h:5432', 'db', 't', 'u', 'p'), url('http://x/y', CSV, 'a Int32'), cluster('cl', db2.t2), merge('db1', '^x');
