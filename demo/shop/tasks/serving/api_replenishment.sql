/*
id: api_replenishment
name: GET /replenishment
kind: api
dialect: clickhouse
source: mart
default_schema: mart
owner: purchasing
*/
SELECT sku_id, title, proposed_units FROM mart.replenishment ORDER BY proposed_units DESC;
