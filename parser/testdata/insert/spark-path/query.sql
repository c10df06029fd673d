INSERT INTO delta.`/p/a` SELECT a FROM t
