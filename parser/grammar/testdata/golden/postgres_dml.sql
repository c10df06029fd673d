WITH m AS (DELETE FROM live USING u WHERE live.i = u.i RETURNING live.*)
INSERT INTO arch AS a (x) SELECT m.j->'k'->>'l' FROM m ON CONFLICT (x) DO UPDATE SET y = excluded.x || a.y WHERE a.z RETURNING x INTO v;
SELECT DISTINCT ON (a) a::text[], b[1:2], (c).d, e @> '{}', f FILTER FROM ONLY g, unnest(h, i) WITH ORDINALITY AS u (p, q), json_to_recordset(j) AS r (a int, b text);
SELECT a INTO TEMP t FROM u;
COPY t (a) FROM STDIN;
1	it's
\.
COPY (SELECT a FROM t) TO '/f' WITH (FORMAT csv);
