CREATE DATABASE shop ENGINE = MySQL('db:3306', 'shop_live', 'u', 'p');
CREATE TABLE files (x Int) ENGINE = File(CSV, '/in/day.csv');
INSERT INTO fact SELECT o.id FROM shop.orders AS o JOIN files ON files.x = o.id;
