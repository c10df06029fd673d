CREATE FUNCTION by_shop(n INT) RETURNS TABLE (no INT, total INT) AS $$ SELECT id, amount FROM sale WHERE shop = n $$;
CREATE TABLE d AS SELECT f.no, f.total FROM shops s, TABLE(by_shop(s.id)) f;
