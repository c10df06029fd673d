/*
id: dashboard_executive
name: Executive dashboard
kind: dashboard
dialect: clickhouse
source: mart
default_schema: mart
owner: bi
*/
SELECT month, revenue FROM mart.executive;
SELECT country, revenue FROM mart.top_regions ORDER BY revenue DESC LIMIT 10;
