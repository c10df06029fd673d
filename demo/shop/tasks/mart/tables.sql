/*
id: mart_tables
name: Tables and views of the mart
kind: batch
dialect: clickhouse
source: mart
default_schema: mart
owner: bi
labels: {layer: mart}
*/
CREATE TABLE mart.sales_report_local (dt Date, cut LowCardinality(String), name String, net_eur Decimal(18, 2)) ENGINE = ReplicatedMergeTree ORDER BY (dt, cut, name);
CREATE TABLE mart.sales_report AS mart.sales_report_local ENGINE = Distributed('main', 'mart', 'sales_report_local', rand());
CREATE TABLE mart.user_segment (user_id UInt64, region String, rfm_score UInt16, segment String, lifetime_eur Decimal(18, 2)) ENGINE = MergeTree ORDER BY user_id;
CREATE TABLE mart.hot_sku_hour (hour DateTime, sku_id UInt64, views UInt64) ENGINE = SummingMergeTree ORDER BY (hour, sku_id);
CREATE TABLE mart.hot_skus_queue (window_start DateTime, sku_id UInt64, views UInt64, visitors UInt64) ENGINE = Kafka('bus.internal:9092', 'hot_skus', 'mart', 'JSONEachRow');
CREATE MATERIALIZED VIEW mart.hot_sku_mv TO mart.hot_sku_hour AS
SELECT toStartOfHour(window_start) AS hour, sku_id, sum(views) AS views FROM mart.hot_skus_queue GROUP BY hour, sku_id;
CREATE VIEW mart.top_regions AS
SELECT dt, splitByChar('/', name)[1] AS country, sum(net_eur) AS revenue FROM mart.sales_report WHERE cut = 'region' GROUP BY dt, country;
