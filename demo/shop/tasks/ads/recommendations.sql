/*
id: ads_recommendations
name: Bought together
kind: batch
dialect: spark
source: warehouse
owner: data-science
labels: {layer: ads}
*/
WITH pairs AS (
  SELECT a.sku_id AS sku_id, b.sku_id AS other_sku_id, count(*) AS together
  FROM dwd.order_item a JOIN dwd.order_item b ON a.order_id = b.order_id AND a.sku_id <> b.sku_id
  GROUP BY a.sku_id, b.sku_id
),
ranked AS (
  SELECT p.*, row_number() OVER (PARTITION BY p.sku_id ORDER BY p.together DESC) AS rn FROM pairs p
)
INSERT OVERWRITE TABLE ads.bought_together
SELECT r.sku_id, r.other_sku_id, k.title AS other_title, r.together FROM ranked r JOIN dim.sku k ON k.sku_id = r.other_sku_id WHERE r.rn <= 10;
