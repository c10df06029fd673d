/*
id: api_sales
name: GET /sales
kind: api
dialect: clickhouse
source: mart
default_schema: mart
owner: bi
*/
SELECT dt, cut, name, net_eur FROM mart.sales_report WHERE dt BETWEEN {from:Date} AND {to:Date};
