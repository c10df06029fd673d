SET src = 'raw.day';
INSERT INTO d (a) SELECT a FROM TABLE($src);
INSERT INTO e (a) SELECT a FROM TABLE(:given);
