CREATE FUNCTION shipped(since date) RETURNS TABLE (id int, who text) AS $$
  SELECT o.order_no, o.carrier FROM orders o WHERE o.day >= since
$$ LANGUAGE sql;
CREATE FUNCTION all_parts() RETURNS SETOF part AS $$
DECLARE r part;
BEGIN
  FOR r IN SELECT * FROM part LOOP RETURN NEXT r; END LOOP;
  RETURN QUERY SELECT * FROM old_part;
END $$ LANGUAGE plpgsql;
INSERT INTO report (id, who) SELECT s.id, s.who FROM shipped(current_date) s;
INSERT INTO stock (code) SELECT p.code FROM all_parts() AS p;
