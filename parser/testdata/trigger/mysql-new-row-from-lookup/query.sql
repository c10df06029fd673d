CREATE TRIGGER fill BEFORE INSERT ON orders FOR EACH ROW
BEGIN
  SET NEW.created = NOW();
  SET NEW.total = NEW.price * NEW.qty;
  SET NEW.region = (SELECT c.region FROM customers c WHERE c.id = NEW.customer);
END
