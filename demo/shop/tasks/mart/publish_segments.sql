/*
id: mart_publish_segments
name: Publish user segments
kind: batch
dialect: spark
source: warehouse
catalogs: {clickhouse: mart}
owner: bi
labels: {layer: mart}
*/
INSERT INTO clickhouse.mart.user_segment SELECT user_id, region, rfm_score, segment, lifetime_eur FROM ads.user_segment;
