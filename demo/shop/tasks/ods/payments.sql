/*
id: ods_payments
name: Load payments
kind: batch
dialect: spark
source: warehouse
catalogs: {shopdb: shop}
owner: ingestion
labels: {layer: ods}
*/
INSERT OVERWRITE TABLE ods.payments PARTITION (dt = '${bizdate}')
SELECT payment_id, order_id, lower(method) AS method, amount, status, paid_at FROM shopdb.shop.payments WHERE to_date(paid_at) = '${bizdate}';
