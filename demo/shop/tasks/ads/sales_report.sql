/*
id: ads_sales_report
name: Daily sales report
kind: batch
dialect: spark
source: warehouse
owner: finance
labels: {layer: ads}
*/
INSERT OVERWRITE TABLE ads.sales_report PARTITION (dt = '${bizdate}')
SELECT 'region' AS cut, concat(country, '/', region) AS name, net_eur FROM dws.region_day WHERE dt = '${bizdate}'
UNION ALL
SELECT 'category', category_name, net_eur FROM dws.category_day WHERE dt = '${bizdate}'
UNION ALL
SELECT 'campaign', campaign_name, revenue FROM dws.campaign_day WHERE dt = '${bizdate}';
