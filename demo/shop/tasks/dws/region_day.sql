/*
id: dws_region_day
name: Region by day
kind: batch
dialect: spark
source: warehouse
owner: core-model
labels: {layer: dws}
*/
INSERT OVERWRITE TABLE dws.region_day PARTITION (dt = '${bizdate}')
SELECT u.country, u.region, count(DISTINCT i.user_id) AS buyers, sum(i.net_eur) AS net_eur, sum(i.freight_eur) AS freight_eur
FROM dwd.order_item i JOIN dim.user u ON u.user_id = i.user_id AND u.dt = '${bizdate}'
WHERE i.dt = '${bizdate}' AND i.status >= 2
GROUP BY u.country, u.region WITH ROLLUP;
