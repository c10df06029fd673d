CREATE MACRO scaled(f, k := 3) AS TABLE SELECT amount * f AS scaled, id FROM sale WHERE shop = k;
CREATE TABLE d AS SELECT r.rate, s.scaled, s.id FROM rate r, scaled(r.rate, k := r.shop) s;
