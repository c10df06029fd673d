CREATE VIEW v AS SELECT count(*), sum(a) , b::text, upper(c), (SELECT 1), a + 1 FROM t GROUP BY b, c;
