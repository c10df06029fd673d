DECLARE
  amt NUMBER;
BEGIN
  SELECT MAX(amt) INTO amt FROM payment;
  EXECUTE IMMEDIATE q'{INSERT INTO audit_row (amt, kind) SELECT amt, 'x' FROM refund}';
  EXECUTE IMMEDIATE 'INSERT INTO top_row (amt, day) SELECT :a, r.day FROM refund r WHERE r.kind = :k' USING amt, 'y';
END;
/
