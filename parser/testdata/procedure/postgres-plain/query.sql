CREATE FUNCTION f(a int) RETURNS TABLE (x int, y text) LANGUAGE sql AS $$ SELECT id, nm FROM t WHERE k = a $$;
INSERT INTO d SELECT * FROM f(3);
