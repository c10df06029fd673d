/*
id: ads_assortment
name: Assortment review
kind: batch
dialect: trino
source: warehouse
owner: purchasing
labels: {layer: ads}
*/
INSERT INTO ads.assortment (sku_id, title, margin_eur, stars, verdict)
SELECT d.sku_id, d.title, sum(d.margin_eur), max(r.stars),
       CASE WHEN sum(d.margin_eur) < 0 THEN 'drop' WHEN max(r.stars) < 2.5 THEN 'watch' ELSE 'keep' END
FROM dws.sku_day d
JOIN dim.sku k USING (sku_id)
LEFT JOIN dws.product_rating r ON r.product_id = k.product_id
GROUP BY d.sku_id, d.title;
