INSERT OVERWRITE TABLE db.t SELECT a.c1, b.c2 FROM db.x a, db.y b WHERE a.k = b.k AND c3 = 1
