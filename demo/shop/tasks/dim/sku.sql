/*
id: dim_sku
name: SKU dimension
kind: batch
dialect: hive
source: warehouse
owner: core-model
labels: {layer: dim}
*/
WITH p AS (
  SELECT product_id, category_id, brand_id, supplier_id, title FROM ods.products WHERE dt = '${bizdate}' AND status = 1
)
INSERT OVERWRITE TABLE dim.sku PARTITION (dt = '${bizdate}')
SELECT s.sku_id, p.product_id, p.title, c.category_name, c.root_name, b.brand_name, sp.supplier_name,
       s.list_price, s.cost_price, s.list_price - s.cost_price AS margin, concat_ws('/', s.colour, s.size) AS variant
FROM ods.skus s
JOIN p ON p.product_id = s.product_id
LEFT JOIN dim.category c ON c.category_id = p.category_id
LEFT JOIN ods.brands b ON b.brand_id = p.brand_id
LEFT JOIN ods.suppliers sp ON sp.supplier_id = p.supplier_id
WHERE s.dt = '${bizdate}';
