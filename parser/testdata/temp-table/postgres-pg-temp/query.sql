CREATE TEMP TABLE tt AS SELECT a FROM s; INSERT INTO f (x) SELECT pg_temp.tt.a FROM pg_temp.tt; INSERT INTO f2 (x) SELECT tt.a FROM pg_temp.tt
