SELECT EXISTS (SELECT 1 FROM b WHERE b.k = a.k) AS e, a.x IN (SELECT y FROM c) AS i, a.p > a.q AS f, a.r IS NULL AS n FROM a
