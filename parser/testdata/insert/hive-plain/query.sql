SELECT a FROM t WHERE b IN ('x;y', "z") AND c = "d\"e; f" -- x; y
;INSERT INTO z SELECT q FROM w;
