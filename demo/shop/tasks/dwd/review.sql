/*
id: dwd_review
name: Reviews by product
kind: batch
dialect: hive
source: warehouse
owner: core-model
labels: {layer: dwd}
*/
INSERT OVERWRITE TABLE dwd.review PARTITION (dt = '${bizdate}')
SELECT r.review_id, r.product_id, p.title, r.user_id, r.stars, length(r.body) AS body_length, r.created_at
FROM ods.reviews r LEFT JOIN ods.products p ON p.product_id = r.product_id AND p.dt = '${bizdate}'
WHERE r.dt = '${bizdate}';
