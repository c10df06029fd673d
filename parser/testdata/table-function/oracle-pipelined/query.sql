CREATE FUNCTION open_orders RETURN order_list PIPELINED AS
BEGIN
  FOR r IN (SELECT id, total FROM ord) LOOP
    PIPE ROW (order_row(r.id, r.total));
  END LOOP;
  RETURN;
END;
/
INSERT INTO d (id, amount) SELECT id, total FROM TABLE(open_orders);
