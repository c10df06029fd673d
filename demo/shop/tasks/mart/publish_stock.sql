/*
id: mart_publish_stock
name: Publish replenishment
kind: batch
dialect: spark
source: warehouse
catalogs: {clickhouse: mart}
owner: bi
labels: {layer: mart}
*/
INSERT INTO clickhouse.mart.replenishment (sku_id, title, days_of_cover, proposed_units)
SELECT sku_id, title, days_of_cover, proposed_units FROM ads.replenishment;
