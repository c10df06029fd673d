/*
id: app_order_archive
name: Archive old orders
kind: batch
dialect: mysql
source: shop
default_schema: shop
owner: shop-backend
labels: {layer: app}
*/
INSERT INTO orders_archive (order_id, user_id, status, total_amount, created_at)
SELECT o.order_id, o.user_id, o.status, o.total_amount, o.created_at
FROM orders o
WHERE o.finished_at < DATE_SUB(CURDATE(), INTERVAL 2 YEAR)
ON DUPLICATE KEY UPDATE status = VALUES(status), total_amount = VALUES(total_amount);
DELETE o FROM orders o JOIN orders_archive a ON a.order_id = o.order_id;
