DO $$
BEGIN
  FOR i IN REVERSE 10 .. 1 BY 2 LOOP
    INSERT INTO d (a, n) SELECT x, i FROM t WHERE part = i;
  END LOOP;
END $$
