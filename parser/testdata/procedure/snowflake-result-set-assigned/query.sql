DECLARE
  rs RESULTSET;
  c CURSOR FOR rs;
  n NUMBER;
BEGIN
  rs := (SELECT id, amount FROM invoice);
  FOR r IN c DO
    INSERT INTO invoice_copy (amount) VALUES (r.amount);
  END FOR;
  LET later RESULTSET := (EXECUTE IMMEDIATE 'SELECT total FROM budget');
  LET d CURSOR FOR later;
  OPEN d;
  FETCH d INTO n;
  INSERT INTO budget_copy (total) VALUES (:n);
END;
