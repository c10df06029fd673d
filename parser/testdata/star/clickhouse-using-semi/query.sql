INSERT INTO db.d SELECT * FROM db.a ANY LEFT JOIN db.b USING k; SELECT a.* , b.v FROM db.a AS a SEMI LEFT JOIN db.b AS b ON a.k = b.k; SELECT k FROM db.a PASTE JOIN db.b
