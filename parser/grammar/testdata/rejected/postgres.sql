CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE t SET;
  DELETE FROM u;
END $$;
SELECT 1
-- 3:15 expected a column to set, found the end of the statement
