CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.total := NEW.price * NEW.qty;
  SELECT c.region INTO NEW.region FROM customers c WHERE c.id = NEW.customer;
  RETURN NEW;
END $$;
CREATE TRIGGER fill BEFORE INSERT OR UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION fill();
