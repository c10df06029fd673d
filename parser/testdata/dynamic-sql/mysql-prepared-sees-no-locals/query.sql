CREATE PROCEDURE fill()
BEGIN
  DECLARE qty INT;
  SELECT MAX(q) INTO qty FROM stock;
  SET @top = qty;
  SET @text = 'INSERT INTO target (a, b) SELECT qty, ? FROM orders';
  PREPARE st FROM @text;
  EXECUTE st USING @top;
END
