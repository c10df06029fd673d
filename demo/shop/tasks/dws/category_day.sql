/*
id: dws_category_day
name: Category by day
kind: batch
dialect: hive
source: warehouse
owner: core-model
labels: {layer: dws}
*/
INSERT OVERWRITE TABLE dws.category_day PARTITION (dt = '${bizdate}')
SELECT root_name, category_name, sum(units) AS units, sum(net_eur) AS net_eur, sum(margin_eur) AS margin_eur
FROM dws.sku_day WHERE dt = '${bizdate}'
GROUP BY root_name, category_name
GROUPING SETS ((root_name, category_name), (root_name));
