/*
id: rt_clicks_to_lake
name: Clicks into the lake
kind: realtime
dialect: flink
source: warehouse
owner: streaming
labels: {layer: ods}
*/
CREATE TEMPORARY TABLE clicks (
  event_id STRING, user_id BIGINT, session_id STRING, event_type STRING, sku_id BIGINT,
  page STRING, referrer STRING, event_time TIMESTAMP(3),
  WATERMARK FOR event_time AS event_time - INTERVAL '5' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'clickstream',
  'properties.bootstrap.servers' = 'bus.internal:9092',
  'format' = 'json'
);
INSERT INTO ods.clicks
SELECT event_id, user_id, session_id, event_type, sku_id, page, referrer, event_time,
       DATE_FORMAT(event_time, 'yyyy-MM-dd') AS dt
FROM clicks
WHERE event_type IS NOT NULL;
