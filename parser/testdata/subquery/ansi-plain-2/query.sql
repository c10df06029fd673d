INSERT INTO d (a) SELECT a.x FROM a WHERE (a.k, a.l) IN (SELECT k, l FROM b) OR a.m NOT IN (SELECT m FROM c) OR a.n > ALL (SELECT n FROM e) OR a.q = SOME (SELECT q FROM f)
