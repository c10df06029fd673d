SET (p, q) = (1, (SELECT MAX(z) FROM mz)); INSERT INTO o2 (k) SELECT $q
