INSERT INTO db.d (a, b) SELECT x, y FROM db.t AS t FINAL WHERE t.z IN (SELECT z FROM db.u) AND (x, y) NOT IN ((1, 2)); INSERT INTO db.e FORMAT JSONEachRow {"a": 1}
