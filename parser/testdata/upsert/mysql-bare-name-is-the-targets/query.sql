INSERT INTO stock (sku, qty) SELECT f.sku, f.n FROM feed f
ON DUPLICATE KEY UPDATE qty = qty + VALUES(qty), note = CONCAT(note, f.memo), seen = at
