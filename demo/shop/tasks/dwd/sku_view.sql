/*
id: dwd_sku_view
name: Views and cart events per SKU
kind: batch
dialect: spark
source: warehouse
owner: web-analytics
labels: {layer: dwd}
*/
FROM ods.clicks c
INSERT OVERWRITE TABLE dwd.sku_view PARTITION (dt = '${bizdate}')
  SELECT c.event_id, c.user_id, c.session_id, c.sku_id, c.event_time WHERE c.event_type = 'view' AND c.dt = '${bizdate}'
INSERT OVERWRITE TABLE dwd.sku_cart PARTITION (dt = '${bizdate}')
  SELECT c.event_id, c.user_id, c.session_id, c.sku_id, c.event_time WHERE c.event_type = 'add_to_cart' AND c.dt = '${bizdate}';
