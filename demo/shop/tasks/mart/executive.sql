/*
id: mart_executive
name: Executive view
kind: batch
dialect: clickhouse
source: mart
default_schema: mart
owner: bi
labels: {layer: mart}
*/
CREATE OR REPLACE VIEW mart.executive AS
WITH toStartOfMonth(dt) AS month
SELECT month, sumIf(net_eur, cut = 'region') AS revenue, uniqExact(name) AS names
FROM mart.sales_report
GROUP BY month;
