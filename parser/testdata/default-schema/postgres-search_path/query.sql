SET search_path TO app, public;
INSERT INTO d SELECT x FROM t;
