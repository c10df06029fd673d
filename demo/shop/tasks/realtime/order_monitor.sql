/*
id: rt_order_monitor
name: Live order monitor
kind: realtime
dialect: flink
source: warehouse
owner: streaming
labels: {layer: ads}
*/
CREATE TABLE order_events (
  order_id BIGINT, user_id BIGINT, status INT, amount DECIMAL(18, 2), event_time TIMESTAMP(3),
  WATERMARK FOR event_time AS event_time - INTERVAL '10' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'order_events', 'properties.bootstrap.servers' = 'bus.internal:9092', 'format' = 'debezium-json');
CREATE TABLE sku_clicks (
  sku_id BIGINT, user_id BIGINT, event_type STRING, event_time TIMESTAMP(3),
  WATERMARK FOR event_time AS event_time - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka', 'topic' = 'clickstream', 'properties.bootstrap.servers' = 'bus.internal:9092', 'format' = 'json');
CREATE TABLE orders_by_minute (
  window_start TIMESTAMP(3), orders BIGINT, buyers BIGINT, revenue DECIMAL(18, 2), PRIMARY KEY (window_start) NOT ENFORCED
) WITH ('connector' = 'jdbc', 'url' = 'jdbc:mysql://shop-db.internal:3306/monitor', 'table-name' = 'orders_by_minute');
CREATE TABLE hot_skus (
  window_start TIMESTAMP(3), sku_id BIGINT, views BIGINT, visitors BIGINT
) WITH ('connector' = 'kafka', 'topic' = 'hot_skus', 'properties.bootstrap.servers' = 'bus.internal:9092', 'format' = 'json');
EXECUTE STATEMENT SET
BEGIN
  INSERT INTO orders_by_minute
  SELECT window_start, COUNT(*), COUNT(DISTINCT user_id), SUM(amount)
  FROM TABLE(TUMBLE(TABLE order_events, DESCRIPTOR(event_time), INTERVAL '1' MINUTES))
  WHERE status >= 2
  GROUP BY window_start, window_end;
  INSERT INTO hot_skus
  SELECT window_start, sku_id, COUNT(*) AS views, COUNT(DISTINCT user_id) AS visitors
  FROM TABLE(HOP(TABLE sku_clicks, DESCRIPTOR(event_time), INTERVAL '1' MINUTES, INTERVAL '5' MINUTES))
  WHERE event_type = 'view'
  GROUP BY window_start, window_end, sku_id;
END;
