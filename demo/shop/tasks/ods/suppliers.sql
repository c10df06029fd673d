/*
id: ods_suppliers
name: Load suppliers
kind: batch
dialect: spark
source: warehouse
catalogs: {shopdb: shop}
owner: ingestion
labels: {layer: ods}
*/
INSERT OVERWRITE TABLE ods.suppliers
SELECT supplier_id, supplier_name, city_id, rating FROM shopdb.shop.suppliers;
