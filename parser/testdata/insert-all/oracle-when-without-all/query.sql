INSERT WHEN amt > 10 THEN INTO hi (id, amt) VALUES (id, amt)
       WHEN amt <= 10 THEN INTO lo (id) VALUES (id)
       ELSE INTO other
SELECT id, amt FROM s;
