CREATE TABLE FUNCTION ds.since(d DATE) AS SELECT id, amount FROM ds.sale WHERE day >= d;
CREATE TABLE ds.latest AS SELECT s.id, s.amount AS total FROM ds.since(CURRENT_DATE()) AS s;
