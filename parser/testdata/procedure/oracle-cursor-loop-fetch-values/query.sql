DECLARE
  CURSOR c IS SELECT id, nm FROM src WHERE f = 1;
  r c%ROWTYPE;
BEGIN
  OPEN c;
  LOOP
    FETCH c INTO r;
    EXIT WHEN c%NOTFOUND;
    INSERT INTO dst (id, nm) VALUES (r.id, r.nm);
  END LOOP;
  CLOSE c;
END;
