/*
id: mart_publish_sales
name: Publish the sales report
kind: batch
dialect: spark
source: warehouse
catalogs: {clickhouse: mart}
owner: bi
labels: {layer: mart}
*/
INSERT INTO clickhouse.mart.sales_report_local (dt, cut, name, net_eur)
SELECT to_date(dt), cut, name, net_eur FROM ads.sales_report WHERE dt = '${bizdate}';
