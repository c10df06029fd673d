/*
id: ods_refunds
name: Load refunds
kind: batch
dialect: spark
source: warehouse
catalogs: {shopdb: shop}
owner: ingestion
labels: {layer: ods}
*/
INSERT OVERWRITE TABLE ods.refunds PARTITION (dt = '${bizdate}')
SELECT refund_id, order_id, item_id, amount, reason, created_at FROM shopdb.shop.refunds;
