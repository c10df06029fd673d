/*
id: dws_sku_day
name: SKU by day
kind: batch
dialect: spark
source: warehouse
owner: core-model
labels: {layer: dws}
*/
INSERT OVERWRITE TABLE dws.sku_day PARTITION (dt = '${bizdate}')
SELECT k.sku_id, k.title, k.category_name, k.root_name, k.brand_name,
       sum(i.quantity)                        AS units,
       sum(i.net_eur)                         AS net_eur,
       sum(i.net_eur - i.quantity * k.cost_price) AS margin_eur,
       count(DISTINCT v.session_id)           AS viewing_sessions,
       count(DISTINCT c.session_id)           AS cart_sessions
FROM dim.sku k
LEFT JOIN dwd.order_item i ON i.sku_id = k.sku_id AND i.dt = '${bizdate}'
LEFT JOIN dwd.sku_view v ON v.sku_id = k.sku_id AND v.dt = '${bizdate}'
LEFT JOIN dwd.sku_cart c ON c.sku_id = k.sku_id AND c.dt = '${bizdate}'
WHERE k.dt = '${bizdate}'
GROUP BY k.sku_id, k.title, k.category_name, k.root_name, k.brand_name;
