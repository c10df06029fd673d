INSERT INTO d SELECT k, exploded.c.v FROM (SELECT k, explode(arr) AS c FROM t) exploded;
