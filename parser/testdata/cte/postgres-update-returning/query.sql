WITH upd AS (UPDATE a SET x = b.y FROM b WHERE b.id = a.id RETURNING a.id, a.x) INSERT INTO log (id, x) SELECT id, x FROM upd;
