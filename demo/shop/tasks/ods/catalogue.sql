/*
id: ods_catalogue
name: Load the product catalogue
kind: batch
dialect: spark
source: warehouse
catalogs: {shopdb: shop}
owner: ingestion
labels: {layer: ods}
*/
INSERT OVERWRITE TABLE ods.categories SELECT category_id, parent_id, category_name, level FROM shopdb.shop.categories;
INSERT OVERWRITE TABLE ods.brands SELECT brand_id, brand_name, country FROM shopdb.shop.brands;
INSERT OVERWRITE TABLE ods.products PARTITION (dt = '${bizdate}')
SELECT product_id, category_id, brand_id, supplier_id, trim(title) AS title, status, created_at FROM shopdb.shop.products;
INSERT OVERWRITE TABLE ods.skus PARTITION (dt = '${bizdate}')
SELECT sku_id, product_id, list_price, cost_price,
       get_json_object(attributes, '$.colour') AS colour,
       get_json_object(attributes, '$.size')   AS size
FROM shopdb.shop.skus;
