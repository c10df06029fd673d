/*
id: dws_product_rating
name: Product rating
kind: batch
dialect: hive
source: warehouse
owner: core-model
labels: {layer: dws}
*/
INSERT OVERWRITE TABLE dws.product_rating
SELECT product_id, title, avg(stars) AS stars, count(*) AS reviews, sum(if(stars <= 2, 1, 0)) AS bad_reviews
FROM dwd.review GROUP BY product_id, title HAVING count(*) >= 3;
