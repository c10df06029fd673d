BEGIN
  INSERT INTO a SELEC x FROM b;
  INSERT INTO c SELECT x FROM d;
END;
/
-- 2:23 expected VALUES or a query, found “x”
