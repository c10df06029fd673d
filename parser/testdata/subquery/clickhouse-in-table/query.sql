INSERT INTO d SELECT id FROM t WHERE k IN chosen AND id NOT IN db.banned;
INSERT INTO e WITH [1, 2] AS few, c AS (SELECT k FROM u) SELECT id FROM t WHERE id IN few AND k IN c AND k IN tags;
