/*
id: mart_segment_sizes
name: Segment sizes
kind: batch
dialect: clickhouse
source: mart
default_schema: mart
owner: growth
labels: {layer: mart}
*/
INSERT INTO mart.segment_size (day, region, segment, users, lifetime_eur)
SELECT today(), region, segment, count() AS users, sum(lifetime_eur)
FROM mart.user_segment
PREWHERE segment != 'other'
GROUP BY region, segment;
