MERGE INTO delta.`/p/t` t USING parquet.`/p/s` s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v + 1)
