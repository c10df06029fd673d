SELECT a.id, b.id AS bid, * FROM a NATURAL LEFT JOIN b
