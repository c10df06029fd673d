CREATE TABLE dist AS local ENGINE = Distributed(cl, db1, local, rand());
INSERT INTO dist SELECT a, b FROM src;
SELECT a FROM dist FINAL SAMPLE 0.1 PREWHERE b > 1 WHERE c = 2 LIMIT 1 BY d SETTINGS max_threads = 1
