SET @m = (SELECT MAX(id) FROM src);
INSERT INTO d (x) SELECT id + @m FROM s WHERE id > @m;
SELECT MAX(id) INTO @n FROM q;
INSERT INTO e (y) SELECT @n;
