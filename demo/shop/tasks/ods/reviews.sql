/*
id: ods_reviews
name: Load reviews
kind: batch
dialect: spark
source: warehouse
catalogs: {shopdb: shop}
owner: ingestion
labels: {layer: ods}
*/
INSERT OVERWRITE TABLE ods.reviews PARTITION (dt = '${bizdate}')
SELECT review_id, order_id, product_id, user_id, stars, body, created_at FROM shopdb.shop.reviews;
