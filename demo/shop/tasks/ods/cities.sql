/*
id: ods_cities
name: Load cities
kind: batch
dialect: spark
source: warehouse
catalogs: {shopdb: shop}
owner: ingestion
labels: {layer: ods}
*/
INSERT OVERWRITE TABLE ods.cities
SELECT * FROM shopdb.shop.cities;
