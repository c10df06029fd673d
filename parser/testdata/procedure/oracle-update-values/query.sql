DECLARE v_mx NUMBER;
BEGIN
  SELECT MAX(id) INTO v_mx FROM src;
  UPDATE ctl SET last_id = v_mx WHERE nm = 'src';
  v_mx := v_mx + 1;
  INSERT INTO lg (n) VALUES (v_mx);
END;
/
