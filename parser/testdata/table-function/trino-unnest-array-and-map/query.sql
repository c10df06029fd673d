SELECT u.e, u.k, u.v, u.o FROM t CROSS JOIN UNNEST(t.items, t.attrs) WITH ORDINALITY AS u (e, k, v, o);
SELECT jt.a, jt.b FROM t, JSON_TABLE(t.doc, 'strict $' COLUMNS (a INT PATH 'lax $.a', NESTED PATH 'lax $.n[*]' AS n COLUMNS (b VARCHAR PATH 'lax $')) PLAN DEFAULT (OUTER)) AS jt
