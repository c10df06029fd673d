/*
id: ods_order_items
name: Load order items
kind: batch
dialect: spark
source: warehouse
catalogs: {shopdb: shop}
owner: ingestion
labels: {layer: ods}
*/
INSERT OVERWRITE TABLE ods.order_items PARTITION (dt = '${bizdate}')
SELECT i.item_id, i.order_id, i.sku_id, i.quantity, i.unit_price, i.discount_amount
FROM shopdb.shop.order_items i
JOIN shopdb.shop.orders o ON o.order_id = i.order_id
WHERE o.created_at >= '${bizdate}';
