/*
id: metric_gmv
name: Gross merchandise value
kind: metric
dialect: trino
source: warehouse
owner: finance
*/
SELECT dt, sum(gross_eur) AS gmv FROM dwd.order_item GROUP BY dt;
