UPDATE (SELECT p.price AS old_price, n.price AS new_price FROM news n JOIN product p ON p.id = n.id) SET old_price = new_price
