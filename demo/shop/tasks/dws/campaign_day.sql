/*
id: dws_campaign_day
name: Campaign by day
kind: batch
dialect: spark
source: warehouse
owner: marketing-data
labels: {layer: dws}
*/
INSERT OVERWRITE TABLE dws.campaign_day PARTITION (dt = '${bizdate}')
SELECT c.campaign_id, c.campaign_name, c.channel, count(DISTINCT c.user_id) AS users, sum(c.face_value) AS spent,
       sum(i.net_eur) AS revenue, sum(i.net_eur) / nullif(sum(c.face_value), 0) AS return_on_spend
FROM dwd.coupon_use c LEFT JOIN dwd.order_item i ON i.order_id = c.order_id AND i.dt = c.dt
WHERE c.dt = '${bizdate}'
GROUP BY c.campaign_id, c.campaign_name, c.channel;
