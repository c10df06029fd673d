CREATE EXTERNAL TABLE orders (id INT) ENGINE = mysql PROPERTIES ("host" = "db", "port" = "3306", "user" = "u", "password" = "p", "database" = "shop", "table" = "orders");
INSERT INTO fact SELECT id FROM orders;
