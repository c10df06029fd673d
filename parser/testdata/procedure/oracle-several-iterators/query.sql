BEGIN
  FOR i IN 1, REPEAT i * 2 WHILE i <= 64, 100 .. 103 LOOP
    INSERT INTO d (a, b) SELECT x, rates.convert@remote(y) FROM t WHERE n = i;
  END LOOP;
END;
/
