/*
id: ods_logistics
name: Load shipments and stock
kind: batch
dialect: spark
source: warehouse
catalogs: {shopdb: shop}
owner: ingestion
labels: {layer: ods}
*/
INSERT OVERWRITE TABLE ods.shipments PARTITION (dt = '${bizdate}')
SELECT shipment_id, order_id, carrier, warehouse_id, shipped_at, delivered_at FROM shopdb.shop.shipments;
INSERT OVERWRITE TABLE ods.inventory PARTITION (dt = '${bizdate}')
SELECT warehouse_id, sku_id, on_hand, reserved, updated_at FROM shopdb.shop.inventory;
