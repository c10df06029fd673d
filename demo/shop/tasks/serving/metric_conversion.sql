/*
id: metric_conversion
name: Conversion rate
kind: metric
dialect: trino
source: warehouse
owner: web-analytics
*/
SELECT dt, cast(sum(orders) AS double) / sum(sessions) AS conversion FROM dws.funnel_day GROUP BY dt;
