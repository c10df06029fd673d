/*
id: ods_orders
name: Load orders
kind: batch
dialect: spark
source: warehouse
catalogs: {shopdb: shop}
owner: ingestion
labels: {layer: ods}
*/
INSERT OVERWRITE TABLE ods.orders PARTITION (dt = '${bizdate}')
SELECT order_id, user_id, address_id, status, channel, total_amount, discount_amount, freight_amount, currency,
       created_at, paid_at, finished_at
FROM shopdb.shop.orders
WHERE created_at >= '${bizdate}' OR paid_at >= '${bizdate}' OR finished_at >= '${bizdate}';
