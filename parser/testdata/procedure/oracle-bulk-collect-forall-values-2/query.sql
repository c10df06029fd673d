DECLARE TYPE t_tab IS TABLE OF src%ROWTYPE; l_tab t_tab;
BEGIN
  SELECT a, b BULK COLLECT INTO l_tab FROM src;
  FORALL i IN 1 .. l_tab.COUNT INSERT INTO dst VALUES l_tab(i);
  FORALL i IN 1 .. l_tab.COUNT INSERT INTO dst2 (x) VALUES (l_tab(i).b);
END;
