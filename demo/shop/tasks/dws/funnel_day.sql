/*
id: dws_funnel_day
name: Funnel by day
kind: batch
dialect: spark
source: warehouse
owner: web-analytics
labels: {layer: dws}
*/
INSERT OVERWRITE TABLE dws.funnel_day PARTITION (dt = '${bizdate}')
SELECT referrer_host, count(*) AS sessions, sum(added_to_cart) AS cart_sessions, sum(checked_out) AS checkout_sessions,
       count(o.order_id) AS orders
FROM dwd.session s
LEFT JOIN (SELECT DISTINCT user_id, order_id FROM dwd.order_item WHERE dt = '${bizdate}') o ON o.user_id = s.user_id
WHERE s.dt = '${bizdate}'
GROUP BY referrer_host;
