/*
id: api_service_desk
name: GET /service-desk/customers
kind: api
dialect: mysql
source: shop
default_schema: shop
owner: shop-backend
*/
SELECT user_id, email_hint, phone, tag, orders, last_order_at FROM service_customer WHERE user_id = ?;
