/*
id: app_customer_view
name: Customer view of the service desk
kind: batch
dialect: mysql
source: shop
default_schema: shop
owner: shop-backend
labels: {layer: app}
*/
CREATE OR REPLACE VIEW service_customer AS
SELECT u.user_id, CONCAT(LEFT(u.email, 2), '***') AS email_hint, u.phone, t.tag,
       (SELECT COUNT(*) FROM orders o WHERE o.user_id = u.user_id) AS orders,
       (SELECT MAX(o.created_at) FROM orders o WHERE o.user_id = u.user_id) AS last_order_at
FROM users u LEFT JOIN user_tags t ON t.user_id = u.user_id;
