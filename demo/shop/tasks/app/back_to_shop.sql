/*
id: app_segments_to_shop
name: Segments back into the shop
kind: batch
dialect: spark
source: warehouse
catalogs: {shopdb: shop}
owner: growth
labels: {layer: app}
*/
INSERT INTO shopdb.shop.user_tags (user_id, tag, score)
SELECT user_id, segment, rfm_score FROM ads.user_segment WHERE segment <> 'other';
