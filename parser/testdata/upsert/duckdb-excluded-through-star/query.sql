INSERT INTO stock SELECT * FROM feed ON CONFLICT (id) DO UPDATE SET qty = stock.qty + excluded.qty
